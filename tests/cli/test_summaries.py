"""Summaries: the right figures on real logs and small inputs, the same on any number of threads."""

import collections
import json
import math
import signal
import subprocess
import time
import unittest

from weir_cli import BINARY, PATIENCE, ROOT, Case, combined, counts, fionread, shared, status_of, weir

EXAMPLE = ROOT / "examples" / "access.log"
STAMP = "17/May/2015:10:05:{:02d} +0000"


def truth(path):
    """The addresses and sizes of a combined log, by another program. A line without its closing quote is none."""
    ips, sizes = [], []
    for line in path.read_text(errors="replace").splitlines():
        parts = line.split('"')
        if len(parts) < 7:
            continue
        ips.append(line.split(" ", 1)[0].rstrip(","))
        sizes.append(parts[2].split()[1])
    return ips, sizes


def nearest_rank(values, q):
    return sorted(values)[max(1, math.ceil(q * len(values) - 1e-9)) - 1]


class RealLog(Case):
    def test_distinct(self):
        answer = weir("distinct", "ip", "--json", shared("access.log")).json()
        self.assertEqual(list(answer), ["estimate", "low", "high", "confidence", "method", "records"])
        self.assertLessEqual(answer["low"], 1753)
        self.assertGreaterEqual(answer["high"], 1753)
        self.assertEqual(answer["records"], 9999)

    def test_top(self):
        log = shared("access.log")
        ips, _ = truth(log)
        true = sorted(collections.Counter(ips).items(), key=lambda item: (-item[1], item[0].encode()))[:10]
        rows = weir("top", "-k", "10", "ip", "--json", log).json()
        self.assertEqual(counts(rows), true)
        self.assertEqual({row["error"] for row in rows}, {0})

    def test_quantiles(self):
        answer = weir("quantiles", "bytes", "-q", "0.5,0.9,0.99", "--json", shared("access.log")).json()
        self.assertEqual((answer["count"], answer["bad"]), (9330, 669))
        for row, true in zip(answer["quantiles"], (12292, 65748, 1199558)):
            self.assertLessEqual(row["low"], true)
            self.assertGreaterEqual(row["high"], true)

    def test_a_sample_is_the_same_on_every_run(self):
        log = shared("access.log")
        first = weir("sample", "-k", "100", "--seed", "7", log).out
        lines = log.read_text().splitlines()
        where = [lines.index(line) for line in first.splitlines()]
        self.assertEqual(len(where), 100)
        self.assertEqual(where, sorted(where))
        for threads in (1, 2, 7):
            self.assertEqual(weir("sample", "-k", "100", "--seed", "7", "--threads", threads, log).out, first)
        self.assertEqual(weir("sample", "-k", "100", "--seed", "7", stdin=log.read_bytes()).out, first)
        self.assertNotEqual(weir("sample", "-k", "100", "--seed", "8", log).out, first)


class Example(Case):
    """The same figures on the log that is a part of the project."""

    def test_the_figures(self):
        ips, sizes = truth(EXAMPLE)
        numbers = [int(size) for size in sizes if size != "-"]
        distinct = weir("distinct", "ip", "--json", EXAMPLE).json()
        self.assertEqual((distinct["estimate"], distinct["method"]), (len(set(ips)), "exact"))
        true = sorted(collections.Counter(ips).items(), key=lambda item: (-item[1], item[0].encode()))[:10]
        self.assertEqual(counts(weir("top", "ip", "--json", EXAMPLE).json()), true)
        stats = weir("stats", "bytes", "--json", EXAMPLE).json()
        self.assertEqual(list(stats), ["count", "bad", "sum", "mean", "stddev", "min", "max"])
        self.assertEqual(stats["count"], len(numbers))
        self.assertEqual((stats["sum"], stats["min"], stats["max"]), (sum(numbers), min(numbers), max(numbers)))
        self.assertAlmostEqual(stats["mean"], sum(numbers) / len(numbers))
        for row in weir("quantiles", "bytes", "-q", "0,0.1,0.5,0.999,1", "--json", EXAMPLE).json()["quantiles"]:
            true = nearest_rank(numbers, row["q"])
            self.assertTrue(row["low"] <= true <= row["high"], row)

    def test_any_number_of_threads_gives_the_same(self):
        for command in (
            ("distinct", "path"), ("distinct", "ip,path"), ("top", "path"), ("quantiles", "bytes"), ("stats", "bytes"),
            ("sample", "-k", "50", "--where", "status=200"), ("sample", "-k", "50", "--weight", "bytes"),
            ("top", "path", "--by", "method"), ("stats", "bytes", "--every", "1h"), ("rate", "--every", "1m"), ("summarize",),
        ):  # fmt: skip
            with self.subTest(command=command):
                answers = {weir(*command, "--json", "--threads", n, EXAMPLE).out for n in (1, 2, 5)}
                answers.add(weir(*command, "--json", "--threads", "3", EXAMPLE).out)
                self.assertEqual(len(answers), 1)

    def test_malformed_lines_are_named_by_their_place(self):
        for threads in (1, 4):
            done = weir("top", "ip", "--threads", threads, EXAMPLE)
            self.assertIn(f"2 of 17,375 records are malformed and skipped; the first is {EXAMPLE}:661:", done.err)

    def test_one_log_in_several_files_and_compressed(self):
        whole = weir("top", "path", "--json", EXAMPLE).json()
        lines = EXAMPLE.read_text().splitlines(keepends=True)
        a, b = self.file("a.log", "".join(lines[:9000])), self.gz("b.log.gz", "".join(lines[9000:]))
        self.assertEqual(weir("top", "path", "--json", a, b).json(), whole)
        c = self.file("c.log", "".join(lines[9000:]))
        self.assertEqual(weir("top", "path", "--json", a, c).json(), whole)
        with open(EXAMPLE, "rb") as file:
            done = subprocess.run([BINARY, "top", "path", "--json"], stdin=file, capture_output=True, timeout=PATIENCE)
        self.assertEqual(json.loads(done.stdout), whole)

    def test_rate(self):
        answer = weir("rate", "--every", "1m", "--json", EXAMPLE).json()
        self.assertEqual((answer["every"], answer["records"], answer["late"], answer["untimed"]), (60, 17373, 0, 0))
        self.assertEqual(sum(window["count"] for window in answer["windows"]), 17373)
        times = [window["time"] for window in answer["windows"]]
        self.assertEqual(times, sorted(set(times)))
        peak = max(answer["windows"], key=lambda window: window["count"])
        self.assertEqual((answer["peak"]["time"], answer["peak"]["count"]), (peak["time"], peak["count"]))
        self.assertEqual(answer["peak"]["by"], "ip")
        self.assertLessEqual(answer["peak"]["top"][0]["count"], peak["count"])

    def test_summarize(self):
        page = weir("summarize", "--json", EXAMPLE).json()
        self.assertEqual((page["format"], page["records"], page["malformed"], page["summarized"]), ("combined", 17375, 2, 17373))
        fields = {field["field"]: field for field in page["fields"]}
        self.assertEqual(fields["ip"]["distinct"], weir("distinct", "ip", "--json", EXAMPLE).json())
        self.assertEqual(fields["bytes"]["stats"]["sum"], weir("stats", "bytes", "--json", EXAMPLE).json()["sum"])
        self.assertIsNone(fields["ip"]["stats"])
        self.assertEqual(len(page["sample"]), 3)
        text = weir("summarize", EXAMPLE).out
        self.assertIn("17,373 records (combined), 2 malformed", text)


class Small(Case):
    def lines(self, *args, stdin):
        done = weir(*args, "--format", "lines", "--json", stdin=stdin)
        self.assertEqual(done.code, 0, done.err)
        return done.json()

    def test_f91_a_flat_stream_says_its_error(self):
        rows = self.lines("top", "-k", "3", "line", stdin="\n".join("X X Y Z A B C X X A A A 1 2 3 4 5 6".split()))
        self.assertEqual(rows[:2], [{"value": "A", "count": 4, "error": 0}, {"value": "X", "count": 4, "error": 0}])
        # More values than there are counters: the bounds hold for every one.
        stream = [f"v{i % 40_000}" for i in range(200_000)] + ["often"] * 500
        for row in self.lines("top", "-k", "50", "line", stdin="\n".join(stream)):
            true = 500 if row["value"] == "often" else 5
            self.assertTrue(row["count"] - row["error"] <= true <= row["count"], row)
        self.assertEqual(self.lines("top", "-k", "1", "line", stdin="\n".join(stream))[0]["value"], "often")

    def test_f93_ties_go_by_bytes(self):
        words = [word for word in ("b", "a", "é", "c", "Z") for _ in range(5)]
        for order in (words, words[::-1], sorted(words)):
            self.assertEqual(
                [row["value"] for row in self.lines("top", "line", stdin="\n".join(order))], ["Z", "a", "b", "c", "é"]
            )

    def test_f94_quantiles_of_one_of_none_and_beyond(self):
        one = weir("quantiles", "line", "-q", "0,0.3,1", "--format", "lines", "--json", stdin="123\n").json()
        self.assertEqual(
            one["quantiles"], [{"q": q, "value": 123, "low": 123, "high": 123} for q in (0, 0.3, 1)]
        )
        done = weir("quantiles", "line", "-q", "0.5", "--format", "lines", "--json", stdin="")
        self.assertEqual(done.code, 0)
        self.assertEqual(
            done.json(),
            {"count": 0, "bad": 0, "min": None, "max": None, "quantiles": [{"q": 0.5, "value": None, "low": None, "high": None}]},
        )
        self.assertIn("no data", weir("quantiles", "line", "--format", "lines", stdin="").out)
        for q in ("-1", "10", "NaN", "", "0.5,", "x", "0.5,2"):
            self.assertEqual(weir("quantiles", "line", f"-q={q}", stdin="1\n").code, 2, q)

    def test_f96_samples(self):
        four = "a\nb\nc\nb\n"
        self.assertEqual(weir("sample", "-k", "0", stdin=four).out, "")
        self.assertEqual(weir("sample", "-k", "9", stdin=four).out, four)
        drawn = collections.Counter()
        for seed in range(400):
            drawn[weir("sample", "-k", "1", "--seed", seed, stdin="a\nb\nc\nd\n").out] += 1
        self.assertEqual(sum(drawn.values()), 400)
        # 100 each, with a deviation of 8.7; five of them to each side.
        for letter in "abcd":
            self.assertTrue(56 <= drawn[letter + "\n"] <= 144, drawn)

    def test_a_weighted_sample_takes_the_heavy_and_no_bad_ones(self):
        log = "name,w\n" + "".join(f"n{i},1\n" for i in range(50)) + "heavy,1000000\nbad,-\nnone,0\n"
        done = weir("sample", "-k", "5", "--weight", "w", "--format", "csv", stdin=log)
        self.assertIn("heavy,1000000", done.out.splitlines())
        self.assertEqual(len(done.out.splitlines()), 5)
        self.assertIn("2 records have no number above 0", done.err)

    def test_stats_of_known_numbers(self):
        answer = self.lines("stats", "line", stdin="2\n4\n4\n4\n5\n5\n7\n9\n-\nabc\n1e999\nnan\n")
        self.assertEqual(
            answer, {"count": 8, "bad": 4, "sum": 40, "mean": 5, "stddev": 2, "min": 2, "max": 9}
        )
        self.assertEqual(
            self.lines("stats", "line", stdin=""),
            {"count": 0, "bad": 0, "sum": 0, "mean": None, "stddev": None, "min": None, "max": None},
        )

    def test_top_by_weight(self):
        log = "name,n\na,5\nb,7\na,4\nc,x\n"
        done = weir("top", "name", "--weight", "n", "--format", "csv", "--json", stdin=log)
        self.assertEqual(counts(done.json()), [("a", 9), ("b", 7)])
        self.assertIn("1 records have no whole number", done.err)

    def test_distinct_of_several_fields_keeps_them_apart(self):
        log = "a,b\nx,y_z\nx_y,z\nx,y_z\n"
        self.assertEqual(weir("distinct", "a,b", "--format", "csv", "--json", stdin=log).json()["estimate"], 2)

    def test_distinct_is_within_its_bounds_beyond_the_exact(self):
        for count in (3000, 20_000, 300_000):
            answer = self.lines("distinct", "line", stdin="\n".join(map(str, range(count))))
            self.assertTrue(answer["low"] <= count <= answer["high"], answer)
            self.assertLess(answer["high"] - answer["low"], 0.03 * count + 1)

    def test_g98_line_ends(self):
        self.assertEqual(counts(self.lines("top", stdin="a\r\nb\na\r\na")), [("a", 3), ("b", 1)])
        path = self.file("crlf.log", "a\r\nb\na\r\na")
        self.assertEqual(counts(weir("top", "--format", "lines", "--json", path).json()), [("a", 3), ("b", 1)])

    def test_g99_nul_long_lines_and_bytes_that_are_no_text(self):
        log = b"a\0b\na\n\x99\xff\n\x99\xff\n" + b"x" * (3 << 20) + b"\na\n"
        for threads in (1, 4):
            path = self.file("hostile.log", log)
            done = weir("top", "--format", "lines", "--json", "--max-line", "1M", "--threads", threads, path)
            self.assertEqual(counts(done.json()), [("a", 2), ("\ufffd\ufffd", 2), ("a\0b", 1)])
            self.assertIn("(1 longer than --max-line)", done.err)
        self.assertEqual(len(self.lines("top", stdin=log)), 4)

    def test_lines_longer_than_a_part_are_read_once(self):
        lines = [chr(97 + i % 26) * (700_000 if i % 3 == 0 else 10) for i in range(12)]
        path = self.file("long.log", "\n".join(lines))
        for threads in (1, 2, 6):
            done = weir("distinct", "line", "--format", "lines", "--json", "--threads", threads, path)
            self.assertEqual((done.json()["estimate"], done.json()["records"]), (12, 12))

    def test_g103_a_repeated_message_counts_each_time(self):
        log = (
            "Mar 27 13:06:56 host sshd[1]: Invalid user a from 192.0.2.1\n"
            "Mar 27 13:06:57 host sshd[1]: message repeated 5 times: [ Invalid user a from 192.0.2.1]\n"
        )
        done = weir("top", "ip", "--format", "syslog", "--json", stdin=log)
        self.assertEqual(counts(done.json()), [("192.0.2.1", 6)])

    def test_g106_empty_input(self):
        for text in ("", "\n\n \n"):
            for command in (("top", "ip"), ("distinct", "ip"), ("stats", "bytes"), ("rate",), ("summarize",), ("sample",)):
                done = weir(*command, "--format", "combined", "--json", stdin=text)
                self.assertEqual(done.code, 0, done.err)
                done.json()
        self.assertEqual(weir("top", "ip", "--format", "combined", stdin="bad\nlines\n").code, 1)


class GroupsAndWindows(Case):
    def test_by(self):
        log = "m,n\nG,1\nP,10\nG,3\n,5\n"
        answer = weir("stats", "n", "--by", "m", "--format", "csv", "--json", stdin=log).json()
        self.assertEqual((answer["by"], answer["other"]), ("m", None))
        self.assertEqual([(g["group"], g["records"], g["summary"]["sum"]) for g in answer["groups"]], [("G", 2, 4), ("", 1, 5), ("P", 1, 10)])

    def test_what_is_beyond_max_groups_is_other_and_said(self):
        log = "".join(f"{i % 5}\n" for i in range(20))
        done = weir("distinct", "line", "--by", "line", "--max-groups", "2", "--format", "lines", "--json", stdin=log)
        answer = done.json()
        self.assertEqual([g["group"] for g in answer["groups"]], ["0", "1"])
        self.assertEqual((answer["other"]["records"], answer["other"]["summary"]["estimate"]), (12, 3))
        self.assertIn("12 records are of values beyond the first 2", done.err)
        self.assertIn("(other)", weir("distinct", "line", "--by", "line", "--max-groups", "2", "--format", "lines", stdin=log).out)

    def test_windows_are_aligned_and_files_sorted(self):
        log = "time,n\n" + "".join(f"{t},{n}\n" for t, n in [(119, 1), (61, 2), (0, 4), (59.9, 8), (600, 16), (120, 32)])
        path = self.file("log.csv", log)
        answer = weir("stats", "n", "--every", "1m", "--json", path).json()
        self.assertEqual((answer["every"], answer["late"], answer["untimed"]), (60, 0, 0))
        self.assertEqual(
            [(w["time"][11:16], w["summary"]["sum"]) for w in answer["windows"]],
            [("00:00", 12), ("00:01", 3), ("00:02", 32), ("00:10", 16)],
        )

    def test_late_records_of_a_pipe_are_counted(self):
        log = "time,n\n0,1\n1000,2\n2000,16\n1,4\n1001,8\n"
        done = weir("stats", "n", "--every", "1m", "--lateness", "10s", "--format", "csv", "--json", stdin=log)
        self.assertEqual((done.json()["late"], len(done.json()["windows"])), (1, 3))
        self.assertIn("1 records came too late for their windows and are left out: up to 1999s behind, and --lateness is 10s", done.err)
        self.assertIn("named as a file", done.err)
        # The same log as a file, in whatever order.
        done = weir("stats", "n", "--every", "1m", "--lateness", "10s", "--json", self.file("log.csv", log))
        self.assertEqual(done.json()["late"], 0)
        self.assertNotIn("late", done.err)
        done = weir("stats", "n", "--every", "1m", "--lateness", "1h", "--format", "csv", "--json", stdin=log)
        self.assertEqual(done.json()["late"], 0)

    def test_when_the_4_mb_are_full_a_larger_lateness_is_not_asked_for(self):
        filler = "x" * 1000
        log = "time,n,filler\n" + "".join(f"{t},1,{filler}\n" for t in [*range(100_000, 108_000), 100_000])
        done = weir("top", "filler", "--every", "1m", "--lateness", "24h", "--format", "csv", "--json", stdin=log)
        self.assertEqual(done.json()["late"], 1)
        self.assertIn("more came within --lateness than the 4 MB hold", done.err)

    def test_warnings_are_told_once_each_and_only_so_many(self):
        log = "time,m,n\n" + "".join(f"{60 * w},a,x\n" * (w + 1) for w in range(40))
        for divided in (("--every", "1m"), ("--by", "time")):
            done = weir("top", "m", "--weight", "n", *divided, "--format", "csv", stdin=log)
            warnings = [line for line in done.err.splitlines() if "warning" in line]
            self.assertEqual(len(warnings), 11)
            self.assertIn("and 30 more like these", warnings[-1])
        same = "time,m,n\n" + "".join(f"{60 * w},a,x\n" for w in range(40))
        done = weir("top", "m", "--weight", "n", "--every", "1m", "--format", "csv", stdin=same)
        self.assertEqual(done.err.count("warning"), 1)

    def test_lines_of_groups_come_in_the_order_of_the_input(self):
        log = "m,n\nb,1\na,2\nb,3\na,4\na,5\n"
        self.assertEqual(weir("sample", "--by", "m", "--format", "csv", stdin=log).out, log[4:])
        answer = weir("sample", "--by", "m", "--format", "csv", "--json", stdin=log).json()
        self.assertEqual([g["summary"] for g in answer["groups"]], [["a,2", "a,4", "a,5"], ["b,1", "b,3"]])

    def test_a_log_without_times_has_no_windows(self):
        done = weir("rate", "--format", "lines", stdin="a\n")
        self.assertEqual(done.code, 1)
        self.assertIn("has no times", done.err)

    def test_windows_of_groups_as_a_table(self):
        done = weir("top", "path", "-k", "1", "--by", "method", "--every", "6h", EXAMPLE)
        head = done.out.splitlines()[0].split()
        self.assertEqual(head, ["time", "method", "count", "error", "path"])


class Saturated(Case):
    """More different values than there are counters."""

    FLAT = "\n".join(map(str, range(200_000)))

    def test_top_says_so(self):
        done = weir("top", "line", "--format", "lines", "--json", stdin=self.FLAT)
        self.assertIn("more different values came than the 24,576 that are counted at once", done.err)
        for row in done.json():
            self.assertTrue(row["count"] - row["error"] <= 1 <= row["count"], row)
        # Where all that is listed is surely heavier, there is nothing to warn of.
        clear = self.FLAT + "\n" + "often\n" * 5000
        self.assertNotIn("warning", weir("top", "-k", "1", "line", "--format", "lines", stdin=clear).err)
        self.assertNotIn("warning", weir("top", "line", "--format", "lines", stdin="a\nb\n").err)

    def test_show_says_so(self):
        path = self.folder / "flat.weir"
        weir("top", "line", "--format", "lines", "--save", path, stdin=self.FLAT)
        shown = weir("show", "--json", path).json()
        self.assertEqual(list(shown)[4:], ["total", "max_error", "guaranteed_above", "saturated", "top"])
        self.assertEqual((shown["total"], shown["saturated"]), (200_000, False))
        self.assertTrue(1 <= shown["max_error"] == shown["guaranteed_above"])
        self.assertIn("guaranteed_above", weir("show", path).out)
        weir("top", "n", "--weight", "n", "--format", "csv", "--save", path, stdin=f"n\n{2**63}\n{2**63}\n")
        self.assertTrue(weir("show", "--json", path).json()["saturated"])

    def test_distinct_is_at_most_the_records(self):
        seen = set()
        for seed in range(40):
            stdin = "\n".join(map(str, range(4000)))
            answer = weir("distinct", "line", "--seed", seed, "--format", "lines", "--json", stdin=stdin).json()
            self.assertTrue(answer["low"] <= answer["estimate"] <= answer["high"] == answer["records"] == 4000, answer)
            seen.add(answer["estimate"])
            self.assertEqual(answer["method"], "ultraloglog")
        self.assertIn(4000, seen)
        self.assertGreater(len(seen), 1)


class Manners(Case):
    def test_which_word_is_the_field(self):
        log = self.file("a.log", "x\ny\nx\n")
        # The only word, with a slash, and a file.
        self.assertEqual(counts(weir("top", "--format", "lines", "--json", log).json()), [("x", 2), ("y", 1)])
        # Before another file it is a field, and so it is where it must be one.
        done = weir("top", "--format", "combined", log, log)
        self.assertEqual(done.code, 2)
        self.assertIn("has no field", done.err)
        for command in ("stats", "quantiles"):
            done = weir(command, log)
            self.assertEqual((done.code, done.err.count("\n")), (2, 1))
            self.assertIn("FIELD is missing", done.err)
        dotted = '{"user.name":"a"}\n'
        self.file("user.name", dotted)
        done = weir("top", "user.name", "-", "--format", "json", "--json", stdin='{"user":{"name":"n"}}', cwd=self.folder)
        self.assertEqual(counts(done.json()), [("n", 1)])
        for command in ("top", "distinct"):
            self.assertIn("is a file is the log", " ".join(weir(command, "--help").out.split()))

    def test_summarize_says_which_fields_it_leaves_out(self):
        def log(count):
            return json.dumps({"time": 1, "request": "r"} | {f"f{i}": i for i in range(count)}) + "\n"

        done = weir("summarize", "--format", "json", "--json", stdin=log(24))
        self.assertEqual((len(done.json()["fields"]), done.err), (24, ""))
        done = weir("summarize", "--format", "json", "--json", stdin=log(27))
        self.assertEqual(len(done.json()["fields"]), 24)
        self.assertIn("there is room for 24 fields; left out are f24, f25, f26; --field FIELD chooses", done.err)
        named = [word for i in range(27) for word in ("--field", f"f{i}")]
        done = weir("summarize", *named, "--format", "json", stdin=log(27))
        self.assertEqual((done.code, done.err.count("\n")), (2, 1))
        self.assertIn("27 fields are named, and there is room for 24", done.err)
        done = weir("summarize", "--field", "f26", "--field", "request", "--field", "f26", "--format", "json", "--json", stdin=log(27))
        self.assertEqual([field["field"] for field in done.json()["fields"]], ["f26", "request"])

    def test_g104_a_reader_that_leaves_is_no_error(self):
        for reader in ("head -1", "true"):
            done = subprocess.run(
                ["bash", "-c", f'"$0" sample -k 100000 --format combined "$1" "$1" "$1" | {reader}; exit "${{PIPESTATUS[0]}}"', BINARY, EXAMPLE],
                capture_output=True, timeout=PATIENCE,
            )  # fmt: skip
            self.assertIn(done.returncode, (0, 141))
            self.assertEqual(done.stderr, b"")

    def test_the_only_word_may_be_the_file(self):
        self.assertEqual(weir("top", "--json", EXAMPLE).json(), weir("top", "ip", "--json", EXAMPLE).json())

    def test_g105_a_signal_still_gives_the_summary(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            run = self.start("top", "ip", "--format", "combined", "--json", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            run.stdin.write((combined("192.0.2.1", STAMP.format(1)) * 3).encode())
            run.stdin.flush()
            # It has read all when it waits for more: the pipe is empty then.
            deadline = time.monotonic() + PATIENCE
            while fionread(run.stdin.fileno()) > 0 and time.monotonic() < deadline:
                time.sleep(0.005)
            run.send_signal(number)
            out, err = run.communicate(timeout=PATIENCE)
            self.assertEqual(run.returncode, code, err)
            self.assertEqual(counts(json.loads(out)), [("192.0.2.1", 3)])

    def test_one_sentence_per_mistake(self):
        for args, sentence in [
            (("top", "ip", "-k", "x"), "-k"),
            (("stats",), "FIELD"),
            (("top", "ip", "--every", "1x"), "--every"),
            (("top", "ip", "--seed", "-1"), "--seed"),
            (("top", "ip", "--max-groups", "5"), "--max-groups"),
            (("top", "ip", "--save", "x", "--by", "ip"), "--save"),
            (("distinct", "ip,,path"), "a name is empty"),
            (("top", "ip", "--save-as", "spark", "x"), "--save-as"),
            (("merge", "a"), "output"),
        ]:
            with self.subTest(args=args):
                done = weir(*args)
                self.assertEqual((done.code, done.out), (2, ""))
                self.assertIn(sentence, done.err)
        done = weir("top", "pth", "--format", "combined", stdin="")
        self.assertEqual(done.code, 2)
        self.assertIn('did you mean "path"?', done.err)

    def test_the_memory_stays_small(self):
        big = self.folder / "big.log"
        with open(big, "wb") as out:
            for _ in range(20):
                out.write(EXAMPLE.read_bytes())
        for command in (("top", "path"), ("distinct", "ip,path"), ("quantiles", "bytes"), ("sample",), ("rate",), ("summarize",)):
            run = self.start(*command, "--json", big, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            peak = 0
            while run.poll() is None:
                peak = max(peak, self.peak_kilobytes(run.pid))
            self.assertEqual(run.returncode, 0)
            self.assertGreater(peak, 0)
            self.assertLess(peak, 20_000, command)

    def test_a_sample_of_long_lines_is_held_once(self):
        megabytes = 4
        path = self.file("long.log", b"".join(bytes([97 + i]) * (megabytes << 20) + b"\n" for i in range(20)))
        run = self.start("sample", "--format", "lines", path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        # It stands still with the first line, as nobody reads on, and has made all that it prints by then.
        first = run.stdout.read(1)
        peak = self.peak_kilobytes(run.pid)
        rest, _ = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 0)
        self.assertTrue(first + rest == path.read_bytes())
        self.assertLess(peak, (20 * megabytes + 2 * megabytes + 20) << 10)

    @staticmethod
    def peak_kilobytes(pid):
        """The most that was resident until now; what getrusage says begins with what its parent had."""
        try:
            return int(status_of(pid).get("VmHWM", "0 kB").split()[0])
        except OSError:
            return 0


if __name__ == "__main__":
    unittest.main()
