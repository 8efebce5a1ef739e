"""A `weir serve` for tests: on a port of its own, with what it said kept. WEIR names the binary."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = os.environ.get("WEIR", str(ROOT / "build" / "release" / "weir"))
READY = re.compile(r"serving (.*) with ")
DOOR = re.compile(r"(\w+)://(\S+):(\d+)")


def environment(more=None):
    """Of a server: ours but for what would set it, and more."""
    return {k: v for k, v in os.environ.items() if not k.startswith("WEIR")} | (more or {})


def free_port():
    """A port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class WeirServer:
    """Starts the server and waits until it says that it is ready."""

    def __init__(self, *args, http="127.0.0.1:0", env=None):
        command = [WEIR, "serve", *map(str, args)]
        if http:
            command += ["--http", http]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                        env=environment(env))
        self.lines = []
        self.said = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        doors = READY.search(self.wait_for(READY.pattern)).group(1)
        # Of each open door by its name.
        self.ports = {name: int(port) for name, _, port in DOOR.findall(doors)}
        self.port = self.ports.get("http")

    def _read(self):
        for line in self.process.stderr:
            with self.said:
                self.lines.append(line.rstrip("\n"))
                self.said.notify_all()
        with self.said:
            self.lines.append(None)
            self.said.notify_all()

    def wait_for(self, pattern, count=1, timeout=60):
        """The count-th line of stderr that the pattern is found in; waits for it."""
        def found():
            lines = [line for line in self.lines if line is not None and re.search(pattern, line)]
            return lines[count - 1] if len(lines) >= count else None
        with self.said:
            self.said.wait_for(lambda: found() or None in self.lines, timeout)
            if line := found():
                return line
        raise AssertionError(f"no line like {pattern!r} from the server, but: {self.lines}")

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM, timeout=60):
        """Asks it to end, and gives its exit code back."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        self.reader.join(timeout)
        self.process.stderr.close()
        return code

    def usage(self):
        """Processor seconds, resident bytes and open descriptors so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        tick = os.sysconf("SC_CLK_TCK")
        resident = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        descriptors = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        return (int(fields[11]) + int(fields[12])) / tick, resident, descriptors
