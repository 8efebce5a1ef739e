"""`weir serve` over HTTP, end to end: checks, auth, limits on every size and wait, reload, drain, and section B of the
cases that others met."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from server import WEIR, WeirServer, environment  # noqa: E402

PATIENCE = 60  # seconds; only a hang takes that long


def request(dimensions, **more):
    return {"dimensions": dimensions, **more}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def __getitem__(self, name):
        return self.json()[name]


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def policy(self, rules, top=""):
        return self.file("policy.yaml", f"domain: test\n{top}\nrules:\n" + "\n".join(f"  - {rule}" for rule in rules) + "\n")

    def serve(self, rules, *args, top="", **more):
        server = WeirServer("--policy", self.policy(rules, top), "--threads", "2", *args, **more)

        self.addCleanup(server.stop, signal.SIGKILL)
        self.server = server
        return server

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def check(self, dimensions, query="", **more):
        return self.ask("POST", "/v1/check" + query, json.dumps(request(dimensions, **more)))

    def statuses(self, count, dimensions, **more):
        return [self.check(dimensions, **more).status for _ in range(count)]

    def auth(self, query="", **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("GET", "/v1/auth" + query, headers=names)

    def raw(self, data):
        """All that the server says on a connection of its own until it closes, or stops when asked no more."""
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            said = b""
            while block := connection.recv(65536):
                said += block
            return said

    def metric(self, name, **labels):
        text = self.ask("GET", "/metrics").body.decode()
        for line in text.splitlines():
            found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if found and found.group(1) == name:
                pairs = dict(re.findall(r'(\w+)="([^"]*)"', found.group(2) or ""))
                if pairs == labels:
                    return float(found.group(3))
        return None


class Check(Case):
    CHAT = "{name: chat, match: {endpoint: chat.send}, key: [account], limit: {quota: 5, per: 10s, burst: 10}}"

    def test_ten_pass_and_then_none(self):
        self.serve([self.CHAT])
        mira = {"account": "42", "endpoint": "chat.send"}
        first = self.check(mira)
        self.assertEqual(first.status, 200)
        self.assertEqual(first.headers["Content-Type"], "application/json")
        self.assertEqual(first.headers["RateLimit-Policy"], '"chat";q=5;w=10')
        self.assertEqual(first.headers["RateLimit"], '"chat";r=9;t=2')
        self.assertEqual(first.json(), {"allowed": True, "rule": "chat", "limit": 10, "remaining": 9, "reset_after": 2,
                                        "retry_after": 0, "delay": 0, "action": "deny", "challenge": None})
        self.assertEqual(self.statuses(9, mira), [200] * 9)
        denied = self.check(mira)
        self.assertEqual(denied.status, 429)
        self.assertEqual(denied.headers["Content-Type"], "application/problem+json")
        self.assertIn(denied.headers["Retry-After"], ("1", "2"))
        self.assertRegex(denied.headers["RateLimit"], r'^"chat";r=0;t=[12]$')
        problem = denied.json()
        self.assertEqual(problem["type"], "https://iana.org/assignments/http-problem-types#quota-exceeded")
        self.assertEqual((problem["status"], problem["violated-policies"]), (429, ["chat"]))
        self.assertEqual((problem["allowed"], problem["rule"], problem["remaining"]), (False, "chat", 0))
        self.assertTrue(0 < problem["retry_after"] <= 2)
        told = self.check(mira, "?status=200")
        self.assertEqual((told.status, told["allowed"], "type" in told.json()), (200, False, False))
        self.assertEqual(self.check({"account": "43", "endpoint": "chat.send"}).status, 200)

    def test_no_rule_applies(self):
        self.serve([self.CHAT])
        answer = self.check({"account": "42"})
        self.assertEqual((answer.status, answer["allowed"], answer["rule"], answer["limit"]), (200, True, None, None))
        self.assertNotIn("RateLimit", answer.headers)

    def test_an_array_is_decided_in_order_and_refused_as_a_whole(self):
        self.serve([self.CHAT])
        mira = {"account": "42", "endpoint": "chat.send"}
        bad = self.ask("POST", "/v1/check", json.dumps([request(mira), request(mira, cost=-1)]))
        self.assertEqual(bad.status, 400)
        self.assertEqual(bad.headers["Content-Type"], "application/problem+json")
        self.assertIn("$[1].cost: found -1", bad["detail"])
        asked = [request(mira, cost=8), request(mira, cost=3), request(mira, peek=True), request(mira, cost=2)]
        answer = self.ask("POST", "/v1/check", json.dumps(asked))
        self.assertEqual(answer.status, 200)
        self.assertEqual([(one["allowed"], one["remaining"]) for one in answer.json()],
                         [(True, 2), (False, 2), (True, 2), (True, 0)])
        self.assertEqual(self.ask("POST", "/v1/check", "[]").json(), [])
        long = self.ask("POST", "/v1/check", json.dumps([request({})] * 1001))
        self.assertIn("more than 1000 requests", long["detail"])

    def test_many_of_an_array_get_what_one_after_another_would(self):
        self.serve(["{name: r, key: [account], limit: {quota: 100, per: 1h}}"])
        answer = self.ask("POST", "/v1/check", json.dumps([request({"account": "a"})] * 200))
        self.assertEqual([one["allowed"] for one in answer.json()], [True] * 100 + [False] * 100)

    def test_malformed_bodies_are_told_where_and_charge_nothing(self):
        self.serve(["{name: r, key: [], limit: {quota: 5, per: 1h}}"])
        for body, said in (("", "the body is empty"), ("{", "not JSON"), ('{"dimensions":{},"time":1}', 'unknown field "time"'),
                           ('{"dimension":{}}', 'did you mean "dimensions"?'), ('{"dimensions":{"a":1}}', "$.dimensions.a"),
                           ('{"dimensions":{}}x', "something follows the JSON, at byte 17"), ('{"dimensions":{}}{"a":1}', "behind the end"), (b'{"dimensions":{"a":"\xff"}}', "not UTF-8 at byte 20"),
                           ('{"dimensions":{},"cost":9223372036854775808}', "$.cost"), ("[" * 100000, "not JSON")):
            answer = self.ask("POST", "/v1/check", body)
            self.assertEqual(answer.status, 400, body)
            self.assertIn(said, answer.json().get("detail", ""), body)
        self.assertEqual(self.check({})["remaining"], 4)

    def test_costs(self):
        """A14, A18, B44: hostile numbers, a cost above the capacity, and a cost of 0."""
        self.serve(["{name: r, key: [a], limit: {quota: 5, per: 60s}}"])
        self.assertEqual(self.check({"a": "x"}).status, 200)
        whole = self.check({"a": "x"}, cost=5)
        self.assertEqual((whole.status, whole["remaining"]), (429, 4))
        self.assertTrue(11 < whole["retry_after"] <= 12)
        never = self.check({"a": "y"}, cost=6)
        self.assertEqual((never.status, never["retry_after"], never["remaining"]), (429, None, 5))
        self.assertNotIn("Retry-After", never.headers)
        self.assertNotIn("t=", never.headers["RateLimit"])
        self.assertEqual(self.check({"a": "z"}, cost=2**63 - 1).status, 429)
        self.assertEqual(self.check({"a": "y"}, cost=5).status, 200)
        look = self.check({"a": "y"}, cost=0)
        self.assertEqual((look.status, look["remaining"]), (200, 0))
        self.assertEqual(self.check({"a": "y"}, peek=True).status, 429)
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_headers_can_be_chosen(self):
        self.serve([self.CHAT], "--headers", "legacy")
        answer = self.check({"account": "42", "endpoint": "chat.send"})
        self.assertEqual((answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"],
                          answer.headers["X-RateLimit-Reset"]), ("10", "9", "2"))
        self.assertIn("RateLimit", answer.headers)
        self.serve(["{name: r, key: [], limit: {quota: 1, per: 10s}}"], "--headers", "none")
        self.check({})
        denied = self.check({})
        self.assertEqual((denied.status, "RateLimit" in denied.headers, denied.headers["Retry-After"]), (429, False, "10"))

    def test_headers_speak_of_every_algorithm(self):
        rules = ["{name: log, match: {e: log}, key: [], limit: {algorithm: sliding_log, quota: 2, per: 60s}}",
                 "{name: counter, match: {e: counter}, key: [], limit: {algorithm: sliding_counter, quota: 2, per: 1h}}",
                 "{name: queue, match: {e: queue}, key: [], limit: {algorithm: leaky_bucket, quota: 1, per: 10s, burst: 2}, action: delay}",
                 "{name: 'day \"é\" 5%', match: {e: day}, key: [], limit: {algorithm: fixed_window, quota: 2, per: 1 day}}",
                 "{name: fast, match: {e: fast}, key: [], limit: {quota: 3, per: 1500ms}}"]
        self.serve(rules)
        log = self.check({"e": "log"})
        self.assertEqual(log.headers["RateLimit"], '"log";r=1;t=60')
        counter = self.check({"e": "counter"})
        self.assertRegex(counter.headers["RateLimit"], r'^"counter";r=1;t=\d+$')
        queue = [self.check({"e": "queue"}) for _ in range(2)]
        self.assertEqual((queue[0]["delay"], queue[0].headers["RateLimit"]), (0, '"queue";r=2;t=10'))
        self.assertTrue(9 < queue[1]["delay"] <= 10)
        self.assertEqual(queue[1]["action"], "delay")
        day = self.check({"e": "day"})
        self.assertEqual(day.headers["RateLimit-Policy"], r'"day \"%C3%A9\" 5%25";q=2')
        self.assertTrue(1 <= int(re.search(r"t=(\d+)", day.headers["RateLimit"]).group(1)) <= 86400)
        fast = self.check({"e": "fast"})
        self.assertEqual((fast.headers["RateLimit-Policy"], fast.headers["RateLimit"]), ('"fast";q=3', '"fast";r=2;t=1'))


class Auth(Case):
    LOGIN = "{name: login, match: {endpoint: /login, method: POST}, key: [ip], limit: {quota: 2, per: 1h}}"

    def test_a_proxy_asks(self):
        self.serve([self.LOGIN], top="trusted_proxies: [127.0.0.0/8]")
        for uri, method in (("X-Original-URI", "X-Original-Method"), ("X-Forwarded-Uri", "X-Forwarded-Method")):
            headers = {uri: "/login?next=/", method: "POST", "X-Forwarded-For": f"203.0.113.{len(uri)}"}
            answers = [self.ask("GET", "/v1/auth", headers=headers) for _ in range(3)]
            self.assertEqual([a.status for a in answers], [200, 200, 429])
            self.assertEqual([a.body for a in answers], [b"", b"", b""])
            self.assertIn("Retry-After", answers[2].headers)
            self.assertEqual(answers[0].headers["RateLimit"], '"login";r=1;t=1800')
            denied = self.ask("GET", "/v1/auth?deny=403", headers=headers)
            self.assertEqual((denied.status, "Retry-After" in denied.headers), (403, True))

    def test_envoy_sends_the_path_behind_ours(self):
        self.serve([self.LOGIN])
        # What a client adds has no say.
        spoofed = {"X-Original-URI": "/elsewhere", "X-Original-Method": "GET"}
        got = [self.ask("POST", "/v1/auth/login?deny=403&account=x", headers=spoofed).status for _ in range(3)]
        self.assertEqual(got, [200, 200, 429])

    def test_a_named_header_that_is_missing_is_a_missing_dimension(self):
        self.serve(["{name: r, key: [ip], limit: {quota: 1, per: 1h}, on_missing: deny}"])
        self.assertEqual([self.auth("?ip=X-Missing").status, self.auth("?ip=X-Missing", X_Missing="192.0.2.1").status, self.auth().status], [429, 200, 200])
        self.serve(["{name: r, match: {endpoint: /login}, key: [endpoint], limit: {quota: 0, per: 1h}}"])
        self.assertEqual(self.auth("?endpoint=X-Missing", X_Original_URI="/login").status, 200)

    def test_the_path_of_an_absolute_uri(self):
        self.serve([self.LOGIN])
        got = [self.auth(X_Original_URI=uri, X_Original_Method="POST").status for uri in ("http://h/login", "/login", "HTTPS://h:8/login?x", "http://h")]
        self.assertEqual(got, [200, 200, 429, 200])

    def test_headers_of_both_kinds_must_agree(self):
        self.serve([self.LOGIN])
        self.assertEqual(self.auth(X_Original_URI="/a", X_Forwarded_Uri="/b").status, 400)
        self.assertEqual(self.auth(X_Original_URI="/a", X_Forwarded_Uri="/a").status, 200)
        twice = self.raw(b"GET /v1/auth HTTP/1.1\r\nHost: w\r\nX-Original-URI: /a\r\nX-Original-URI: /b\r\n\r\n")
        self.assertTrue(twice.startswith(b"HTTP/1.1 400 "), twice)

    def test_dimensions_from_headers(self):
        self.serve(["{name: r, key: [account, device], limit: {quota: 1, per: 1h}}"])
        query = "?account=X-Account-Id&device=X-Device"
        self.assertEqual(self.auth(query, X_Account_Id="1", X_Device="a").status, 200)
        self.assertEqual(self.auth(query, x_account_id="1", x_device="a").status, 429)
        self.assertEqual(self.auth(query, X_Account_Id="2", X_Device="a").status, 200)
        self.assertEqual(self.auth(query, X_Account_Id="1").status, 200)  # skipped: no device
        for bad in ("?account=", "?account=X%20Y", "?deny=404", "?cost=-1", "?cost=x", "?status=200", "?%zz=1", "?=X",
                    "?a=X-A&a=X-B", "?account"):
            self.assertEqual(self.auth(bad).status, 400, bad)
        self.assertEqual(self.auth(query + "&cost=2", X_Account_Id="3", X_Device="a").status, 429)

    def test_b37_forwarded_for_can_not_be_spoofed(self):
        rules = ["{name: r, key: [ip], limit: {quota: 5, per: 1h}}"]
        self.serve(rules, top="trusted_proxies: [10.0.0.0/8, 127.0.0.0/8]")
        got = [self.auth(X_Forwarded_For=f"1.2.3.{n}, 203.0.113.9").status for n in range(100)]
        self.assertEqual(got, [200] * 5 + [429] * 95)
        self.assertEqual(self.auth(X_Forwarded_For="unknown, , 203.0.113.9:5566").status, 429)
        lines = b"GET /v1/auth HTTP/1.1\r\nHost: w\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.9, 10.0.0.5\r\nConnection: close\r\n\r\n"
        self.assertTrue(self.raw(lines).startswith(b"HTTP/1.1 429 "))

    def test_b37_an_untrusted_peer_is_the_client(self):
        self.serve(["{name: r, key: [ip], limit: {quota: 5, per: 1h}}"])
        got = [self.auth(X_Forwarded_For=f"1.2.3.{n}").status for n in range(10)]
        self.assertEqual(got, [200] * 5 + [429] * 5)


class SectionB(Case):
    """Policy, keys and headers: what went wrong for others."""

    def test_b31_zero_blocks(self):
        self.serve(["{name: r, key: [a], limit: {quota: 0, per: 1s}}"])
        answers = [self.check({"a": "x"}) for _ in range(3)]
        self.assertEqual([(a.status, a["retry_after"]) for a in answers], [(429, None)] * 3)
        self.assertNotIn("Retry-After", answers[0].headers)
        self.assertEqual(answers[0].headers["RateLimit"], '"r";r=0')

    def test_b32_bursts(self):
        self.serve(["{name: b, match: {e: b}, key: [], limit: {quota: 1, per: 1h, burst: 1}}",
                    "{name: q, match: {e: q}, key: [], limit: {algorithm: leaky_bucket, quota: 1, per: 1h, burst: 0}}"])
        self.assertEqual(self.statuses(2, {"e": "b"}), [200, 429])
        self.assertEqual(self.statuses(2, {"e": "q"}), [200, 429])

    def test_b33_missing_keys(self):
        rule = "{name: %s, match: {e: %s}, key: [account], limit: {quota: 1, per: 1h}, on_missing: %s}"
        self.serve([rule % (w, w, w) for w in ("skip", "shared", "deny")])
        for dimensions in ({}, {"account": ""}):
            self.assertEqual(self.statuses(3, {"e": "skip", **dimensions}), [200] * 3)
            denied = self.check({"e": "deny", **dimensions})
            self.assertEqual((denied.status, denied["rule"], denied["retry_after"]), (429, "deny", None))
        self.assertEqual(self.check({"e": "shared"}).status, 200)
        self.assertEqual(self.check({"e": "shared", "account": ""}).status, 429)
        self.assertEqual(self.metric("weir_rule_missing_key_total", rule="skip", on_missing="skip"), 6)
        self.assertEqual(self.metric("weir_store_keys"), 1)

    def test_b34_long_keys_do_not_escape(self):
        self.serve(["{name: r, key: [a], limit: {quota: 1, per: 1h}}"])
        long = "k" * 66000
        self.assertEqual(self.statuses(3, {"a": long}), [200, 429, 429])
        self.assertEqual(self.statuses(2, {"a": "k" * 65535 + "x"}), [200, 429])
        self.assertEqual(self.statuses(2, {"a": "k" * 65535 + "y"}), [200, 429])

    def test_b38_one_account_spelled_many_ways(self):
        self.serve(["{name: r, key: [account], limit: {quota: 5, per: 1h}}"], top="normalize: {account: [trim, casefold, nfkc]}")
        spelled = ["admin@x.org", " admin@x.org", "ADMIN@x.org", "\tadmin@x.org", "admin@x.org\n", "ａdmin@x.org"]
        self.assertEqual([self.check({"account": one}).status for one in spelled], [200] * 5 + [429])
        self.assertEqual(self.check({"account": "admin@x.org\0x"}).status, 200)

    def test_b42_all_rules_or_none(self):
        self.serve(["{name: user, key: [user], limit: {quota: 30, per: 1h}}",
                    "{name: endpoint, match: {e: x}, key: [e], limit: {quota: 5, per: 1h}}"])
        self.assertEqual(self.statuses(10, {"user": "u", "e": "x"}), [200] * 5 + [429] * 5)
        self.assertEqual(self.check({"user": "u"}, cost=0)["remaining"], 25)

    def test_b43_parent_and_child(self):
        self.serve(["{name: client, key: [client], limit: {quota: 10, per: 1h}}",
                    "{name: svc1, match: {svc: svc1}, key: [client], limit: {quota: 2, per: 1h}}"])
        self.assertEqual(self.statuses(10, {"client": "c", "svc": "svc1"}).count(200), 2)
        self.assertEqual(self.statuses(10, {"client": "c", "svc": "svc4"}).count(200), 8)

    def test_b44_and_b45_costs_beyond_the_rest(self):
        self.serve(["{name: r, key: [a], limit: {quota: 10, per: 1h}}",
                    "{name: large, match: {e: large}, key: [e], limit: {quota: 4294967295, per: 1h}}"])
        self.assertEqual(self.check({"a": "x"}, cost=8)["remaining"], 2)
        over = self.check({"a": "x"}, cost=5)
        self.assertEqual((over.status, over["remaining"]), (429, 2))
        self.assertEqual(self.check({"a": "x"}, cost=2)["remaining"], 0)
        self.assertEqual((self.check({"a": "x"}, peek=True).status, self.check({"a": "x"}, cost=0).status), (429, 200))
        self.assertEqual(self.statuses(2, {"e": "large"}, cost=4294967295), [200, 429])

    def test_b46_and_b47_bad_policies_are_refused_with_their_place(self):
        good = "domain: d\nrules:\n  - name: r\n    key: []\n    limit: {quota: 1, per: 1m}\n"
        for bad, said in ((good + "  - name: r\n    key: []\n    limit: {quota: 1, per: 1m}\n", "policy.yaml:6"),
                          (good.replace("per: 1m", "perod: 1m"), 'did you mean "per"?'), (good.replace("quota: 1", "quota: -5"), "policy.yaml:5"),
                          (good.replace("quota: 1", "quota: 1e3"), "policy.yaml:5"), (good.replace("key: []", "\tkey: []"), "policy.yaml:4")):
            path = self.file("policy.yaml", bad)
            done = subprocess.run([WEIR, "serve", "--policy", path, "--http", "127.0.0.1:0"], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1, bad)
            self.assertIn(said, done.stderr)

    def test_b48_precedence(self):
        self.serve(["{name: r, key: [], limit: {quota: 1, per: 1h}, overrides: [{match: {f: 'files/*'}, limit: {quota: 2, per: 1h}}, "
                    "{match: {f: 'files/a*'}, limit: {quota: 3, per: 1h}}, {match: {f: files/abc}, limit: {quota: 4, per: 1h}}]}",
                    "{name: office, match: {who: office}, unlimited: true}"])
        limits = [self.check({"f": f}, peek=True)["limit"] for f in ("x", "files/x", "files/ax", "files/abc")]
        self.assertEqual(limits, [1, 2, 3, 4])
        self.assertEqual(self.statuses(5, {"f": "x", "who": "office"}), [200] * 5)

    def test_b53_denied_requests_cost_nothing_unless_told(self):
        self.serve(["{name: free, match: {e: free}, key: [], limit: {quota: 10, per: 10m}}",
                    "{name: dear, match: {e: dear}, key: [], limit: {quota: 10, per: 10m}, charge_denied: true}"])
        waits = {}
        for name in ("free", "dear"):
            self.assertEqual(self.statuses(14, {"e": name}), [200] * 10 + [429] * 4)
            waits[name] = self.check({"e": name})["retry_after"]
        self.assertTrue(50 < waits["free"] <= 60, waits)
        self.assertTrue(290 < waits["dear"] <= 360, waits)

    def test_b54_a_race_for_the_last_ones(self):
        self.serve(["{name: r, key: [a], limit: {quota: 5, per: 1h}}", "{name: all, key: [], limit: {algorithm: fixed_window, quota: 1000000, per: 365d}}"])
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            for turn in range(3):
                got = list(pool.map(lambda _: self.check({"a": str(turn)}).status, range(100)))
                self.assertEqual(got.count(200), 5)
                self.assertEqual(got.count(429), 95)
        self.assertEqual(self.check({}, cost=0)["remaining"], 1000000 - 15)

    def test_b55_reload_keeps_what_was_used(self):
        rule = "{name: r, key: [], limit: {quota: %d, per: %s}}"
        server = self.serve([rule % (100, "1d")])
        self.assertEqual(self.check({}, cost=70)["remaining"], 30)
        for turn, (quota, per, left) in enumerate(((100, "1d", 30), (200, "1d", 130), (50, "1d", 0), (100, "2d", 100)), 1):
            self.policy([rule % (quota, per)])
            server.send(signal.SIGHUP)
            server.wait_for("reloaded", turn)
            self.assertEqual(self.check({}, cost=0)["remaining"], left)
        self.assertEqual(self.metric("weir_policy_reloads_total", outcome="ok"), 4)

    def test_b46_a_bad_reload_changes_nothing_and_is_said_once(self):
        server = self.serve(["{name: r, key: [], limit: {quota: 5, per: 1h}}"])
        self.check({})
        self.file("policy.yaml", "domain: d\nrules:\n  - name: r\n    perod: 5\n")
        server.wait_for("was not reloaded.*policy.yaml:4")  # the watch finds it
        self.assertEqual(self.check({}, cost=0)["remaining"], 4)
        self.policy(["{name: r, key: [], limit: {quota: 7, per: 1h}}"])
        server.wait_for("reloaded .*changed the limits of r")
        self.assertEqual(self.check({}, cost=0)["remaining"], 6)
        self.assertEqual(len([line for line in server.lines if "was not reloaded" in line]), 1)
        self.assertEqual(self.metric("weir_policy_reloads_total", outcome="failed"), 1)

    def test_b56_a_flood_wins_nobody_a_fresh_bucket(self):
        self.serve(["{name: r, key: [a], limit: {quota: 1, per: 1d}, on_full: allow}"], "--max-keys", "10000")
        self.assertEqual(self.statuses(2, {"a": "attacker"}), [200, 429])
        for start in range(0, 11000, 1000):
            self.ask("POST", "/v1/check", json.dumps([request({"a": str(n)}) for n in range(start, start + 1000)]))
        self.assertEqual(self.check({"a": "attacker"}).status, 429)
        self.assertLessEqual(self.metric("weir_store_keys"), 10000)
        self.assertGreater(self.metric("weir_store_full_total"), 0)
        self.assertIsNotNone(self.metric("weir_store_evictions_total"))


class Door(Case):
    RULE = ["{name: r, key: [a], limit: {quota: 1000, per: 1h}}"]

    def test_pages(self):
        self.serve(self.RULE)
        self.assertEqual(self.ask("GET", "/healthz").body, b"ok\n")
        self.assertEqual(self.ask("GET", "/readyz").status, 200)
        self.assertEqual(self.ask("HEAD", "/healthz").headers["Content-Length"], "3")
        self.assertEqual(self.ask("GET", "/metrics").headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        missing = self.ask("GET", "/v2/check")
        self.assertEqual((missing.status, missing.headers["Content-Type"]), (404, "application/problem+json"))
        for method, path, allowed in (("GET", "/v1/check", "POST"), ("POST", "/metrics", "GET, HEAD"), ("DELETE", "/healthz", "GET, HEAD")):
            answer = self.ask(method, path)
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, allowed))
        for path in ("/healthz?x=1", "/metrics?x"):
            self.assertEqual(self.ask("GET", path).status, 400)
        for query in ("?status=201", "?statsu=200", "?status=200&status=200"):
            self.assertEqual(self.check({}, query).status, 400)

    def test_any_content_type_is_json(self):
        self.serve(self.RULE)
        body = json.dumps(request({"a": "x"}))
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
            self.assertEqual(self.ask("POST", "/v1/check", body, {"Content-Type": kind}).status, 200)

    def test_what_arrives_together_is_answered_together_and_in_order(self):
        self.serve(["{name: r, key: [a], limit: {quota: 50, per: 1h}}"])
        body = json.dumps(request({"a": "x"})).encode()
        one = b"POST /v1/check HTTP/1.1\r\nHost: w\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        said = self.raw(one * 60 + b"GET /healthz HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n")
        got = re.findall(rb"HTTP/1\.1 (\d+)", said)
        self.assertEqual(got, [b"200"] * 50 + [b"429"] * 10 + [b"200"])
        left = [int(n) for n in re.findall(rb'"remaining":(\d+)', said)]
        self.assertEqual(left, list(range(49, -1, -1)) + [0] * 10)

    def test_sizes_are_bounded(self):
        self.serve(self.RULE)
        large = self.ask("POST", "/v1/check", b" " * (2**20 + 1))
        self.assertEqual(large.status, 413)
        self.assertEqual(self.ask("GET", "/" + "a" * 20000).status, 414)
        self.assertEqual(self.ask("GET", "/healthz", headers={"X": "a" * 20000}).status, 431)
        self.assertEqual(self.check({str(n): "x" for n in range(65)}).status, 400)
        self.assertEqual(self.check({"a": "x" * (2**20 - 100)}).status, 200)

    def test_smuggling_is_refused(self):
        self.serve(self.RULE)
        for fields in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n",
                       b"Transfer-Encoding: xchunked\r\n", b"X: a\r\n b\r\n", b"X : a\r\n", b"Host: other\r\n"):
            said = self.raw(b"POST /v1/check HTTP/1.1\r\nHost: w\r\n" + fields + b"\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: w\r\n\r\n")
            self.assertRegex(said, rb"^HTTP/1\.1 (400|501) ", fields)
            self.assertEqual(len(re.findall(rb"HTTP/1\.1 \d", said)), 1, fields)
            self.assertIn(b"Connection: close", said)

    def test_slow_clients_are_let_go(self):
        self.serve(self.RULE, "--request-timeout", "1s", "--idle-timeout", "1s")
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as slow, \
                socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as idle:
            slow.sendall(b"POST /v1/check HTTP/1.1\r\nHost: w\r\n")
            self.assertRegex(slow.recv(4096), rb"^HTTP/1\.1 408 ")
            self.assertEqual(idle.recv(4096), b"")
        self.assertEqual(self.metric("weir_http_timeouts_total"), 2)

    def test_empty_lines_win_no_time(self):
        self.serve(self.RULE, "--idle-timeout", "1s")
        with socket.create_connection(("127.0.0.1", self.server.port), 0.1) as idle:
            began = time.monotonic()
            with self.assertRaises(OSError):
                while time.monotonic() - began < PATIENCE:
                    idle.sendall(b"\r\n")
                    try:
                        if not idle.recv(1):
                            raise ConnectionError
                    except TimeoutError:
                        pass
        self.assertEqual(self.metric("weir_http_timeouts_total"), 1)

    def test_a_client_that_does_not_read_stops_being_read(self):
        self.serve(self.RULE, "--write-timeout", "1s", "--max-pending", "64K")
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(PATIENCE)
            deaf.connect(("127.0.0.1", self.server.port))
            with self.assertRaises(OSError):
                while True:
                    deaf.sendall(b"GET /metrics HTTP/1.1\r\nHost: w\r\n\r\n" * 100)
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_a_client_that_reads_slowly_is_not_let_go(self):
        """Of what the system holds for it, it takes a little each time, and so the server can't write for long."""
        server = self.serve(self.RULE, "--write-timeout", "2s", "--max-pending", "8M")
        count = 2000
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.settimeout(PATIENCE)
            slow.connect(("127.0.0.1", server.port))
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: w\r\n\r\n" * count)
            slow.shutdown(socket.SHUT_WR)
            self.assertTrue(slow.recv(1))
            began = time.monotonic()
            while time.monotonic() - began < 6:  # longer than the timeout is and its look takes
                self.assertTrue(slow.recv(8192))
                time.sleep(0.05)
        self.assertEqual(self.metric("weir_http_timeouts_total"), 0)

    def test_one_connection_too_many(self):
        self.serve(self.RULE, "--max-connections", "2")
        held = [socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) for _ in range(2)]
        for connection in held:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\n")
            self.assertIn(b"200 OK", connection.recv(4096))
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as third:
            self.assertRegex(third.recv(4096), rb"^HTTP/1\.1 503 ")
        held[0].sendall(b"GET /metrics HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n")
        said = b""
        while block := held[0].recv(65536):
            said += block
        self.assertIn(b"\nweir_http_connections_refused_total 1\n", said)
        self.assertIn(b'weir_http_requests_total{path="other",code="503"} 1\n', said)
        for connection in held:
            connection.close()

    def test_without_descriptors_it_waits_and_goes_on(self):
        server = self.serve(self.RULE)
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        _, _, used = server.usage()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 2, hard))
        held = [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(4)]
        server.wait_for("no more file descriptors")
        for connection in held:
            connection.close()
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_e78_metrics_do_not_grow_with_keys(self):
        self.serve(self.RULE, "--max-keys", "2000000")

        def lines():
            return len(self.ask("GET", "/metrics").body.splitlines())

        self.check({"a": "first"})
        lines()
        before = lines()
        for start in range(0, 1000000, 1000):
            self.ask("POST", "/v1/check", json.dumps([request({"a": f"key-{n}"}) for n in range(start, start + 1000)]))
        self.assertEqual(lines(), before)
        self.assertNotIn(b"key-", self.ask("GET", "/metrics").body)
        self.assertEqual(self.metric("weir_decisions_total", rule="r", outcome="allowed"), 1000001)
        self.assertEqual(self.metric("weir_checks_total"), 1000001)


class Running(Case):
    RULE = ["{name: r, key: [a], limit: {quota: 1000000, per: 1h}}"]

    def run_serve(self, *args, env=None):
        return subprocess.run([WEIR, "serve", *map(str, args)], capture_output=True, text=True, timeout=PATIENCE, env=environment(env))

    def test_ends_when_asked_and_finishes_what_is_in_flight(self):
        server = self.serve(self.RULE)
        body = json.dumps(request({"a": "x"})).encode()
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as busy, \
                socket.create_connection(("127.0.0.1", server.port), PATIENCE) as ready, \
                socket.create_connection(("127.0.0.1", server.port), PATIENCE) as idle:
            busy.sendall(b"POST /v1/check HTTP/1.1\r\nHost: w\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertRegex(busy.recv(4096), rb"^HTTP/1\.1 100 ")
            ready.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\nGET /readyz HTTP/1.1\r\n")
            self.assertIn(b"200 OK", ready.recv(4096))
            server.send(signal.SIGTERM)
            self.assertEqual(idle.recv(4096), b"")  # closed, for it asked nothing
            ready.sendall(b"Host: w\r\n\r\n")
            self.assertRegex(ready.recv(4096), rb"^HTTP/1\.1 503 ")
            busy.sendall(body)
            said = busy.recv(4096)
            self.assertRegex(said, rb"^HTTP/1\.1 200 ")
            self.assertIn(b"Connection: close", said)
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_what_was_sent_before_the_end_is_answered(self):
        """Requests that lie unread in sockets, and those of connections that are not accepted yet."""
        server = self.serve(self.RULE)
        body = json.dumps(request({"a": "x"})).encode()
        one = b"POST /v1/check HTTP/1.1\r\nHost: w\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        address = ("127.0.0.1", server.port)
        known = [socket.create_connection(address, PATIENCE) for _ in range(20)]
        for connection in known:
            connection.sendall(one)
            self.assertRegex(connection.recv(4096), rb"^HTTP/1\.1 200 ")
        server.send(signal.SIGSTOP)
        waiting = [socket.create_connection(address, PATIENCE) for _ in range(20)]
        for connection in known + waiting:
            connection.sendall(one)
        server.send(signal.SIGTERM)
        server.send(signal.SIGCONT)
        for connection in known + waiting:
            with connection:
                said = b""
                while block := connection.recv(4096):
                    said += block
                self.assertRegex(said, rb"^HTTP/1\.1 200 ")
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_all_of_a_pipeline_that_was_sent_before_the_end_is_answered(self):
        server = self.serve(self.RULE)
        body = json.dumps(request({"a": "x"})).encode()
        one = b"POST /v1/check HTTP/1.1\r\nHost: w\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
            connection.sendall(one)
            self.assertRegex(connection.recv(4096), rb"^HTTP/1\.1 200 ")
            server.send(signal.SIGSTOP)
            connection.sendall(one * 300)
            server.send(signal.SIGTERM)
            server.send(signal.SIGCONT)
            said = b""
            while block := connection.recv(65536):
                said += block
        self.assertEqual(said.count(b"HTTP/1.1 200 "), 300)
        # None where all were answered before the signal was taken.
        self.assertIn(said.count(b"Connection: close"), (0, 1))
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_a_policy_folder_is_not_read_without_what_one_of_its_links_leads_to(self):
        folder = self.folder / "policies"
        folder.mkdir()
        (folder / "a.yaml").write_text("domain: d\nrules:\n  - {name: r1, key: [a], limit: {quota: 2, per: 1h}}\n")
        target = self.folder / "target"
        target.write_text("domain: d\nrules:\n  - {name: r2, key: [b], limit: {quota: 2, per: 1h}}\n")
        (folder / "b.yaml").symlink_to(target)
        self.server = WeirServer("--policy", folder)
        self.addCleanup(self.server.stop, signal.SIGKILL)
        target.unlink()
        self.server.wait_for("was not reloaded.*b.yaml: there is no such file")
        self.assertEqual(self.check({"b": "x"}, peek=True)["limit"], 2)

    def test_a_full_store_says_one_thing(self):
        self.serve(["{name: r, key: [k], limit: {quota: 2, per: 1h}}"], "--max-keys", "1")
        self.check({"k": "one"})
        for peek in (False, True):
            said = self.check({"k": "two"}, peek=peek)
            self.assertEqual(said.status, 429)
            self.assertAlmostEqual(said["retry_after"], 1800, delta=60)
            self.assertEqual(said["reset_after"], said["retry_after"])
            self.assertEqual(said.headers["RateLimit"], '"r";r=0;t=%s' % said.headers["Retry-After"])

    def test_a_reload_that_is_asked_for_at_the_end_ends_nothing(self):
        server = self.serve(self.RULE, "--drain", "1h")
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as busy, \
                socket.create_connection(("127.0.0.1", server.port), PATIENCE) as idle:
            busy.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\nGET /healthz ")
            self.assertIn(b"200 OK", busy.recv(4096))
            server.send(signal.SIGTERM)
            self.assertEqual(idle.recv(4096), b"")
            server.send(signal.SIGHUP)
            busy.sendall(b"HTTP/1.1\r\nHost: w\r\n\r\n")
            self.assertRegex(busy.recv(4096), rb"^HTTP/1\.1 200 ")
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_times_can_be_as_long_as_there_are(self):
        self.serve(self.RULE, *(part for name in ("idle-timeout", "request-timeout", "write-timeout", "drain") for part in (f"--{name}", "2562047h")))
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as held, \
                socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as stuck:
            stuck.sendall(b"GET /healthz ")
            held.settimeout(3)  # seconds; deadlines are looked at each second
            with self.assertRaises(TimeoutError):
                held.recv(1)
            self.server.send(signal.SIGTERM)
            self.assertEqual(held.recv(1), b"")
            stuck.sendall(b"HTTP/1.1\r\nHost: w\r\n\r\n")
            self.assertRegex(stuck.recv(4096), rb"^HTTP/1\.1 200 ")
        self.assertEqual(self.server.process.wait(PATIENCE), 0)

    def test_does_not_wait_for_ever(self):
        server = self.serve(self.RULE, "--drain", "200ms")
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as stuck:
            stuck.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\nGET ")
            self.assertIn(b"200 OK", stuck.recv(4096))
            server.send(signal.SIGINT)
            self.assertEqual(server.process.wait(PATIENCE), 0)
            server.wait_for("closing 1 connection that did not finish in 200ms")

    def test_a_second_signal_ends_it_at_once(self):
        server = self.serve(self.RULE, "--drain", "1h")
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as stuck, \
                socket.create_connection(("127.0.0.1", server.port), PATIENCE) as idle:
            stuck.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\nGET ")
            self.assertIn(b"200 OK", stuck.recv(4096))
            server.send(signal.SIGTERM)
            self.assertEqual(idle.recv(4096), b"")  # it has begun to end
            server.send(signal.SIGTERM)
            self.assertEqual(server.process.wait(PATIENCE), -signal.SIGTERM)

    def test_a_link_that_is_turned_is_a_change(self):
        """As Kubernetes swaps a ConfigMap."""
        rule = "domain: d\nrules:\n  - {name: r, key: [], limit: {quota: %d, per: 1h}}\n"
        for version, quota in (("v1", 5), ("v2", 9)):
            (self.folder / version).mkdir()
            (self.folder / version / "policy.yaml").write_text(rule % quota)
        (self.folder / "..data").symlink_to("v1")
        (self.folder / "policy.yaml").symlink_to("..data/policy.yaml")
        self.server = WeirServer("--policy", self.folder / "policy.yaml")
        self.addCleanup(self.server.stop, signal.SIGKILL)
        self.assertEqual(self.check({}, cost=0)["limit"], 5)
        (self.folder / "..next").symlink_to("v2")
        (self.folder / "..next").rename(self.folder / "..data")
        self.server.wait_for("reloaded")
        self.assertEqual(self.check({}, cost=0)["limit"], 9)

    def test_a_table_that_changes_is_a_change_of_the_policy(self):
        table = self.file("plans.csv", "account,plan\nmira,free\n")
        rule = "{name: r, key: [account], limit: {quota: 1, per: 1h}, overrides: [{match: {plan: paid}, limit: {quota: 2, per: 1h}}]}"
        server = self.serve([rule], top="lookup: {plan: {from: account, file: plans.csv}}")
        self.assertEqual(self.check({"account": "mira"}, peek=True)["limit"], 1)
        table.write_text("account,plan\nmira,paid\n")
        server.wait_for("reloaded .*no limit changed")
        self.assertEqual(self.check({"account": "mira"}, peek=True)["limit"], 2)

    def test_a_reload_that_failed_is_tried_again(self):
        """A table that comes later, and no descriptors for a while; both are said once."""
        rule = "{name: r, key: [account], limit: {quota: %d, per: 1h}}"
        server = self.serve([rule % 1])
        self.policy([rule % 2], top="lookup: {plan: {from: account, file: plans.csv}}")
        server.wait_for("was not reloaded.*plans.csv.*no such file")
        self.file("plans.csv", "account,plan\nmira,free\n")
        server.wait_for("reloaded .*changed the limits of r")
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as held:
            held.sendall(b"GET /healthz HTTP/1.1\r\nHost: w\r\n\r\n")
            self.assertIn(b"200 OK", held.recv(4096))
            _, _, used = server.usage()
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, hard))
            self.policy([rule % 3])
            server.wait_for("was not reloaded.*no more file descriptors")
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
        server.wait_for("reloaded .*changed the limits of r", 2)
        self.assertEqual(len([line for line in server.lines if "was not reloaded" in line]), 2, server.lines)
        self.assertEqual(self.check({"account": "mira"}, peek=True)["limit"], 3)

    def test_a_pipe_is_no_policy(self):
        server = self.serve(self.RULE)
        path = self.folder / "policy.yaml"
        path.unlink()
        os.mkfifo(path)
        server.wait_for("was not reloaded.*neither a file nor a folder")
        self.assertEqual(server.stop(), 0)
        done = self.run_serve("--policy", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither a file nor a folder", done.stderr)

    def test_a_pipe_is_no_table(self):
        table = self.file("plans.csv", "a,plan\nmira,free\n")
        server = self.serve(self.RULE, top="lookup: {plan: {from: a, file: plans.csv}}")
        table.unlink()
        os.mkfifo(table)
        server.send(signal.SIGHUP)
        server.wait_for("was not reloaded.*plans.csv: a table has to be a file")
        self.assertEqual(server.stop(), 0)

    def test_flag_then_environment_then_file(self):
        config = self.file("weir.conf", "# what we serve\npolicy = %s\nthreads = 3\nheaders = none  # none\nhttp = '127.0.0.1:0'\n"
                           % self.policy(self.RULE))
        self.server = WeirServer("--config", config, "--threads", "1", http=None, env={"WEIR_HEADERS": "legacy", "WEIR_THREADS": "2"})
        self.addCleanup(self.server.stop, signal.SIGKILL)
        self.server.wait_for("1 thread")
        self.assertIn("X-RateLimit-Limit", self.check({"a": "x"}).headers)

    def test_settings_are_checked(self):
        policy = self.policy(self.RULE)
        config = self.file("weir.conf", "threads = 2\nmax-kesy = 5\n")
        cases = (((), {}, "no policy to serve"), (("--policy", policy, "--http", ""), {}, "not an address and a port"),
                 (("--policy", policy), {"WEIR_CONFIG": str(config)}, 'weir.conf:2: unknown setting "max-kesy"'), (("--policy", policy, "--http", "0.0.0.0:0"), {}, "--insecure"),
                 (("--policy", policy, "--http", ":8080"), {}, "127.0.0.1:8080"), (("--policy", policy, "--http", "[::]:0"), {}, "--insecure"),
                 (("--policy", policy), {"WEIR_MAX_MEMORY": "lots"}, 'WEIR_MAX_MEMORY "lots"'),
                 (("--policy", policy, "--threads", "0"), {}, '--threads "0"'), (("--policy", policy, "--drain", "10"), {}, "--drain"),
                 (("--policy", policy, "--headers", "legcy"), {}, 'did you mean "legacy"?'), (("--policy", "-"), {}, "has to be a file"),
                 (("--policy", policy, "--config", config), {}, 'weir.conf:2: unknown setting "max-kesy"; did you mean "max-keys"?'),
                 (("--policy", policy), {"WEIR_INSECURE": "perhaps"}, "write true or false"))
        for args, env, said in cases:
            done = self.run_serve(*args, env=env)
            self.assertEqual(done.returncode, 2, (args, done.stderr))
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_variable_that_is_no_setting_is_told(self):
        done = self.run_serve(env={"WEIR_POLICI": "x"})
        self.assertEqual(done.returncode, 2)
        self.assertIn('weir: the environment has WEIR_POLICI, which is no setting; did you mean "WEIR_POLICY"?\n', done.stderr)

    def test_a_port_that_is_taken(self):
        server = self.serve(self.RULE)
        done = self.run_serve("--policy", self.folder / "policy.yaml", "--http", f"127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"^weir: can't listen on 127\.0\.0\.1:{server.port}: another program does already.*\n$")

    def test_other_addresses(self):
        self.serve(self.RULE, "--insecure", http="0.0.0.0:0")
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_the_example_that_is_promised(self):
        self.server = WeirServer("--policy", ROOT / "examples" / "game.yaml")
        self.addCleanup(self.server.stop, signal.SIGKILL)
        got = [self.check({"account": "42", "endpoint": "chat.send"}) for _ in range(11)]
        self.assertEqual([one.status for one in got], [200] * 10 + [429])
        for header in ("Retry-After", "RateLimit", "RateLimit-Policy"):
            self.assertIn(header, got[10].headers)


if __name__ == "__main__":
    unittest.main()
