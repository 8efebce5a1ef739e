#!/usr/bin/env python3
"""Writes a combined access log of made-up traffic: always the same bytes for the same number of lines.

  bench/make_access_log.py LINES >FILE
"""

import random
import sys

AGENTS = [
    f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.{version * 41}.0 Safari/537.36"
    for system in ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64", "Linux; Android 13")
    for version in range(100, 140)
]
SECTIONS = ("wiki", "shop", "forum", "api/v1", "static/images", "news")
MONTHS = ("Jan", "Feb", "Mar")


def main():
    lines = int(sys.argv[1])
    draw = random.Random(20260301)
    # Few ask often and many seldom: the n-th address and path weigh 1/n.
    addresses = [f"{draw.randrange(1, 224)}.{draw.randrange(256)}.{draw.randrange(256)}.{draw.randrange(1, 255)}" for _ in range(200_000)]
    paths = [f"/{draw.choice(SECTIONS)}/{draw.randrange(10**9):09d}?page={n % 40}" for n in range(50_000)]
    block = 100_000
    done = 0
    while done < lines:
        count = min(block, lines - done)
        out = []
        for n in range(done, done + count):
            second = n * 7 // 40  # a little under six a second
            day, clock = divmod(second, 86400)
            month, day = divmod(day, 28)
            address = addresses[int(200_001 ** draw.random()) - 1]
            path = paths[int(50_001 ** draw.random()) - 1]
            status = draw.choices((200, 304, 404, 500), (85, 9, 5, 1))[0]
            size = "-" if status == 304 else int(draw.lognormvariate(9, 1.6))
            out.append(
                f'{address} - - [{day + 1:02d}/{MONTHS[month % 3]}/2026:{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d} +0000] '
                f'"GET {path} HTTP/1.1" {status} {size} "https://www.example.org/{SECTIONS[n % 6]}/" "{AGENTS[draw.randrange(160)]}"\n'
            )
        sys.stdout.write("".join(out))
        done += count


if __name__ == "__main__":
    main()
