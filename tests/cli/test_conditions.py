"""--where: which records a summary is of."""

import unittest

from weir_cli import Case, combined, counts, weir

STAMP = "17/May/2015:10:05:{:02d} +0000"


class Conditions(Case):
    LOG = "name,n,s\na,5,x y\nb,10,\nc,,z\nd,7,q'q\n"

    def names(self, where):
        done = weir("sample", "--format", "csv", "--where", where, stdin=self.LOG)
        self.assertEqual(done.code, 0, done.err)
        return "".join(line[0] for line in done.out.splitlines())

    def test_what_holds(self):
        for where, right in [
            ("n>=7", "bd"), ("n<7", "a"), ("n=10", "b"), ("n!=10", "acd"), ("n<=7", "ad"), ("n > 5", "bd"), ("n==5.0", "a"),
            ("name=a or name=b and n=10", "ab"), ("(name=a or name=b) and n=10", "b"), ("not name=a", "bcd"),
            ("not (n>5 or n<6)", "c"), ("s='x y'", "a"), ("s=\"q'q\"", "d"), ("s='q\\'q'", "d"), ("name~'[ab]'", "ab"), ("s=''", "b"),
            ("n='10'", "b"), ("n<'6'", "abc"), ("not not n=5", "a"),
        ]:  # fmt: skip
            with self.subTest(where=where):
                self.assertEqual(self.names(where), right)

    def test_numbers_compare_as_numbers_and_exactly(self):
        log = "n\n9007199254740993\n9007199254740992\n1e3\n"
        one = weir("sample", "--format", "csv", "--where", "n=9007199254740993", stdin=log).out
        self.assertEqual(one, "9007199254740993\n")
        self.assertEqual(weir("sample", "--format", "csv", "--where", "n=1000", stdin=log).out, "1e3\n")

    def test_times(self):
        log = "".join(combined("192.0.2.1", STAMP.format(s)) for s in range(10))
        done = weir("top", "ip", "--format", "combined", "--json", "--where", "time>=2015-05-17T12:05:03+02:00", stdin=log)
        self.assertEqual(counts(done.json()), [("192.0.2.1", 7)])

    def test_times_are_read_in_every_way_that_is_plain(self):
        log = "ts,n\n2024-05-01T23:59:59Z,1\n2024-05-02T00:00:00Z,2\n1714608001.5,3\n2024-05-03T00:00:00,4\n"
        for where, right in [
            ("time>=2024-05-02", "234"), ("time<2024-05-02", "1"), ("time>=2024-05-02 and time<2024-05-03", "23"),
            ("time>=2024-05-02T00:00", "234"), ("time>'2024-05-02 00:00:00'", "34"), ("time=2024-05-02T02:00:00+02:00", "2"),
            ("time>1714608000", "34"), ("time>=1714608001.5", "34"), ("not time<2024-05-03", "4"),
        ]:  # fmt: skip
            with self.subTest(where=where):
                done = weir("sample", "--format", "csv", "--where", where, stdin=log)
                self.assertEqual((done.code, "".join(line[-1] for line in done.out.splitlines())), (0, right), done.err)

    def test_what_is_no_plain_time_is_refused(self):
        for where, sentence in [
            ("time>=1714608000000", "write 1714608000.000"), ("time>=yesterday", "is no time; write one such as"),
            ("time=2024-05-01", "goes with >= and < only"), ("time<=2024-05-01", "goes with >= and < only"),
            ("time>=01/May/2024", "is no time"), ("n=1 and time<12:00", "column 14"),
        ]:  # fmt: skip
            with self.subTest(where=where):
                done = weir("sample", "--format", "csv", "--where", where, stdin="time,n\n2024-05-01T10:00:00Z,1\n")
                self.assertEqual((done.code, done.out, done.err.count("\n")), (2, "", 1))
                self.assertIn(sentence, done.err)
        done = weir("sample", "--format", "lines", "--where", "time>=2024-05-01", stdin="a\n")
        self.assertEqual(done.code, 2)

    def test_a_number_and_what_is_none(self):
        log = combined("192.0.2.1", STAMP.format(1)).replace(" 200 5 ", " 200 - ") + combined("192.0.2.2", STAMP.format(2))
        for where, right in [
            ("bytes=5", ["192.0.2.2"]), ("bytes=5.0", ["192.0.2.2"]), ("bytes<9 or bytes>=9", ["192.0.2.2"]), ("bytes='-'", ["192.0.2.1"]),
            ("bytes!=5", ["192.0.2.1"]), ("bytes='5.0'", []), ("user='-'", []), ("user!=x", ["192.0.2.1", "192.0.2.2"]), ("method=get", []),
        ]:  # fmt: skip
            with self.subTest(where=where):
                done = weir("sample", "--format", "combined", "--where", where, stdin=log)
                self.assertEqual([line.split()[0] for line in done.out.splitlines()], right, done.err)

    def test_a_bad_one_is_one_sentence_with_its_column(self):
        for where, column in [
            ("", 1), ("n", 2), ("n=", 3), ("n>>5", 3), ("n=5 and", 8), ("n=5 x", 5), ("(n=5", 5), ("n='5", 3), ("n~'('", 3),
            (")", 1), ("=5", 1), ("n=5)", 4), ("nn=5", 1), ("(" * 300, 101),
        ]:  # fmt: skip
            with self.subTest(where=where):
                done = weir("top", "name", "--format", "csv", "--where", where, stdin=self.LOG)
                self.assertEqual(done.code, 2)
                self.assertIn(f"--where: column {column}: ", done.err)
                self.assertEqual(done.err.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
