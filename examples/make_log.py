#!/usr/bin/env python3
"""Writes access.log: one made-up day of a game's web site and API, in combined format.

    python3 examples/make_log.py > examples/access.log

The same bytes on every run. Each function below is one kind of client; README.md says what each is there to
show. Addresses, hosts and people are made up, from the ranges that are reserved for documentation.
"""

import random
import sys
import time

rng = random.Random(20260310)
MIDNIGHT = 1773100800  # 2026-03-10T00:00:00Z, a Tuesday
MINUTE, HOUR = 60, 3600

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
GAME = "ExampleGame/4.2 (Android 14)"
SCRIPT = "python-requests/2.32"

OFFICE = "192.0.2.10"
CRAWLER = "192.0.2.66"
SNIPER = "192.0.2.200"
GUESSER = "203.0.113.99"

log = []  # (second of the day, line)


def below(n):
    return int(rng.random() * n)


def pick(options):
    return options[below(len(options))]


def between(low, high):
    return low + rng.random() * (high - low)


def hit(at, ip, request, status=200, user="-", agent=CHROME, referer="-"):
    """One record. `request` is "GET /path"; what lacks a method is written as it is."""
    stamp = time.strftime("%d/Mar/%Y:%H:%M:%S +0000", time.gmtime(MIDNIGHT + int(at)))
    if request.startswith(("GET /", "POST /")):
        request += " HTTP/1.1"
    size = "-" if status == 304 else 150 + below(400) if status >= 400 else 300 + below(24000)
    log.append((at, f'{ip} - {user} [{stamp}] "{request}" {status} {size} "{referer}" "{agent}"'))


def page(at, ip, user, agent):
    """A page and what a browser fetches along with it, within two seconds."""
    path = pick(["/", "/news/", f"/news/patch-4-{below(9)}", f"/wiki/hero-{below(60)}", "/forum/", "/download"])
    hit(at, ip, f"GET {path}", 200, user, agent, pick(["-", "https://www.example.com/", "https://www.example.org/links"]))
    for asset in ["/static/site.css", "/static/site.js", f"/static/hero-{below(60)}.webp"][: below(4)]:
        hit(at + between(0, 2), ip, f"GET {asset}", pick([200, 200, 304]), user, agent, f"https://www.example.com{path}")


def play(at, ip, user):
    """One call of the game's API by a player who is logged in."""
    call = pick(["POST /chat/send", "POST /chat/send", "POST /mail/send", "GET /api/v1/inventory",
                 f"GET /api/v1/match/{below(9000)}", "GET /api/v1/rank?page=1", "GET /api/v1/shop"])
    hit(at, ip, call, 200, user, GAME)


def login(at, ip, agent):
    """Log in, now and then after a typing error."""
    if below(5) == 0:
        hit(at - between(6, 15), ip, "POST /login", 401, "-", agent)
    hit(at, ip, "POST /login", 200, "-", agent)


def visitors():
    """People who browse the site: bursts of requests, then time to read."""
    for n in range(1, 181):
        ip, agent = f"198.51.100.{n}", pick([CHROME, FIREFOX, PHONE])
        for _ in range(1 + below(2)):
            at = between(6, 23) * HOUR
            for _ in range(4 + below(9)):
                page(at, ip, "-", agent)
                at += between(8, 90)


def players():
    """People who play: one to three sessions of calls a few seconds apart. A third come over IPv6."""
    for n in range(1, 61):
        user = f"player{n:02}"
        ip = f"2001:db8:100:{n:x}::{1 + below(0xFFFE):x}" if n % 3 == 0 else f"203.0.113.{n}"
        for _ in range(1 + below(3)):
            at = between(7, 23) * HOUR
            login(at, ip, GAME)
            for _ in range(10 + below(30)):
                at += between(2, 40)
                play(at, ip, user)


def office():
    """Forty people behind one address. They all log in around nine."""
    for n in range(1, 41):
        user, agent = f"staff{n:02}", pick([CHROME, FIREFOX])
        at = 9 * HOUR + between(-60, 90)
        login(at, OFFICE, agent)
        for _ in range(12 + below(14)):
            at += between(20, 40 * MINUTE)
            if at < 17.5 * HOUR:
                page(at, OFFICE, user, agent)


def crawler():
    """A page of the wiki every 24 seconds or so, all day and all night."""
    at = 0.0
    while at < 24 * HOUR:
        hit(at, CRAWLER, f"GET /wiki/hero-{below(60)}?rev={below(400)}", 200, "-", "ExampleBot/1.0 (+https://www.example.org/bot)")
        at += between(20, 28)


def guesser():
    """Passwords tried for an hour: one every three seconds, and three a second in the last three minutes."""
    at = 13.0 * HOUR
    while at < 14 * HOUR:
        hit(at, GUESSER, "POST /login", 401, "-", SCRIPT)
        at += 3 if at < 13.95 * HOUR else 1 / 3


def sniper():
    """A script for a sale that opens at 10:15: sixty requests in the second before, sixty in the second after."""
    for n in range(120):
        hit(10.25 * HOUR + (n - 60) / 60, SNIPER, "GET /api/v1/shop", 200, "-", SCRIPT)


def hopper():
    """A scraper that takes a new address of its own /64 for every request: five a second for a minute."""
    for n in range(300):
        hit(16.5 * HOUR + n / 5, f"2001:db8:5:5::{0x1000 + n:x}", "GET /api/v1/market", 200, "-", SCRIPT)


def pollers():
    """Accounts on a free, a paid and an internal plan that poll the market: see plans.csv."""
    for user, ip, start, every, count in [
        ("grinder", "203.0.113.71", 11, 0.6, 500),
        ("tourney", "203.0.113.72", 15, 0.6, 300),
        ("statusd", "203.0.113.73", 20, 0.6, 200),
    ]:
        for n in range(count):
            hit(start * HOUR + n * every, ip, "GET /api/v1/market", 200, user, SCRIPT)


def loudmouth():
    """One account that floods the chat: two lines a second for half a minute."""
    for n in range(60):
        hit(21.2 * HOUR + n / 2, "203.0.113.74", "POST /chat/send", 200, "loud", GAME)


def collectors():
    """Three accounts that pull the gacha before and after 20:00 UTC, which is 05:00 in Seoul: a new day there."""
    for n in range(3):
        for start in (19.5, 20.1):
            at = start * HOUR + between(0, 5 * MINUTE)
            for _ in range(8 + 4 * n):
                hit(at, f"203.0.113.{81 + n}", "POST /gacha/pull", 200, f"collector{n + 1}", GAME)
                at += between(3, 9)


def quirks():
    """What every log that is open to the Internet has in it."""
    for n, request in enumerate(["", r"\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03", "HELP", "", "GET"]):
        hit(between(0, 24) * HOUR, f"198.51.100.{230 + n}", request, 400, "-", "-")
    # Two that were cut while being written.
    hit(4.4 * HOUR, "198.51.100.240", "GET /", 200, "-", CHROME)
    log[-1] = (log[-1][0], log[-1][1][:-30])
    hit(18.9 * HOUR, "198.51.100.241", "GET /news/", 200, "-", CHROME)
    log[-1] = (log[-1][0], log[-1][1][:40])


for scene in (visitors, players, office, crawler, guesser, sniper, hopper, pollers, loudmouth, collectors, quirks):
    scene()

# Several workers write the file, each up to twenty seconds late.
log = [(at + between(0, 20), line) for at, line in log if 0 <= at < 24 * HOUR]
log.sort()
sys.stdout.reconfigure(newline="\n")
for _, line in log:
    print(line)
