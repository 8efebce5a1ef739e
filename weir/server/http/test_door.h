// For tests and fuzzers: a door to an engine of its own under a clock that stands still, and talks with it.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/server/http/door.h"
#include "weir/server/http/session.h"

namespace weir::server {

/// A bucket, a log, a calendar window, and a rule that blocks.
inline constexpr std::string_view kTestPolicy = R"(domain: test
trusted_proxies: [10.0.0.0/8]
rules:
  - {name: chat, match: {endpoint: chat}, key: [account], limit: {quota: 1, per: 10s, burst: 2}}
  - {name: login, match: {endpoint: /login}, key: [ip], limit: {algorithm: sliding_log, quota: 5, per: 1m}}
  - {name: "daily \"é\"", match: {endpoint: /daily}, key: [], limit: {algorithm: fixed_window, quota: 2, per: 1 day}}
  - {name: closed, match: {endpoint: /closed}, key: [], limit: {quota: 0, per: 1s}}
)";

struct Talk {
  std::string output;
  bool closing = false;
  bool held_up = false;
};

class TestDoor {
 public:
  explicit TestDoor(const HttpOptions& options)
      : options_(options),
        clock_({.wall = kStart, .since_boot = 0}),
        engine_(policy(), {.store = store(), .secret = HashSecret::fixed(1)}),
        decider_(engine_, clock_, counters_,
                 [] {
                   if (std::exchange(clock_fails_, false)) throw std::bad_alloc();
                   return Nanos{0};
                 }),
        door_(options_, decider_, {[] { return std::string("metrics\n"); }, &draining_, &buffered_}) {}

  HttpDoor& door() { return door_; }
  const ThreadCounters& counters() const { return counters_; }
  static void fail_next_reading_of_the_clock() { clock_fails_ = true; }
  std::size_t buffered() const { return buffered_; }
  std::atomic<bool>& draining() { return draining_; }

  /// What a new connection gets to hear to `bytes`, which come in pieces that end at `cuts`. `sends`: what is
  /// answered is taken at once.
  Talk talk(std::string_view bytes, std::vector<std::size_t> cuts, bool sends = true,
            std::string peer = "192.0.2.1") {
    HttpSession session(door_, std::move(peer));
    Talk talk;
    cuts.push_back(bytes.size());
    std::size_t at = 0;
    for (const std::size_t cut : cuts) {
      while (at < cut && !session.is_closing()) {
        const std::span<char> room = session.room();
        const std::size_t count = std::min(room.size(), cut - at);
        std::memcpy(room.data(), bytes.data() + at, count);
        at += count;
        session.received(count, false);
        take_output(session, talk, sends);
        if (session.is_held_up()) break;
      }
    }
    talk.closing = session.is_closing();
    talk.held_up = session.is_held_up();
    return talk;
  }

 private:
  static constexpr Nanos kStart = 1'800'000'000 * kSecond;

  static std::shared_ptr<const Policy> policy() {
    static const auto once = std::make_shared<const Policy>(Policy::parse(kTestPolicy).value());
    return once;
  }
  static MemoryStoreOptions store() {
    return {.max_keys = 64, .max_memory = 1U << 16U, .frame = TimeFrame::starting_at(kStart)};
  }

  static void take_output(HttpSession& session, Talk& talk, bool sends) {
    for (;;) {
      talk.output += session.output();
      session.sent(sends ? session.output().size() : 0);
      if (!sends || !session.is_held_up()) return;
      session.resume();
    }
  }

  static inline bool clock_fails_ = false;

  HttpOptions options_;
  ServerClock clock_;
  Engine engine_;
  ThreadCounters counters_;
  std::atomic<bool> draining_{false};
  std::atomic<std::size_t> buffered_{0};
  Decider decider_;
  HttpDoor door_;
};

}  // namespace weir::server
