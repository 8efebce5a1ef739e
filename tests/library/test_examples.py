"""Runs every program of examples/library/ and holds docs/library.md to what they print, and to what they are."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR") or ROOT / "build" / "release" / "weir").parent
EXAMPLES = ROOT / "examples" / "library"
PAGE = (ROOT / "docs" / "library.md").read_text()
PATIENCE = 60  # seconds; only a hang takes that long


def output_in_docs(name):
    """What the page says that a program prints: the block that begins with `$ example_NAME`."""
    block = re.search(rf"^```\n\$ example_{name}\n(.*?)^```$", PAGE, re.M | re.S)
    return block and block.group(1)


class Examples(unittest.TestCase):
    maxDiff = None

    def test_each_prints_what_the_page_says(self):
        programs = sorted(EXAMPLES.glob("*.cc"))
        self.assertGreater(len(programs), 5)
        for program in programs:
            with self.subTest(program=program.stem):
                done = subprocess.run([BUILD / "examples" / "library" / f"example_{program.stem}"],
                                      capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, output_in_docs(program.stem))

    def test_code_on_the_page_is_code_of_the_examples(self):
        """A block headed by the name of an example holds lines of it, in their order."""
        blocks = re.findall(r"```cpp\n// (\w+\.cc)\n(.*?)^```$", PAGE, re.M | re.S)
        self.assertGreater(len(blocks), 4)
        for name, block in blocks:
            source = iter(line.strip() for line in (EXAMPLES / name).read_text().splitlines())
            for line in filter(None, map(str.strip, block.splitlines())):
                self.assertIn(line, source, f"{name}: {line!r}, after the lines before it")


if __name__ == "__main__":
    unittest.main()
