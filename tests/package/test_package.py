"""Installs the library into an empty folder and builds outside projects that find it there."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR") or ROOT / "build" / "release" / "weir").parent
HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # seconds; only a hang takes that long


def run(*command, **more):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=PATIENCE, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "library")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build(self, project, program):
        out = pathlib.Path(self.folder.name) / program
        run("cmake", "-G", "Ninja", "-S", project, "-B", out, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wconversion -Wshadow -Werror")
        run("cmake", "--build", out)
        return run(out / program)

    def test_an_outside_project_finds_all_of_it(self):
        self.assertEqual(self.build(HERE, "all_of_it"), "13\n")

    def test_core_needs_nothing_else(self):
        self.assertEqual(self.build(HERE / "core", "core_alone"), "5\n")

    def test_each_public_header_stands_by_itself(self):
        headers = sorted((self.prefix / "include" / "weir").glob("*.h"))
        self.assertGreater(len(headers), 8)
        for header in headers:
            with self.subTest(header=header.name):
                run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
                    "-I", self.prefix / "include", "-include", f"weir/{header.name}", "-x", "c++", os.devnull)

    def test_public_headers_are_pages_that_teach(self):
        for header in (self.prefix / "include" / "weir").glob("*.h"):
            text = header.read_text()
            self.assertLess(text.count("\n"), 200, header.name)
            self.assertRegex(text, r"\A//[^\n]+\n//\n", f"{header.name} begins with what it is for, and an example")

    def test_what_is_installed_names_no_folder_of_the_build(self):
        for file in (self.prefix / "lib").rglob("*.cmake"):
            self.assertNotRegex(file.read_text(), re.escape(str(ROOT)), file.name)


if __name__ == "__main__":
    unittest.main()
