"""The manners of the command line: input of every kind, exit codes, signals, closed pipes, bad flags."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time
import unittest

from weir_cli import BINARY, PATIENCE, Case, combined, fionread, status_of, weir

STAMP = "17/May/2015:10:05:03 +0000"
TRY = ("replay", "--try", "algorithm=sliding_log,quota=2,per=1m")


class Input(Case):
    def report(self, *args, **more):
        done = weir(*TRY, "--json", *args, **more)
        self.assertEqual(done.code, 0, done.err)
        return done.json()[0]

    def test_g98_line_ends(self):
        one = combined("192.0.2.1", STAMP)
        crlf = one.replace("\n", "\r\n")
        for text in (one * 3, crlf * 3, crlf + one + crlf, (one * 3)[:-1]):
            report = self.report("--format", "combined", stdin=text)
            self.assertEqual((report["records"], report["malformed"]), (3, 0))
        report = self.report("--key", "account", "--format", "csv", stdin="time,account\r\n1,a\r\n2,a\r\n3,a")
        self.assertEqual(report["top_denied"], [{"rule": "try", "key": "a", "denied": 1}])

    def test_g99_nul_and_long_lines_and_bytes_that_are_no_text(self):
        log = b"time,account\n1,a\0b\n2,a\n3,\x99\xff\n4,\x99\xff\n5,\x99\xff\n6," + b"x" * (10 << 20) + b"\n7,a\n"
        report = self.report("--key", "account", "--format", "csv", "--max-line", "1M", stdin=log)
        self.assertEqual((report["records"], report["malformed"], report["too_long"]), (7, 1, 1))
        self.assertEqual(report["rules"][0]["keys"], 3)
        self.assertEqual(report["top_denied"], [{"rule": "try", "key": "\ufffd\ufffd", "denied": 1}])
        whole = self.report("--key", "account", "--format", "csv", stdin=log)
        self.assertEqual((whole["records"], whole["malformed"]), (7, 0))

    def test_g100_escapes_and_binary_requests(self):
        lines = [
            combined("192.0.2.1", STAMP, r"\x16\x03\x01\x00", 400),
            combined("192.0.2.1", STAMP, "", 400),
            combined("192.0.2.1", STAMP, "HELP", 400),
            combined("192.0.2.1", STAMP, agent=r"q\x22uo\x5Cte\x01\xFF"),
            combined("192.0.2.1", STAMP, agent=r"says \"hello\""),
        ]
        report = self.report("--format", "combined", stdin="".join(lines))
        self.assertEqual((report["records"], report["malformed"], report["requests"]), (5, 0, 5))
        self.assertEqual(report["rules"][0]["keys"], 1)

    def test_g101_a_pipe_warns_when_its_buffer_was_too_short(self):
        log = "time,ip\n" + "".join(f"{t},192.0.2.1\n" for t in (0, 1000, 1020, 1, 1021, 2))
        done = weir(*TRY, "--json", "--lateness", "10s", "--format", "csv", stdin=log)
        self.assertEqual(done.json()[0]["late"], 2)
        self.assertIn("weir: warning: 2 records came later than the buffer of --lateness 10s", done.err)
        wait = done.err.split("use --lateness ")[1].split(" ")[0]
        again = weir(*TRY, "--json", "--lateness", wait, "--format", "csv", stdin=log)
        self.assertEqual((again.json()[0]["late"], again.err), (0, ""))
        as_file = weir(*TRY, "--json", "--lateness", "10s", self.file("log.csv", log), "--format", "csv")
        self.assertEqual(as_file.json()[0]["late"], 0)
        self.assertEqual(as_file.json()[0]["rules"], again.json()[0]["rules"])

    def test_the_lateness_that_a_pipe_advises_is_enough(self):
        log = "time,ip\n0,a\n500,a\n100000,a\n499,a\n"
        done = weir(*TRY, "--json", "--lateness", "10s", "--format", "csv", stdin=log)
        self.assertEqual((done.json()[0]["late"], done.json()[0]["worst_lateness"]), (1, 99501))
        wait = done.err.split("use --lateness ")[1].split(" ")[0]
        again = weir(*TRY, "--json", "--lateness", wait, "--format", "csv", stdin=log)
        self.assertEqual((again.json()[0]["late"], again.err), (0, ""))

    def test_g103_a_repeated_message_is_charged_each_time(self):
        line = "Mar 27 13:06:5{} host sshd[1]: {}Failed password for root from 192.0.2.1 port 22 ssh2{}\n"
        log = line.format(0, "", "") + line.format(1, "message repeated 5 times: [ ", "]")
        report = self.report("--format", "syslog", "--year", "2015", stdin=log)
        self.assertEqual((report["records"], report["requests"]), (6, 6))
        self.assertEqual((report["admitted"], report["denied"]), (2, 4))
        self.assertEqual(report["span"]["from"], "2015-03-27T13:06:50Z")
        lines = weir("replay", "--policy", self.policy("quota: 2, per: 1h"), "--decisions", "--format", "syslog",
                     stdin=log).lines()
        self.assertEqual([line["allowed"] for line in lines], [True] * 2 + [False] * 4)

    def test_g106_empty_input(self):
        for text in ("", "\n \n\r\n"):
            for arguments in (TRY, ("replay", "--suggest"), ("replay", "--policy", self.policy("quota: 1, per: 1s"))):
                done = weir(*arguments, "--json", stdin=text)
                self.assertEqual(done.code, 0, done.err)
                report = done.json()[0] if arguments is TRY else done.json()
                self.assertEqual((report["records"], report["span"]["from"]), (0, None))
                self.assertEqual(weir(*arguments, stdin=text).code, 0)
        done = weir(*TRY, "--json", "--format", "json", stdin="nonsense\n")
        self.assertEqual((done.code, done.json()[0]["malformed"]), (1, 1))
        self.assertIn("none of 1 record could be read as json", done.err)
        self.assertEqual(weir(*TRY, stdin="nonsense\n").code, 1)

    def test_compressed_and_many_files(self):
        one = combined("192.0.2.1", STAMP)
        plain = self.file("a.log", one)
        paths = [plain, self.gz("b.log.gz", one), plain]
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", str(plain), "-o", str(self.folder / "c.zst")], check=True)
            paths.append(self.folder / "c.zst")
        report = self.report(*paths)
        self.assertEqual((report["records"], report["admitted"]), (len(paths), 2))
        packed = paths[1].read_bytes()
        self.assertEqual(self.report("-", stdin=packed)["records"], 1)
        self.assertEqual(self.report(*[plain] * 200)["records"], 200)
        damaged = self.file("d.gz", packed[: len(packed) // 2])
        done = weir(*TRY, "--json", plain, damaged)
        self.assertEqual((done.code, done.json()[0]["records"] >= 1), (1, True))
        self.assertIn("d.gz", done.err)

    def test_a_log_without_times_is_refused(self):
        for arguments in (("--format", "lines"), ("--format", "regex:(?P<ip>.*)")):
            done = weir(*TRY, *arguments, stdin="one\ntwo\n")
            self.assertEqual((done.code, done.out), (1, ""))
            self.assertIn("has no times", done.err)

    def test_bad_costs_are_malformed(self):
        log = '{"time":1,"ip":"a","cost":-1}\n{"time":1,"ip":"a","cost":1.5}\n{"time":1,"ip":"a","cost":2}\n'
        report = self.report("--format", "json", stdin=log)
        self.assertEqual((report["records"], report["malformed"], report["admitted"]), (3, 2, 1))
        self.assertEqual(report["malformed_example"]["where"], "record 1")

    def test_the_first_malformed_of_both_kinds_is_shown(self):
        cost, broken = '{"time":1,"ip":"a","cost":-1}\n', "{nonsense\n"
        for log, text in ((cost + broken, cost), (broken + cost, broken)):
            report = self.report("--format", "json", stdin=log + '{"time":1,"ip":"a"}\n')
            self.assertEqual((report["malformed"], report["malformed_example"]["text"]), (2, text.rstrip()))

    def test_keys_can_not_steer_the_terminal(self):
        log = '{"time":1,"ip":"\\u001b[2J"}\n' * 3
        done = weir(*TRY, "--format", "json", stdin=log)
        self.assertIn("\\x1b[2J", done.out)
        self.assertNotIn("\x1b", done.out + done.err)

    def test_a_full_store_is_told(self):
        log = "time,ip\n" + "".join(f"1,10.0.{i // 250}.{i % 250}\n" for i in range(5000))
        done = weir("replay", "--try", "quota=5,per=1h", "--max-keys", "100", "--json", "--format", "csv", stdin=log)
        report = done.json()[0]
        self.assertGreater(report["rules"][0]["full"], 0)
        self.assertIn("no room for the buckets of", done.err)


class Manners(Case):
    def big(self):
        return self.file("big.log", combined("192.0.2.1", STAMP) * 50000)

    def test_g104_a_reader_that_leaves_is_no_error(self):
        policy = self.policy("quota: 2, per: 1s")
        command = f"{BINARY} replay --policy {policy} --decisions --format combined {self.big()}"
        for reader in ("head -1", "true"):
            done = subprocess.run(
                ["bash", "-c", f"{command} | {reader}; exit ${{PIPESTATUS[0]}}"], capture_output=True, timeout=PATIENCE
            )
            self.assertIn(done.returncode, (0, 141))
            self.assertEqual(done.stderr, b"")
        # The same where the parent has SIGPIPE ignored, as some service managers do.
        ignoring = subprocess.run(
            ["bash", "-c", f"trap '' PIPE; {command} | true; exit ${{PIPESTATUS[0]}}"],
            capture_output=True,
            timeout=PATIENCE,
        )
        self.assertIn(ignoring.returncode, (0, 141))
        self.assertEqual(ignoring.stderr, b"")

    def test_a_full_disk_is_an_error(self):
        for command in (f"{TRY[0]} {TRY[1]} {TRY[2]} --format combined {self.big()}", "version", "--help",
                        f"policy check {self.policy('quota: 1, per: 1s')}"):
            for target, why in (("/dev/full", "No space left"), ("&-", "Bad file descriptor")):
                done = subprocess.run(["bash", "-c", f"{BINARY} {command} >{target}"], capture_output=True)
                self.assertEqual(done.returncode, 1, command)
                self.assertIn(b"standard output: can't be written: " + why.encode(), done.stderr)

    def test_closed_standard_input(self):
        done = subprocess.run(["bash", "-c", f"{BINARY} {' '.join(TRY)} <&-"], capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard input", done.stderr)

    def wait_until_reading(self, process):
        """Fills the pipe until the binary has taken what was written, so that it now waits for more."""
        chunk = combined("192.0.2.1", STAMP).encode() * 100
        process.stdin.write(chunk)
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        path = f"/proc/{process.pid}/wchan"
        while time.monotonic() < deadline:
            pending = fionread(process.stdin.fileno())
            if pending == 0 and asleep(process.pid):
                return
            select.select([], [], [], 0.01)
        self.fail(f"nobody reads the pipe: {path}")

    def test_g105_a_signal_still_gives_the_report(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start(*TRY, "--json", "--format", "combined", stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.wait_until_reading(process)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), code)
            out = process.stdout.read()
            self.assertIn(b'"records":100,', out)
            self.assertIn(b'"denied":98,', out)

    def test_a_signal_while_a_named_pipe_has_no_writer(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        process = self.start(*TRY, fifo, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            # Caught signals are set before the pipe is opened.
            if int(status_of(process.pid)["SigCgt"], 16) & (1 << (signal.SIGINT - 1)) and asleep(process.pid):
                break
            select.select([], [], [], 0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))

    def test_decisions_are_seen_when_they_are_made(self):
        process = self.start("replay", "--policy", self.policy("quota: 2, per: 1s"), "--decisions", "--format", "csv",
                             "--lateness", "1ms", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b"time,ip\n1,a\n2,a\n")
        process.stdin.flush()
        self.assertTrue(select.select([process.stdout], [], [], PATIENCE)[0])
        self.assertIn(b'{"time":1,', os.read(process.stdout.fileno(), 4096))
        self.assertIsNone(process.poll())

    def test_g105_a_second_signal_quits_at_once(self):
        # Nobody reads the decisions, so that the binary hangs in write() when the first signal comes.
        policy = self.policy("quota: 2, per: 1s")
        process = self.start("replay", "--policy", policy, "--decisions", "--format", "combined", self.big(),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(select.select([process.stdout], [], [], PATIENCE)[0])
        deadline = time.monotonic() + PATIENCE
        while not asleep(process.pid) and time.monotonic() < deadline:
            select.select([], [], [], 0.01)
        process.send_signal(signal.SIGINT)
        while not caught(process.pid, signal.SIGINT) and time.monotonic() < deadline:
            select.select([], [], [], 0.01)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 143)

    def test_progress_is_for_terminals(self):
        leader, follower = pty.openpty()
        try:
            process = self.start(*TRY, "--format", "combined", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=follower)
            os.close(follower)
            chunk = combined("192.0.2.1", STAMP).encode() * 4096
            seen = b""
            deadline = time.monotonic() + PATIENCE
            while b"records/s" not in seen and time.monotonic() < deadline:
                process.stdin.write(chunk)
                while select.select([leader], [], [], 0)[0]:
                    seen += os.read(leader, 4096)
            self.assertIn(b"records/s", seen)
            process.stdin.close()
            process.stdout.read()
            while True:
                try:
                    piece = os.read(leader, 4096)
                except OSError:  # nobody holds the terminal any more
                    break
                if not piece:
                    break
                seen += piece
            self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-100:])
        finally:
            os.close(leader)
        self.assertEqual(weir(*TRY, "--format", "combined", self.big()).err, "")

    def test_auto_says_what_it_chose(self):
        done = weir(*TRY, "--json", stdin=combined("192.0.2.1", STAMP) * 3)
        self.assertEqual(done.err, "weir: standard input is read as combined\n")
        named = weir(*TRY, "--json", "--format", "combined", stdin=combined("192.0.2.1", STAMP))
        self.assertEqual(named.err, "")


def asleep(pid):
    return status_of(pid)["State"].startswith("S")


def caught(pid, number):
    """Whether the signal has been taken, so that the next one is a second."""
    pending = int(status_of(pid)["ShdPnd"], 16) | int(status_of(pid)["SigPnd"], 16)
    return not pending & (1 << (number - 1)) and asleep(pid)


class Usage(Case):
    def refused(self, *args, says):
        done = weir(*args, stdin="")
        self.assertEqual((done.code, done.out), (2, ""), args)
        self.assertEqual(done.err.count("\n"), 1, done.err)
        self.assertIn(says, done.err)

    def test_a_policy_may_come_through_standard_input(self):
        policy = self.policy("quota: 1, per: 1s")
        text = policy.read_text()
        self.assertEqual(weir("policy", "check", "-", stdin=text).out, "standard input: ok, 1 rule\n")
        self.assertEqual(weir("policy", "explain", "-", "ip=a", stdin=text).out, weir("policy", "explain", policy, "ip=a").out)
        log = self.file("log.csv", "time,ip\n0,a\n0,a\n")
        arguments = ("--json", "--format", "csv", log)
        self.assertEqual(weir("replay", "--policy", "-", *arguments, stdin=text).json()["denied"], 1)
        bad = weir("policy", "check", "-", stdin="domain: [")
        self.assertEqual(bad.code, 1)
        self.assertIn("standard input:", bad.out)
        self.refused("replay", "--policy", "-", says="can't be both the --policy and the log")

    def test_one_sentence_per_mistake(self):
        self.refused(*TRY, "--max-memory", "87", says='--max-memory "87": room for no table; the least is 88 bytes')
        self.refused(*TRY, "--max-keys", "0", says='--max-keys "0": not a whole number from 1 on')
        self.refused("replay", says="nothing to replay against")
        self.refused("replay", "--try", "quota=1", says="no per given")
        self.refused("replay", "--try", "quota=1,per=1 minute", says='--try "quota=1,per=1 minute": per: "1 minute"')
        self.refused("replay", "--try", "algorithm=sliding_lag,quota=1,per=1s", says='did you mean "sliding_log"?')
        self.refused(*TRY, "--decisions", says="--decisions prints what a --policy decides")
        self.refused(*TRY, "--suggest", says="three different questions")
        self.refused(*TRY, "--touch", "1%", says="--touch is a part of --suggest")
        self.refused("replay", "--policy", "x.yaml", "--key", "ip", says="--key is for --try and --suggest")
        self.refused("replay", "--suggest", "--touch", "2", says='--touch: "2" is no share')
        self.refused(*TRY, "--lateness", "5x", says='--lateness: "5x" is not a duration')
        self.refused(*TRY, "--max-line", "0", says='--max-line "0": not a size')
        self.refused(*TRY, "--max-keys", "0", says='--max-keys "0"')
        self.refused(*TRY, "--top", "-1", says='--top "-1"')
        self.refused(*TRY, "--year", "20151", says='--year "20151"')
        self.refused(*TRY, "--key", "ip,", says="a name is empty")
        self.refused(*TRY, "--key", "ip,ip", says='"ip" is given twice')
        self.refused(*TRY, "--map", "ip", says="write dimension=field")
        self.refused(*TRY, "--map", "ip=a", "--map", "ip=b", says="mapped twice")
        self.refused(*TRY, "--map", "account=user", says='nothing asks for a dimension "account"')
        self.refused(*TRY, "--polcy", "x", says='unknown flag "--polcy"; did you mean "--policy"?')
        self.refused("replai", says='unknown command "replai"; did you mean "replay"?')
        self.refused("policy", "chek", says='unknown command "chek"; did you mean "check"?')
        self.refused("replay", "--policy", says="weir: replay: --policy needs a value")
        self.refused("replay", "--policy", "a", "--policy", "b", says="--policy is given more than once")
        self.refused(*TRY, "--json=5", says="--json takes no value")
        self.refused(*TRY, "--format", "nope", says='--format: unknown format "nope"')
        self.refused(*TRY, "--format", "regex:(", says='--format: the pattern "(" can\'t be used')
        self.refused("version", "x", says='unexpected argument "x"; weir version --help')
        self.refused(says="no command given")
        self.refused("policy", says="no command given")
        self.refused("policy", "check", says="FILE")
        self.refused("policy", "explain", self.policy("quota: 1, per: 1s"), "ip", says='"ip": write dimension=value')
        self.refused("policy", "explain", self.policy("quota: 1, per: 1s"), "ip=a", "--cost", "x", says='--cost "x"')

    def test_a_map_that_leads_nowhere(self):
        done = weir(*TRY, "--map", "ip=adress", "--format", "combined", stdin=combined("192.0.2.1", STAMP))
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("--map ip=adress: ", done.err)

    def test_what_fails_later_exits_with_1(self):
        for args, says in (
            ((*TRY, self.folder / "missing.log"), "missing.log"),
            ((*TRY, self.folder), "is a directory"),
            (("replay", "--policy", self.folder / "missing.yaml"), "missing.yaml"),
        ):
            done = weir(*args, stdin="")
            self.assertEqual((done.code, done.out), (1, ""), args)
            self.assertIn(says, done.err)

    def test_help_lists_what_there_is(self):
        done = weir("--help")
        self.assertEqual((done.code, done.err), (0, ""))
        listed = [line.split()[0] for line in done.out.split("Subcommands:\n")[1].splitlines() if line.strip()]
        summaries = ["stats", "sample", "distinct", "top", "quantiles", "rate", "summarize", "merge", "show"]
        self.assertEqual(listed, ["serve", "replay", *summaries, "policy", "version"])
        self.assertIn("--lateness", weir("replay", "--help").out)
        self.assertIn("weir replay [OPTIONS] [LOG...]", weir("replay", "--help").out)
        self.assertIn("explain", weir("policy", "--help").out)
        self.assertRegex(weir("version").out, r"^weir \d+\.\d+\.\d+\n$")
        self.assertEqual(weir("--version").out, weir("version").out)


class PolicyCommands(Case):
    def test_check(self):
        good = self.policy("quota: 5, per: 10s")
        self.assertEqual((weir("policy", "check", good).code, weir("policy", "check", good).out), (0, f"{good}: ok, 1 rule\n"))
        bad = self.file("bad.yaml", good.read_text().replace("per:", "perod:"))
        done = weir("policy", "check", good, bad)
        self.assertEqual(done.code, 1)
        self.assertIn(f"{good}: ok", done.out)
        self.assertIn('unknown field "perod"; did you mean "per"?', done.out + done.err)
        self.assertIn("bad.yaml:5:", done.out + done.err)

    def test_explain(self):
        policy = self.policy("quota: 15, per: 60s, burst: 15")
        done = weir("policy", "explain", policy, "ip=192.0.2.7", "--json")
        shown = done.json()
        self.assertEqual(shown["most"], {"second": 15, "minute": 29, "hour": 914, "day": 21614})
        self.assertEqual(shown["rules"][0]["key"], {"ip": "192.0.2.7"})
        self.assertEqual(shown["rules"][0]["if_denied"], {"status": 429, "retry_after": 4})
        self.assertEqual(shown["store"], {"lookups": 1, "buckets": 1, "words": 1})
        text = weir("policy", "explain", policy, "ip=192.0.2.7").out
        self.assertIn("29 in one minute", text)
        self.assertIn("429 with Retry-After: 4", text)
        over = weir("policy", "explain", policy, "ip=192.0.2.7", "--cost", "16", "--json").json()
        self.assertEqual((over["most"]["day"], over["rules"][0]["if_denied"]["retry_after"]), (0, None))
        free = weir("policy", "explain", policy, "ip=192.0.2.7", "--cost", "0", "--json").json()
        self.assertIsNone(free["rules"][0]["if_denied"])
        nobody = weir("policy", "explain", policy, "--json").json()
        self.assertEqual((nobody["most"], nobody["skipped"]), (None, [{"name": "r", "missing": ["ip"]}]))


if __name__ == "__main__":
    unittest.main()
