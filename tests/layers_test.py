"""Holds the walls of the house: which layer may include which. docs/design.md draws it."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each folder of weir/ may include, besides itself. Siblings do not know each other.
MAY_INCLUDE = {
    "base": set(),
    "limit": {"base"},
    "sketch": {"base"},
    "policy": {"limit", "base"},
    "store": {"limit", "base"},
    "engine": {"policy", "store", "sketch", "limit", "base"},
    "stream": {"sketch", "base"},
    "replay": {"engine", "stream", "policy", "store", "sketch", "limit", "base"},
    "keyspace": {"sketch", "base"},
    "server": {"engine", "keyspace", "policy", "store", "sketch", "limit", "base"},
    "client": {"base"},
    "cli": {"replay", "server", "client", "engine", "keyspace", "stream", "policy", "store", "sketch", "limit", "base"},
    # The public face in weir/ itself, and what stands behind it. It hands a policy's requests and rules on as they are.
    "": {"limiter", "engine", "policy", "store", "limit", "sketch", "base"},
    "limiter": {"", "engine", "policy", "store", "limit", "base"},
}
# weir::core stands on the standard library and xxhash alone.
CORE = ("base", "limit", "sketch", "store")
STANDARD = re.compile(r"[a-z_]+")
SYSTEM_OF_CORE = {"xxhash.h", "sys/mman.h", "unistd.h", "windows.h", "immintrin.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


def sources():
    for path in sorted((ROOT / "weir").rglob("*")):
        if path.suffix in (".h", ".cc", ".cpp"):
            yield path


def layer_of(path):
    parts = path.relative_to(ROOT / "weir").parts
    return parts[0] if len(parts) > 1 else ""


def broken(layer, text, is_test):
    """What is wrong with the includes of a file of `layer`, as sentences."""
    for quoted, angled in INCLUDE.findall(text):
        if quoted.startswith("tests/"):
            if not is_test:
                yield f'includes "{quoted}", which is for tests'
        elif quoted and not quoted.startswith("weir/"):
            yield f'includes "{quoted}"; an include is written from the root, as "weir/…"'
        elif quoted:
            parts = quoted.split("/")
            target = parts[1] if len(parts) > 2 else ""
            if target != layer and target not in MAY_INCLUDE[layer]:
                yield f'includes "{quoted}", but {layer or "weir/"} may include only {sorted(MAY_INCLUDE[layer])}'
        elif layer in CORE and not is_test and not (STANDARD.fullmatch(angled) or angled in SYSTEM_OF_CORE):
            yield f"includes <{angled}>, but weir::core stands on the standard library and xxhash alone"


class Layers(unittest.TestCase):
    def test_every_folder_is_a_known_layer(self):
        for path in sources():
            self.assertIn(layer_of(path), MAY_INCLUDE, path)

    def test_includes_keep_to_the_table(self):
        found = [
            f"{path.relative_to(ROOT)} {what}"
            for path in sources()
            for what in broken(layer_of(path), path.read_text(), path.name.endswith("_test.cc"))
        ]
        self.assertEqual(found, [])

    def test_a_broken_include_would_be_found(self):
        self.assertTrue(list(broken("limit", '#include "weir/store/memory_store.h"\n', False)))
        self.assertTrue(list(broken("stream", '#include "weir/policy/policy.h"\n', False)))
        self.assertTrue(list(broken("store", '#include "weir/policy/policy.h"\n', False)))
        self.assertTrue(list(broken("limit", '#include "../base/time.h"\n', False)))
        self.assertTrue(list(broken("base", "#include <fmt/format.h>\n", False)))
        self.assertTrue(list(broken("limit", '#include "tests/support/oracle.h"\n', False)))
        self.assertFalse(list(broken("limit", '#include "weir/base/time.h"\n#include <vector>\n', False)))

    def test_headers_are_included_once(self):
        for path in sources():
            if path.suffix == ".h":
                self.assertIn("#pragma once", path.read_text(), path)


if __name__ == "__main__":
    unittest.main()
