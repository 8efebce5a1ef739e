#!/usr/bin/env python3
"""Load on `weir serve` for a while: many connections over all doors, a reload every second, clients killed at random.

  WEIR=build/release/weir tests/soak/soak.py [SECONDS [CONNECTIONS]]

What must hold at the end: the server has admitted exactly what the law says, whatever door it was asked through, it
has as many descriptors as at the start and no more memory than after the first tenth, and no client saw an error that
it did not cause. Prints the figures, how long answers took among them; exits 1 where one is wrong. scripts/test runs a
short one.
"""

import math
import multiprocessing
import os
import pathlib
import random
import re
import select
import signal
import socket
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.server import WeirServer  # noqa: E402
from talk import TALKS  # noqa: E402

CLIENTS = 10  # processes
QUOTA = 20_000  # of the bucket that all share: used up well before the end
OWN_QUOTA = 10  # of each account's bucket
POLICY = """
domain: soak
rules:
  - name: shared
    match: {{endpoint: shared}}
    key: []
    limit: {{algorithm: fixed_window, quota: {quota}, per: 365d}}
  - name: own
    match: {{endpoint: own}}
    key: [account]
    limit: {{algorithm: sliding_log, quota: {own}, per: 365d}}
  - name: churn-{turn}     # another name each time: its buckets come and go
    key: [account]
    limit: {{quota: 1000000, per: 1s}}
"""


class Connection:
    """Asks, reads whole answers, and leaves at random in the middle of both."""

    def __init__(self, ports, draw):
        self.draw = draw
        door = draw.choice(sorted(ports))
        self.talk = TALKS[door]()
        self.socket = socket.create_connection(("127.0.0.1", ports[door]))
        self.waiting = 0
        self.asked_at = 0.0

    def ask(self, tallies):
        count = self.draw.choice((1, 1, 1, 4, 16))
        requests = b""
        for _ in range(count):
            own = self.draw.random() < 0.3
            requests += self.talk.ask({"endpoint": "own" if own else "shared", "account": str(self.draw.randrange(300))})
        if self.draw.random() < 0.01:  # a client that is killed half-way through its question
            self.socket.sendall(requests[: self.draw.randrange(len(requests))])
            return False
        self.asked_at = time.monotonic()
        self.socket.sendall(requests)
        if self.draw.random() < 0.01:  # or before it has its answer
            return False
        self.waiting = count
        tallies["requests"] += count
        return True

    def read(self, tallies, times):
        """False when the server has closed."""
        got = self.socket.recv(1 << 16)
        if not got:
            tallies["closed"] += 1
            return False
        for admitted in self.talk.hear(got):
            self.waiting -= 1
            times.add(time.monotonic() - self.asked_at)
            tallies["wrong" if admitted is None else "admitted" if admitted else "denied"] += 1
        if self.talk.more and self.waiting > 0:
            self.socket.sendall(self.talk.more)
            self.talk.more = b""
        return True


class Times:
    """Counts by powers of 2**(1/4) from a microsecond on: quantiles to within a fifth."""

    def __init__(self):
        self.counts = [0] * 120

    def add(self, seconds):
        self.counts[min(119, max(0, int(4 * math.log2(max(seconds, 1e-9) * 1e6))))] += 1

    def merge(self, counts):
        self.counts = [a + b for a, b in zip(self.counts, counts)]

    def quantile(self, q):
        """In milliseconds."""
        left = q * sum(self.counts)
        for i, count in enumerate(self.counts):
            left -= count
            if left <= 0:
                return 2 ** ((i + 1) / 4) / 1e3
        return math.inf


def client(ports, connections, until, seed, results):
    draw = random.Random(seed)
    tallies = dict.fromkeys(("requests", "admitted", "denied", "wrong", "closed", "left", "opened"), 0)
    times = Times()
    poll = select.epoll()
    open_ones = {}

    def start():
        connection = Connection(ports, draw)
        tallies["opened"] += 1
        open_ones[connection.socket.fileno()] = connection
        poll.register(connection.socket, select.EPOLLIN)
        go_on(connection)

    def drop(connection):
        del open_ones[connection.socket.fileno()]
        poll.unregister(connection.socket)
        if draw.random() < 0.5:  # a reset, as from a process that is killed with unread answers
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.socket.close()

    def go_on(connection):
        if not connection.ask(tallies):
            tallies["left"] += 1
            drop(connection)
            start()

    for _ in range(connections):
        start()
    while time.monotonic() < until:
        for descriptor, _ in poll.poll(0.1):
            connection = open_ones.get(descriptor)
            if connection is None:
                continue
            if not connection.read(tallies, times):
                drop(connection)
                start()
            elif connection.waiting == 0:
                go_on(connection)
    for connection in list(open_ones.values()):
        connection.socket.close()
    results.put((tallies, times.counts))


def metric(lines, name, **labels):
    total = 0.0
    for line in lines:
        if re.match(rf"{name}[ {{]", line) and all(f'{k}="{v}"' in line for k, v in labels.items()):
            total += float(line.rsplit(" ", 1)[1])
    return total


def run(seconds, connections):
    with tempfile.TemporaryDirectory(prefix="weir-soak-") as folder:
        return run_in(pathlib.Path(folder), seconds, connections)


def run_in(folder, seconds, connections):
    policy = folder / "policy.yaml"
    turn = 0

    def write_policy():
        nonlocal turn
        turn += 1
        fresh = folder / "fresh.yaml"
        fresh.write_text(POLICY.format(quota=QUOTA, own=OWN_QUOTA, turn=turn))
        os.replace(fresh, policy)

    write_policy()
    server = WeirServer("--policy", policy, "--drain", "5s")
    before = server.usage()
    results = multiprocessing.Queue()
    start = time.monotonic()
    until = start + seconds
    clients = [multiprocessing.Process(target=client, args=(server.ports, connections // CLIENTS, until, i, results))
               for i in range(CLIENTS)]
    for process in clients:
        process.start()
    early = None
    while time.monotonic() < until:
        time.sleep(1)
        write_policy()
        server.send(signal.SIGHUP)
        if early is None and time.monotonic() > start + seconds / 10:
            early = server.usage()
    tallies = {}
    times = Times()
    for _ in clients:
        theirs, counts = results.get(timeout=120)
        times.merge(counts)
        for name, count in theirs.items():
            tallies[name] = tallies.get(name, 0) + count
    for process in clients:
        process.join(60)

    page = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=30).read().decode()
    lines = page.splitlines()
    shared = metric(lines, "weir_rule_verdicts_total", rule="shared", outcome="allowed")
    own = metric(lines, "weir_rule_verdicts_total", rule="own", outcome="allowed")
    deadline = time.monotonic() + 60
    while server.usage()[2] > before[2] + 2 and time.monotonic() < deadline:
        time.sleep(0.1)  # the server hears of the last clients' going
    after = server.usage()
    code = server.stop()
    problems = []

    def must(holds, what):
        if not holds:
            problems.append(what)

    must(shared == QUOTA, f"the shared bucket admitted {shared:.0f} instead of {QUOTA}")
    must(own == 300 * OWN_QUOTA, f"300 accounts admitted {own:.0f} instead of {300 * OWN_QUOTA}")
    must(tallies["wrong"] == 0, f"{tallies['wrong']} answers neither admitted nor denied")
    must(tallies["closed"] == 0, f"the server closed {tallies['closed']} connections")
    must(after[2] <= before[2] + 2, f"{after[2]} descriptors are open, {before[2]} at the start")
    # A sanitizer keeps books of its own on memory.
    must("WEIR_SANITIZED" in os.environ or after[1] <= early[1] * 1.1 + (8 << 20), f"resident memory grew from {early[1] >> 20} to {after[1] >> 20} MiB")
    must(code == 0, f"the server ended with {code}")
    print(f"{seconds:.0f} s, {connections} connections over {', '.join(server.ports)}, {turn - 1} reloads: {tallies}; admitted by the shared bucket "
          f"{shared:.0f} of {QUOTA}, by 300 accounts {own:.0f}; {after[0]:.1f} s of processor time, resident "
          f"{early[1] >> 20} -> {after[1] >> 20} MiB, {len(lines)} lines of metrics; answers within {times.quantile(0.5):.1f} ms (half), "
          f"{times.quantile(0.99):.1f} ms (99 %), {times.quantile(0.999):.1f} ms (99.9 %), clients' own waiting included")
    for problem in problems:
        print("WRONG: " + problem)
    return not problems


if __name__ == "__main__":
    ok = run(float(sys.argv[1]) if len(sys.argv) > 1 else 600, int(sys.argv[2]) if len(sys.argv) > 2 else 500)
    sys.exit(0 if ok else 1)
