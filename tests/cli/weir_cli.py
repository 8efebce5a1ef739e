"""What the end-to-end tests of the binary share: how to run it, and logs to run it on.

The binary is named by the environment variable WEIR (build/release/weir when left out).
"""

import array
import fcntl
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WEIR") or str(ROOT / "build" / "release" / "weir")
DATA = ROOT.parent / "shared" / "data"
PATIENCE = 60  # seconds; only a hang takes that long


class Finished:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def weir(*args, stdin=b"", **more):
    """Runs the binary to its end. Text in and out is UTF-8, and what is not that is an error."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run([BINARY, *map(str, args)], input=stdin, capture_output=True, timeout=PATIENCE, **more)
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def gz(self, name, content):
        return self.file(name, gzip.compress(content.encode()))

    def policy(self, limit, more="", key="[ip]"):
        """A file with one rule."""
        return self.file(
            "policy.yaml", f"domain: test\nrules:\n  - name: r\n    key: {key}\n    limit: {{{limit}}}\n{more}"
        )

    def start(self, *args, **more):
        """Starts the binary; it is killed at the end of the test if it still runs."""
        process = subprocess.Popen([BINARY, *map(str, args)], **more)

        def stop():
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    try:
                        stream.close()
                    except BrokenPipeError:
                        pass

        self.addCleanup(stop)
        return process


def shared(name):
    """A log that is not a part of the project. Tests that need it are skipped, loudly, where it is absent."""
    path = DATA / name
    if not path.exists():
        raise unittest.SkipTest(f"SKIPPED: there is no {path}")
    return path


def fionread(descriptor):
    """Bytes in a pipe that nobody has read yet."""
    pending = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, pending)
    return pending[0]


def status_of(pid):
    with open(f"/proc/{pid}/status") as status:
        return dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)


def combined(ip, stamp, request="GET / HTTP/1.1", status=200, agent="ua"):
    return f'{ip} - - [{stamp}] "{request}" {status} 5 "-" "{agent}"\n'


def counts(rows):
    """What `weir top --json` prints, without the errors."""
    return [(row["value"], row["count"]) for row in rows]
