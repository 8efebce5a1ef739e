"""Summaries in files: saved, shown, merged, refused, and nothing destroyed."""

import gzip
import os
import signal
import subprocess
import time
import unittest

from weir_cli import BINARY, DATA, PATIENCE, ROOT, Case, fionread, status_of, weir

EXAMPLE = ROOT / "examples" / "access.log"
GOLDEN = DATA.parent / "golden"


def golden(name):
    path = GOLDEN / name
    if not path.exists():
        raise unittest.SkipTest(f"SKIPPED: there is no {path}")
    return path


def catches_interrupts(pid):
    return int(status_of(pid)["SigCgt"], 16) >> (signal.SIGINT - 1) & 1 == 1


class Files(Case):
    def save(self, name, command, text):
        path = self.folder / name
        done = weir(*command, "--format", "lines", "--save", path, "--json", stdin=text)
        self.assertEqual(done.code, 0, done.err)
        return path

    def halves(self, count=5000):
        numbers = [str(i * 7919 % 10007) for i in range(count)]
        return "\n".join(numbers[: count // 2]), "\n".join(numbers[count // 2 :])

    def test_what_is_merged_is_what_one_would_have_seen(self):
        first, second = self.halves()
        for command in (("distinct", "line"), ("top", "line"), ("quantiles", "line"), ("stats", "line")):
            with self.subTest(command=command):
                a, b = self.save("a.weir", command, first), self.save("b.weir", command, second)
                whole = self.save("whole.weir", command, first + "\n" + second)
                out = self.folder / "out.weir"
                self.assertEqual(weir("merge", a, b, "-o", out).code, 0)
                one, other = weir("show", "--json", out).json(), weir("show", "--json", whole).json()
                for key in one:
                    if isinstance(one[key], float):
                        self.assertAlmostEqual(one[key], other[key])
                    else:
                        self.assertEqual(one[key], other[key])
                if command[0] in ("distinct", "quantiles"):
                    self.assertEqual(out.read_bytes(), whole.read_bytes())

    def test_samples_merge(self):
        first, second = self.halves()
        a, b = self.save("a.weir", ("sample", "-k", "20"), first), self.save("b.weir", ("sample", "-k", "20"), second)
        out = self.folder / "out.weir"
        self.assertEqual(weir("merge", a, b, "-o", out).code, 0)
        shown = weir("show", "--json", out).json()
        self.assertEqual((shown["kind"], shown["records"], len(shown["sample"])), ("uniform sample of texts", 5000, 20))

    def test_samples_of_one_seed_draw_apart_and_merge_fairly(self):
        """The places that are kept of one log say nothing about those of another of the same length."""
        kept = []
        for name in ("first", "second"):
            lines = [f"{name} {i}" for i in range(20_000)]
            out = weir("sample", "-k", "2000", "--format", "lines", stdin="\n".join(lines)).out
            self.assertEqual(out, weir("sample", "-k", "2000", "--format", "lines", stdin="\n".join(lines)).out)
            kept.append({int(line.split()[1]) for line in out.splitlines()})
        # Of 2,000 and 2,000 in 20,000, 200 meet by chance, with a deviation of 13.
        self.assertTrue(130 < len(kept[0] & kept[1]) < 270, len(kept[0] & kept[1]))
        weights = []
        for name in ("first", "second"):
            log = "name,w\n" + "".join(f"{name} {i},{1 + i % 3}\n" for i in range(20_000))
            out = weir("sample", "-k", "2000", "--weight", "w", "--format", "csv", stdin=log).out
            weights.append({int(line.split()[1].split(",")[0]) for line in out.splitlines()})
        self.assertTrue(130 < len(weights[0] & weights[1]) < 300, len(weights[0] & weights[1]))

    def test_of_different_fields_is_refused_and_both_are_named(self):
        log = "ip,path,n,m\n" + "".join(f"192.0.2.{i % 9},/{i % 7},{i},{i * 2}\n" for i in range(1, 50))
        out = self.folder / "out.weir"
        for name, one, other, sentence in [
            ("distinct", ("distinct", "ip"), ("distinct", "path"), 'one is of "ip" and the other of "path"'),
            ("meet", ("distinct", "ip,path"), ("distinct", "path,ip"), 'one is of "ip", "path" and the other of "path", "ip"'),
            ("top", ("top", "ip"), ("top", "ip", "--weight", "n"), 'the other of "ip" weighted by "n"'),
            ("stats", ("stats", "n"), ("stats", "m"), 'one is of "n" and the other of "m"'),
            ("quantiles", ("quantiles", "n"), ("quantiles", "m"), 'one is of "n" and the other of "m"'),
            ("sample", ("sample", "--weight", "n"), ("sample", "--weight", "m"), 'one is of whole records weighted by "n" and the other'),
        ]:  # fmt: skip
            with self.subTest(name=name):
                paths = []
                for i, command in enumerate((one, other)):
                    paths.append(self.folder / f"{name}{i}.weir")
                    done = weir(*command, "--format", "csv", "--save", paths[-1], stdin=log)
                    self.assertEqual(done.code, 0, done.err)
                done = weir("merge", *paths, "-o", out)
                self.assertEqual((done.code, done.err.count("\n")), (1, 1))
                self.assertIn(sentence, done.err)
                self.assertFalse(out.exists())
                self.assertEqual(weir("merge", paths[0], paths[0], "-o", out).code, 0)
                out.unlink()
        shown = weir("show", "--json", self.folder / "top1.weir").json()
        self.assertEqual((shown["fields"], shown["weight"]), (["ip"], "n"))
        shown = weir("show", "--json", self.folder / "meet0.weir").json()
        self.assertEqual((shown["fields"], shown["weight"]), (["ip", "path"], None))
        self.assertIn('whole records weighted by "n"', weir("show", self.folder / "sample0.weir").out)

    def test_a_file_that_does_not_say_its_fields_is_read_and_merged(self):
        first, second = self.halves(100)
        new, other = self.save("new.weir", ("distinct", "line"), first), self.save("other.weir", ("distinct", "line"), second)
        data = new.read_bytes()
        # As it was written before fields were kept: without the frame in front, whose length stands at byte 8.
        old = self.file("old.weir", data[16 + int.from_bytes(data[8:16], "little") + 8 :])
        shown = weir("show", "--json", old).json()
        self.assertEqual((shown["fields"], shown["weight"], shown["estimate"]), (None, None, 50))
        out = self.folder / "out.weir"
        for pair in ((old, other), (other, old)):
            self.assertEqual(weir("merge", *pair, "-o", out).code, 0)
            shown = weir("show", "--json", out).json()
            self.assertEqual((shown["fields"], shown["estimate"]), (["line"], 100))

    def test_a_log_is_never_written_over(self):
        text = "a\nb\n"
        log = self.file("log", text)
        (self.folder / "link").symlink_to(log)
        (self.folder / "hard").hardlink_to(log)
        other = self.file("other", "c\n")
        for target in (log, self.folder / "link", self.folder / "hard", self.folder / "." / "log"):
            for flags in (("--save", target), ("--save-as", "datasketches", target)):
                done = weir("top", "line", "--format", "lines", *flags, other, log)
                self.assertEqual((done.code, done.out, done.err.count("\n")), (2, "", 1))
                self.assertIn(f"{flags[0]}: ", done.err)
                self.assertIn("is one of the logs to be read", done.err)
        with open(log, "rb") as file:
            done = subprocess.run([BINARY, "top", "line", "--save", log], stdin=file, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(log.read_text(), text)
        both = self.folder / "both"
        for flags in (("--save", ""), ("--save", "-"), ("--save", both, "--save-as", "datasketches", both)):
            done = weir("top", "line", "--format", "lines", *flags, log)
            self.assertEqual((done.code, done.err.count("\n")), (2, 1))
        self.assertFalse(both.exists())
        self.assertEqual(weir("top", "line", "--format", "lines", "--save", "/dev/null", log).code, 0)

    def test_any_other_file_is_replaced_and_keeps_its_permissions(self):
        log = self.file("log", "a\n")
        target = self.file("target", "something else")
        target.chmod(0o640)
        (self.folder / "link").symlink_to(target)
        self.assertEqual(weir("stats", "line", "--format", "lines", "--save", self.folder / "link", log).code, 0)
        self.assertEqual(weir("show", target).code, 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        done = weir("stats", "line", "--format", "lines", "--save", self.folder / "new", log, umask=0o077)
        self.assertEqual((done.code, (self.folder / "new").stat().st_mode & 0o777), (0, 0o600))
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "log", "new", "target"])

    def test_a_merge_may_replace_one_of_its_files(self):
        first, second = self.halves(100)
        a, b = self.save("a.weir", ("distinct", "line"), first), self.save("b.weir", ("distinct", "line"), second)
        self.assertEqual(weir("merge", a, b, "-o", a).code, 0)
        self.assertEqual(weir("show", "--json", a).json()["estimate"], 100)

    def test_a_run_that_fails_leaves_the_old_file(self):
        target = self.save("old.weir", ("top", "line"), "a\n")
        before = target.read_bytes()
        whole = gzip.compress(EXAMPLE.read_bytes())
        for done, sentence in [
            (weir("top", "ip", "--format", "combined", "--save", target, stdin="bad\nlines\n"), "no record could be parsed"),
            (weir("top", "ip", "--save", target, self.file("cut.gz", whole[: len(whole) // 2])), "can't be read to its end"),
            (weir("top", "ip", "--save", target, self.folder / "missing"), "missing"),
        ]:
            self.assertEqual(done.code, 1)
            self.assertIn(sentence, done.err)
            self.assertEqual(target.read_bytes(), before)
        self.assertEqual(weir("top", "line", "--format", "lines", "--save", target, stdin="").code, 0)
        self.assertNotEqual(target.read_bytes(), before)

    def test_a_signal_keeps_what_had_been_read_unless_that_was_nothing(self):
        for text, total in (("a\nb\na\n", 3), ("", None)):
            target = self.file("kept.weir", "old")
            run = self.start(
                "top", "line", "--format", "lines", "--save", target,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            run.stdin.write(text.encode())
            run.stdin.flush()
            self.wait_until_read(run)
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=PATIENCE)
            self.assertEqual(run.returncode, 130, err)
            if total is None:
                self.assertEqual(target.read_text(), "old")
                self.assertIn(b"is not written: no record had come", err)
            else:
                self.assertEqual(weir("show", "--json", target).json()["total"], total)

    def wait_until_read(self, run):
        """It has read all when the pipe is empty and it sleeps."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if fionread(run.stdin.fileno()) == 0 and status_of(run.pid)["State"].startswith("S") and catches_interrupts(run.pid):
                return
            time.sleep(0.005)
        self.fail("it does not come to wait")

    def test_what_is_no_summary_is_refused_by_its_first_bytes(self):
        for first in (b"192.0.2.1 - - [", b"WEAR\x01\x09\0\0", bytes(8), b"ab\n\n\n\n\n\n", b"\x1f\x8b\x08\0\0\0\0\0"):
            # The pipe stays open: whoever wants to read more waits for ever.
            run = self.start("show", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            run.stdin.write(first)
            run.stdin.flush()
            self.assertEqual(run.wait(timeout=PATIENCE), 1)
            self.assertIn(b"standard input: it is no summary", run.stderr.read())

    def test_what_does_not_fit_is_refused_and_nothing_written(self):
        first, second = self.halves(100)
        a, b = self.save("a.weir", ("distinct", "line"), first), self.save("b.weir", ("stats", "line"), second)
        c = self.save("c.weir", ("distinct", "line", "--seed", "5"), second)
        out = self.folder / "out.weir"
        for pair in ((a, b), (a, c)):
            done = weir("merge", *pair, "-o", out)
            self.assertEqual(done.code, 1)
            self.assertEqual(done.err.count("\n"), 1)
            self.assertFalse(out.exists())

    def test_other_systems_forms(self):
        first, second = self.halves(20_000)
        for command, form, kind in [
            (("distinct", "line"), "datasketches", "distinct count (DataSketches HLL)"),
            (("distinct", "line"), "redis", "distinct count (Redis HyperLogLog)"),
            (("top", "line"), "datasketches", "most frequent texts"),
            (("quantiles", "line"), "datasketches", "quantiles by rank (KLL)"),
            (("sample", "-k", "30"), "datasketches", "uniform sample of texts"),
            (("sample", "-k", "30", "--weight", "line"), "datasketches", "VarOpt sample of texts"),
        ]:
            with self.subTest(command=command, form=form):
                paths = []
                for name, text in (("a", first), ("b", second)):
                    paths.append(self.folder / f"{name}.bin")
                    done = weir(*command, "--format", "lines", "--save-as", form, paths[-1], stdin=text)
                    self.assertEqual(done.code, 0, done.err)
                out = self.folder / "out.bin"
                done = weir("merge", *paths, "-o", out)
                self.assertEqual(done.code, 0, done.err)
                shown = weir("show", "--json", out).json()
                self.assertEqual((shown["kind"], shown["form"]), (kind, form))
                if "estimate" in shown:
                    self.assertTrue(shown["low"] <= 10007 <= shown["high"], shown)

    def test_what_the_other_system_has_no_form_for(self):
        for command, form in [(("stats", "line"), "datasketches"), (("top", "line"), "redis"), (("sample",), "redis")]:
            done = weir(*command, "--save-as", form, self.folder / "x", stdin="1\n")
            self.assertEqual(done.code, 2)
            self.assertIn("it has no form for", done.err)

    def test_golden_files(self):
        for name in ("hll4", "hll6", "hll8", "theta", "theta_comp"):
            for count in (0, 1, 10, 1000, 100000):
                shown = weir("show", "--json", golden(f"{name}_n{count}.sk")).json()
                self.assertTrue(shown["low"] <= count * 1.03 and count * 0.97 <= shown["high"], shown)
        for name in ("kll_float", "kll_double", "tdigest"):
            shown = weir("show", "--json", golden(f"{name}_n1000.sk")).json()
            self.assertEqual((shown["count"], shown["min"], shown["max"]), (1000, 0, 999))
        self.assertEqual(weir("show", "--json", golden("fi_i64_n10.sk")).json()["total"], 10)
        self.assertEqual(weir("show", "--json", golden("varopt_i64_n1000.sk")).json()["total"], 1000)
        self.assertEqual(weir("show", golden("bloom_n1000.sk")).code, 0)
        out = self.folder / "union.sk"
        self.assertEqual(weir("merge", golden("hll8_n1000.sk"), golden("hll8_n100000.sk"), "-o", out).code, 0)
        self.assertTrue(97_000 < weir("show", "--json", out).json()["estimate"] < 103_000)

    def test_hostile_files(self):
        first, _ = self.halves(2000)
        saved = [self.save(f"{c[0]}.weir", c, first) for c in (("distinct", "line"), ("top", "line"), ("quantiles", "line"), ("sample", "-k", "9"))]
        whole = [path.read_bytes() for path in saved]
        whole.append(b"HYLL\x00" + bytes(11) + bytes(12288))
        whole.append(bytes([10, 1, 7, 12, 0, 8, 0, 10]) + bytes(4128))
        whole.append(bytes([4, 1, 10, 21, 21, 0, 0, 0]) + b"\xff" * 24 + bytes(64))
        hostile = [b"", b"W", b"WEIR", b"HYLL", bytes(8), b"WEIR" + b"\xff" * 40, b"\xff" * 4096]
        for data in whole:
            hostile += [data[:cut] for cut in (5, 17, len(data) // 2, len(data) - 1)] + [data + b"x"]
        for data in whole[:4]:  # what has a checksum shows every flipped bit
            for at in range(0, len(data), max(1, len(data) // 20)):
                hostile.append(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        for data in hostile:
            path = self.file("hostile", data)
            for command in (("show", path), ("merge", path, path, "-o", self.folder / "out")):
                done = weir(*command)
                self.assertEqual(done.code, 1, (data[:40], done.out[:200]))
                self.assertEqual((done.out, done.err.count("\n")), ("", 1))
                self.assertIn("hostile", done.err)
        self.assertFalse((self.folder / "out").exists())

    def test_save_keeps_the_old_file_when_it_can_not_be_written(self):
        done = weir("stats", "line", "--save", self.folder / "no" / "such", stdin="1\n")
        self.assertEqual(done.code, 1)
        self.assertIn("can't be written", done.err)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
