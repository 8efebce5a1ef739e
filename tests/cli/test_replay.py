"""weir replay: the right answers on real logs and on small timed sequences."""

import json
import re
import unittest

from weir_cli import Case, combined, shared, weir

# Limit, admitted, denied, and who was denied how often; counted by two other programs.
ACCESS_LOG = [
    ("algorithm=fixed_window,quota=60,per=60s", 9912, 87, {"75.97.9.59": 72, "130.237.218.86": 15}),
    ("algorithm=sliding_log,quota=60,per=60s", 9912, 87, None),
    ("algorithm=sliding_counter,quota=60,per=60s", 9912, 87, None),
    ("algorithm=token_bucket,quota=1,per=1s,burst=10", 9934, 65, {"75.97.9.59": 55, "130.237.218.86": 10}),
    ("algorithm=fixed_window,quota=5,per=1s", 9996, 3, None),
    ("algorithm=token_bucket,quota=10,per=60s,burst=10", 8986, 1013, None),
]


def yaml_of(limit):
    return limit.replace("=", ": ").replace(",", ", ")


class RealLogs(Case):
    def check(self, report, admitted, denied, who):
        self.assertEqual((report["records"], report["malformed"], report["requests"]), (10000, 1, 9999))
        self.assertEqual((report["admitted"], report["denied"]), (admitted, denied))
        self.assertEqual(report["reordered"], 4915)
        rule = report["rules"][0]
        self.assertEqual((rule["admitted"], rule["denied"], rule["keys"]), (admitted, denied, 1753))
        if who is not None:
            self.assertEqual({row["key"]: row["denied"] for row in report["top_denied"]}, who)
            self.assertEqual(rule["keys_denied"], len(who))

    def test_six_limits_side_by_side(self):
        log = shared("access.log")
        tries = [argument for limit, *_ in ACCESS_LOG for argument in ("--try", limit)]
        reports = weir("replay", "--json", *tries, log).json()
        self.assertEqual(len(reports), 6)
        for report, (limit, *right) in zip(reports, ACCESS_LOG):
            with self.subTest(limit=limit):
                self.check(report, *right)
                self.assertIn(f"algorithm={report['limit']['algorithm']},quota={report['limit']['quota']},", limit)
        self.assertEqual(reports[5]["rules"][0]["keys_denied"], 54)

    def test_six_limits_as_policies(self):
        log = shared("access.log")
        for limit, *right in ACCESS_LOG:
            with self.subTest(limit=limit):
                done = weir("replay", "--policy", self.policy(yaml_of(limit)), "--json", log)
                self.assertEqual(done.code, 0)
                self.check(done.json(), *right)

    def test_a_pipe_gives_the_same_as_the_file(self):
        log = shared("access.log")
        for limit, *right in ACCESS_LOG:
            with self.subTest(limit=limit):
                done = weir("replay", "--try", limit, "--json", stdin=log.read_bytes())
                self.assertEqual(done.json()[0]["late"], 0)
                self.check(done.json()[0], *right)

    def test_many_small_sorted_runs_on_disk_give_the_same(self):
        log = shared("access.log")
        limit, *right = ACCESS_LOG[3]
        done = weir("replay", "--try", limit, "--json", "--max-memory", "1M", "--max-keys", "8192", log)
        self.assertEqual(done.code, 0, done.err)
        self.check(done.json()[0], *right)

    def test_invalid_users_of_a_syslog(self):
        log = shared("auth.log")
        policy = self.file(
            "auth.yaml",
            'domain: ssh\nrules:\n  - name: invalid\n    match: {message: "Invalid user *"}\n    key: [ip]\n'
            "    limit: {algorithm: sliding_log, quota: 5, per: 1m}\n",
        )
        report = weir("replay", "--policy", policy, "--json", "--format", "syslog", log).json()
        lines = log.read_text().splitlines()
        self.assertEqual(len(lines), 7121)
        repeated = [int(n) for line in lines for n in re.findall(r"message repeated (\d+) times", line)]
        records = len(lines) - len(repeated) + sum(repeated)
        self.assertEqual((report["records"], report["malformed"], report["reordered"]), (records, 0, 0))
        self.assertEqual(report["rules"][0]["requests"], 178)
        self.assertEqual(report["rules"][0]["keys"], 68)
        self.assertEqual(report["unmatched"], records - 178)
        most = self.file("most.yaml", policy.read_text().replace("quota: 5", "quota: 1000"))
        worst = weir("replay", "--policy", most, "--json", log).json()["rules"][0]["worst"]
        self.assertEqual(worst["key"], "91.197.232.109")
        self.assertGreaterEqual(worst["count"], 21)

    def test_suggestions_touch_what_they_say(self):
        log = shared("access.log")
        found = weir("replay", "--suggest", "--touch", "0.2%", "--json", log).json()
        self.assertEqual((found["keys"], found["keys_may_be_touched"]), (1753, 3))
        self.assertGreater(len(found["suggestions"]), 3)
        for one in found["suggestions"]:
            limit = one["limit"]
            with self.subTest(limit=limit):
                denied = []
                for quota in (limit["quota"], limit["quota"] - 1):
                    text = f"algorithm={limit['algorithm']},quota={quota},per={limit['per']}"
                    denied.append(weir("replay", "--try", text, "--json", log).json()[0])
                self.assertEqual(denied[0]["rules"][0]["keys_denied"], one["keys_touched"])
                self.assertEqual(denied[0]["denied"], one["denied"])
                self.assertLessEqual(one["keys_touched"], 3)
                self.assertGreater(denied[1]["rules"][0]["keys_denied"], 3)


class Sequences(Case):
    """Times and verdicts that arithmetic gives: A admitted, R refused."""

    def decide(self, limit, requests, more=""):
        """`requests`: (time, cost) or time. Both formats must decide alike."""
        pairs = [request if isinstance(request, tuple) else (request, 1) for request in requests]
        policy = self.policy(limit, more)
        as_json = "".join(f'{{"time":{json.dumps(t)},"ip":"192.0.2.1","cost":{c}}}\n' for t, c in pairs)
        as_csv = "time,ip,cost\n" + "".join(f"{t},192.0.2.1,{c}\n" for t, c in pairs)
        outs = []
        for name, text in (("json", as_json), ("csv", as_csv)):
            done = weir("replay", "--policy", policy, "--decisions", "--format", name, self.file("log", text))
            self.assertEqual((done.code, done.err), (0, ""))
            outs.append(done.lines())
        self.assertEqual(outs[0], outs[1])
        return outs[0]

    def verdicts(self, limit, requests, more=""):
        return "".join("A" if line["allowed"] else "R" for line in self.decide(limit, requests, more))

    def test_a01_double_rate_at_the_edge(self):
        hits = [59.9] * 60 + [60.1] * 60
        self.assertEqual(self.verdicts("algorithm: fixed_window, quota: 60, per: 60s", hits), "A" * 120)
        log = self.file("edge.csv", "time,ip\n" + "".join(f"{t},192.0.2.1\n" for t in hits))
        report = weir("replay", "--policy", self.folder / "policy.yaml", "--json", log).json()
        self.assertEqual(
            report["rules"][0]["worst"],
            {
                "key": "192.0.2.1",
                "count": 120,
                "window": {"from": "1970-01-01T00:00:00.1Z", "to": "1970-01-01T00:01:00.1Z"},
            },
        )
        self.assertEqual(
            self.verdicts("algorithm: sliding_log, quota: 60, per: 60s", hits + ["119.899", "119.9"]),
            "A" * 60 + "R" * 60 + "RA",
        )

    def test_a02_the_sliding_counter_nearly_doubles(self):
        hits = ["59.999"] * 10 + [f"{60 + i / 100:.2f}" for i in range(6000)]
        lines = self.decide("algorithm: sliding_counter, quota: 10, per: 60s", hits)
        extra = [line["time"] for line in lines[10:] if line["allowed"]]
        self.assertEqual(extra, [66, 72, 78, 84, 90, 96, 102, 108, 114])
        self.assertEqual(self.verdicts("algorithm: sliding_log, quota: 10, per: 60s", hits).count("A"), 10)

    def test_a03_the_previous_share_is_not_cut(self):
        hits = [0.9, 1.1, 1.5, 1.999, 2.0]
        self.assertEqual(self.verdicts("algorithm: sliding_counter, quota: 1, per: 1s", hits), "ARRRA")

    def test_a04_a_token_bucket_admits_its_burst_and_more(self):
        hits = list(range(0, 61))
        greedy = [0] * 15 + hits[1:]
        lines = self.decide("quota: 15, per: 60s", greedy)
        admitted = [line["time"] for line in lines if line["allowed"]]
        self.assertEqual(sum(1 for time in admitted if time < 60), 29)
        self.assertEqual(len(admitted), 30)
        one = self.verdicts("quota: 15, per: 60s, burst: 1", hits)
        self.assertEqual(one[:60].count("A"), 15)

    def test_a05_a_meter_is_not_a_shaper(self):
        lines = self.decide("algorithm: leaky_bucket, quota: 2, per: 20s, burst: 5", [0] * 6, "    action: delay\n")
        self.assertTrue(all(line["allowed"] for line in lines))
        meter = self.verdicts("quota: 2, per: 20s, burst: 2", [0, 0, 0, 10, 10, 20, 30, 40])
        self.assertEqual(meter, "AARARAAA")

    def test_a07_the_promised_instant(self):
        lines = self.decide("quota: 1, per: 1h", [0, 1800, "3599.999999", 3600])
        self.assertEqual([line["allowed"] for line in lines], [True, False, False, True])
        self.assertEqual([line["retry_after"] for line in lines], [0, 1800, 0.000001, 0])

    def test_a10_long_idle(self):
        lines = self.decide("quota: 10000000, per: 1s", [(0, 10000000), 923, 923 + 43200, 315360000])
        self.assertEqual([line["remaining"] for line in lines], [0, 9999999, 9999999, 9999999])

    def test_a18_cost_and_capacity(self):
        lines = self.decide("quota: 5, per: 60s", [(0, 1), (0, 5), (12, 5)])
        self.assertEqual(
            [(line["allowed"], line["remaining"], line["retry_after"], line["reset_after"]) for line in lines],
            [(True, 4, 0, 12), (False, 4, 12, 12), (True, 0, 0, 60)],
        )
        over = self.decide("quota: 5, per: 60s", [(0, 6), (0, 5)])
        self.assertEqual([(line["allowed"], line["retry_after"]) for line in over], [(False, None), (True, 0)])

    def test_a21_a_replay_sorts(self):
        hits = [10, 5, 10, 5, 10, 11]
        lines = self.decide("quota: 1, per: 1s", hits)
        self.assertEqual([line["time"] for line in lines], sorted(hits))
        self.assertEqual("".join("AR"[not line["allowed"]] for line in lines), "ARARRA")

    def test_a25_one_a_day(self):
        self.assertEqual(self.verdicts("quota: 1, per: 1d", [0, "86399.999", 86400]), "ARA")

    def test_a26_a_window_of_a_year(self):
        start = "2026-02-10T00:00:00Z"
        lines = self.decide(
            "algorithm: fixed_window, quota: 5, per: 365d", [start] * 6 + ["2026-03-07T00:00:00Z"]
        )
        self.assertEqual("".join("AR"[not line["allowed"]] for line in lines), "AAAAARR")
        self.assertEqual(lines[5]["retry_after"], 311 * 86400)  # until 2026-12-18

    def test_a27_a_month_is_the_calendars(self):
        limit = "algorithm: fixed_window, quota: 1, per: 1 month"
        lines = self.decide(limit, ["2026-02-10T00:00:00Z"] * 2 + ["2026-03-01T00:00:00Z"])
        self.assertEqual([line["allowed"] for line in lines], [True, False, True])
        self.assertEqual(lines[1]["retry_after"], 1641600)
        end = self.decide(limit, ["2026-01-31T23:59:59Z"])
        self.assertEqual(end[0]["reset_after"], 1)

    def test_a28_days_of_a_zone(self):
        policy = self.file(
            "london.yaml",
            "domain: d\ntimezone: Europe/London\nrules:\n  - name: r\n    key: [ip]\n"
            "    limit: {algorithm: fixed_window, quota: 1, per: 1 day}\n",
        )
        for midnight, length in (("2016-10-29T23:00:00Z", 90000), ("2016-03-27T00:00:00Z", 82800)):
            done = weir(
                "replay", "--policy", policy, "--decisions", "--format", "csv", stdin=f"time,ip\n{midnight},a\n"
            )
            self.assertEqual(done.lines()[0]["reset_after"], length)
        # A log in local time steps back an hour that day.
        log = "time,ip\n2016-10-30T01:59:59Z,a\n2016-10-30T01:00:00Z,a\n2016-10-30T02:00:00Z,a\n"
        report = weir("replay", "--policy", policy, "--json", self.file("dst.csv", log)).json()
        self.assertEqual((report["reordered"], report["admitted"], report["denied"]), (1, 1, 2))

    def test_times_are_exact_to_the_nanosecond(self):
        lines = self.decide("quota: 1, per: 1s", ["1431857103.123456789", "1431857104.123456788"])
        self.assertEqual(lines[1]["retry_after"], 0.000000001)
        done = weir("replay", "--policy", self.folder / "policy.yaml", "--decisions", self.folder / "log",
                    "--format", "csv")
        self.assertIn('"time":1431857103.123456789,', done.out)


    def test_a_repeated_message_takes_on_debt_like_single_ones(self):
        policy = self.policy("algorithm: sliding_log, quota: 10, per: 1m", "    charge_denied: true\n")
        line = "Jan  1 00:0{}:{} host sshd[1]: {}Failed password for root from 192.0.2.1 port 1 ssh2{}\n"
        log = self.file("syslog", line.format(0, "00", "message repeated 100 times: [ ", "]")
                        + line.format(0, "30", "", "") + line.format(1, "00", "", "") * 10)
        arguments = ("--policy", policy, "--format", "syslog", "--year", "2026", log)
        report = weir("replay", "--json", *arguments).json()
        decisions = weir("replay", "--decisions", *arguments).lines()
        self.assertEqual((report["requests"], report["admitted"]), (111, 20))
        self.assertEqual([line["allowed"] for line in decisions[-11:]], [False] + [True] * 10)
        self.assertEqual(sum(line["allowed"] for line in decisions), 20)


class Policies(Case):
    def test_shadow_and_unlimited_and_unmatched(self):
        policy = self.file(
            "p.yaml",
            "domain: d\nrules:\n"
            "  - {name: watch, key: [ip], limit: {quota: 1, per: 1h}, action: shadow}\n"
            "  - {name: login, match: {endpoint: /login}, key: [ip], limit: {quota: 1, per: 1h}}\n"
            "  - {name: office, match: {ip: 192.0.2.0/24}, unlimited: true}\n",
        )
        log = "".join(
            combined(ip, "17/May/2015:10:05:03 +0000", request)
            for ip, request in (
                ("198.51.100.1", "GET / HTTP/1.1"),
                ("198.51.100.1", "POST //login/?a=b HTTP/1.1"),
                ("198.51.100.1", "POST /login HTTP/1.1"),
                ("192.0.2.7", "POST /login HTTP/1.1"),
            )
        )
        report = weir("replay", "--policy", policy, "--json", self.file("a.log", log)).json()
        self.assertEqual((report["admitted"], report["denied"], report["unlimited"]), (3, 1, 1))
        shadow, login, office = report["rules"]
        self.assertEqual((shadow["shadow"], shadow["admitted"], shadow["denied"]), (True, 1, 2))
        self.assertEqual((login["admitted"], login["denied"], login["keys"]), (1, 1, 1))
        self.assertEqual((office["requests"], office["worst"]), (1, None))
        self.assertEqual(report["top_denied"], [{"rule": "login", "key": "198.51.100.1", "denied": 1}])

    def test_map_and_a_key_of_two(self):
        policy = self.policy("quota: 1, per: 1h", key="[ip, account]")
        log = self.file("u.jsonl", '{"time":1,"client":"192.0.2.1","u":{"id":7}}\n' * 3)
        report = weir("replay", "--policy", policy, "--map", "ip=client", "--map", "account=u.id", "--json", log).json()
        self.assertEqual(report["top_denied"], [{"rule": "r", "key": ["192.0.2.1", "7"], "denied": 2}])

    def test_one_global_bucket(self):
        report = weir(
            "replay", "--try", "quota=1,per=1h", "--key", "", "--json", stdin='{"time":1}\n{"time":2}\n'
        ).json()[0]
        self.assertEqual(report["rules"][0]["worst"]["key"], "")
        self.assertEqual(report["top_denied"][0]["key"], "")

    def test_ties_go_by_bytes(self):
        log = "time,ip\n" + "0,b\n0,a\n0,é\n0,B\n" * 2
        report = weir("replay", "--try", "quota=1,per=1h", "--json", "--key", "ip", "--top", "3", stdin=log).json()[0]
        self.assertEqual([row["key"] for row in report["top_denied"]], ["B", "a", "b"])


if __name__ == "__main__":
    unittest.main()
