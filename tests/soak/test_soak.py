"""The load of soak.py for a short while; run that by itself for the ten minutes."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import soak  # noqa: E402


class Soak(unittest.TestCase):
    def test_totals_are_exact_under_load_reloads_and_killed_clients(self):
        self.assertTrue(soak.run(seconds=15, connections=200))


if __name__ == "__main__":
    unittest.main()
