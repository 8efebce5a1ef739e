#!/usr/bin/env python3
"""Load on `weir serve` for a while: many connections, a reload every second, clients killed at random.

  WEIR=build/release/weir tests/http/soak.py [SECONDS [CONNECTIONS]]

What must hold at the end: the server has admitted exactly what the law says, it has as many descriptors as at
the start and no more memory than after the first tenth, and no client saw an error that it did not cause.
Prints the figures; exits 1 where one is wrong. scripts/test runs a short one.
"""

import json
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


def request(dimensions):
    body = json.dumps({"dimensions": dimensions}).encode()
    return b"POST /v1/check HTTP/1.1\r\nHost: soak\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Connection:
    """Asks, reads whole answers, and leaves at random in the middle of both."""

    def __init__(self, port, draw):
        self.draw = draw
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.waiting = 0
        self.held = b""
        self.asked = []

    def ask(self, tallies):
        requests = b""
        for _ in range(self.draw.choice((1, 1, 1, 4, 16))):
            own = self.draw.random() < 0.3
            dimensions = {"endpoint": "own" if own else "shared", "account": str(self.draw.randrange(300))}
            requests += request(dimensions)
            self.asked.append(dimensions)
        if self.draw.random() < 0.01:  # a client that is killed half-way through its question
            requests = requests[: self.draw.randrange(len(requests))]
            self.socket.sendall(requests)
            return False
        self.socket.sendall(requests)
        if self.draw.random() < 0.01:  # or before it has its answer
            return False
        tallies["requests"] += len(self.asked)
        return True

    def read(self, tallies):
        """False when the server has closed."""
        got = self.socket.recv(1 << 16)
        if not got:
            tallies["closed"] += 1
            return False
        self.held += got
        while True:
            end = self.held.find(b"\r\n\r\n")
            if end < 0:
                return True
            length = int(re.search(rb"(?i)content-length: *(\d+)", self.held[:end]).group(1))
            if len(self.held) < end + 4 + length:
                return True
            status = int(self.held[9:12])
            self.held = self.held[end + 4 + length:]
            self.asked.pop(0)
            tallies["admitted" if status == 200 else "denied" if status == 429 else "wrong"] += 1


def client(port, connections, until, seed, results):
    draw = random.Random(seed)
    tallies = dict.fromkeys(("requests", "admitted", "denied", "wrong", "closed", "left", "opened"), 0)
    poll = select.epoll()
    open_ones = {}

    def start():
        connection = Connection(port, draw)
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
            if not connection.read(tallies):
                drop(connection)
                start()
            elif not connection.asked:
                go_on(connection)
    for connection in list(open_ones.values()):
        connection.socket.close()
    results.put(tallies)


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
    clients = [multiprocessing.Process(target=client, args=(server.port, connections // CLIENTS, until, i, results))
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
    for _ in clients:
        for name, count in results.get(timeout=120).items():
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
    must(tallies["wrong"] == 0, f"{tallies['wrong']} answers were neither 200 nor 429")
    must(tallies["closed"] == 0, f"the server closed {tallies['closed']} connections")
    must(after[2] <= before[2] + 2, f"{after[2]} descriptors are open, {before[2]} at the start")
    # A sanitizer keeps books of its own on memory.
    must("WEIR_SANITIZED" in os.environ or after[1] <= early[1] * 1.1 + (8 << 20), f"resident memory grew from {early[1] >> 20} to {after[1] >> 20} MiB")
    must(code == 0, f"the server ended with {code}")
    print(f"{seconds:.0f} s, {connections} connections, {turn - 1} reloads: {tallies}; admitted by the shared bucket "
          f"{shared:.0f} of {QUOTA}, by 300 accounts {own:.0f}; {after[0]:.1f} s of processor time, resident "
          f"{early[1] >> 20} -> {after[1] >> 20} MiB, {len(lines)} lines of metrics")
    for problem in problems:
        print("WRONG: " + problem)
    return not problems


if __name__ == "__main__":
    ok = run(float(sys.argv[1]) if len(sys.argv) > 1 else 600, int(sys.argv[2]) if len(sys.argv) > 2 else 500)
    sys.exit(0 if ok else 1)
