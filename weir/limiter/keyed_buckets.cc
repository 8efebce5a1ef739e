#include "weir/limiter/keyed_buckets.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "weir/limit/verdict.h"
#include "weir/limiter/key_hash.h"
#include "weir/limiter/options.h"
#include "weir/limiter/outcomes.h"

namespace weir::limiter {
namespace {

/// Keys that are hashed before the first of them is decided, so that their buckets can be fetched together.
constexpr std::size_t kBatch = 32;

/// Requests of one bucket each.
constexpr auto kEnds = [] {
  std::array<RequestEnd, kBatch> ends{};
  for (std::uint32_t i = 0; i < kBatch; ++i) ends[i].end = i + 1;
  return ends;
}();

/// Of those that deny the longest wait, of those that admit the one with the least left.
bool speaks_for(const Verdict& a, const Verdict& b) {
  if (a.allowed != b.allowed) return !a.allowed;
  return a.allowed ? tighter(a, b) : longer_wait(a.retry_after, b.retry_after);
}

}  // namespace

KeyedBuckets::KeyedBuckets(const Limit& limit, const RateLimiterOptions& options, Nanos start)
    : store_(store_options_of(options, start)),
      limit_(limit),
      limit_id_(store_.add(limit, 0)),
      secret_(options.hash_seed ? HashSecret::fixed(*options.hash_seed) : HashSecret::random()),
      allow_when_full_(options.allow_when_full),
      charge_denied_(options.charge_denied),
      latest_(start) {}

std::uint64_t KeyedBuckets::bucket_of(const Key& key) const {
  return hash_of(key, secret_);
}

BucketVerdict KeyedBuckets::said_of(const BucketAsk& asked, Nanos now) {
  BucketVerdict said;
  store_.decide({&asked, 1}, now, {&said, 1});
  return said;
}

Outcome KeyedBuckets::decide(std::uint64_t bucket, Nanos now, std::uint64_t cost,
                             std::optional<Nanos>* counted) {
  const BucketVerdict said = said_of(ask(bucket, cost), now);
  if (counted && !said.full) *counted = charged_at(limit_, now, said.verdict);
  return outcome_of(said.verdict);
}

Outcome KeyedBuckets::admit(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  BucketAsk asked = ask(bucket, cost);
  asked.ask.charge_denied = false;
  return outcome_of(said_of(asked, now).verdict);
}

void KeyedBuckets::decide_each(std::span<const Key> keys, Nanos now, std::uint64_t cost,
                               std::span<Outcome> outcomes, Clocked clocked) {
  std::array<BucketAsk, kBatch> asks{};
  std::array<BucketVerdict, kBatch> said{};
  bool changed = false;
  for (std::size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, keys.size() - begin);
    for (std::size_t i = 0; i < count; ++i) asks[i] = ask(bucket_of(keys[begin + i]), cost);
    store_.decide_many(std::span(asks).first(count), std::span(kEnds).first(count), now,
                       std::span(said).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      outcomes[begin + i] = outcome_of(said[i].verdict);
      changed |= charged(said[i], cost);
    }
  }
  if (clocked == Clocked::given && changed) latest_.note(now);
}

Outcome KeyedBuckets::decide_all(std::span<const Key> keys, Nanos now, std::uint64_t cost, Clocked clocked) {
  std::vector<BucketAsk> asks;
  asks.reserve(keys.size());
  for (const Key& key : keys) asks.push_back(ask(bucket_of(key), cost));
  std::vector<BucketVerdict> said(asks.size());
  const bool admitted = store_.decide(asks, now, said);
  if (keys.empty()) return outcome_of(Verdict{.allowed = true});
  // Of those that one denies only the deniers are charged, and only with charge_denied.
  const auto changed = [&](const BucketVerdict& one) {
    return charged(one, cost) && (admitted || !one.verdict.allowed);
  };
  if (clocked == Clocked::given && std::any_of(said.begin(), said.end(), changed)) latest_.note(now);
  const auto speaker = std::min_element(said.begin(), said.end(), [](const auto& a, const auto& b) {
    return speaks_for(a.verdict, b.verdict);
  });
  return outcome_of(speaker->verdict);
}

Outcome KeyedBuckets::peek(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  const BucketAsk asked = ask(bucket, cost);
  BucketVerdict said;
  store_.peek({&asked, 1}, now, {&said, 1});
  return outcome_of(said.verdict);
}

void KeyedBuckets::refund(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  const BucketAsk asked = ask(bucket, cost);
  store_.refund({&asked, 1}, now);
}

void KeyedBuckets::give_back(std::uint64_t bucket, Nanos now, std::uint64_t cost, const Charge& from) {
  const BucketAsk asked = ask(bucket, cost);
  store_.give_back({&asked, 1}, {&from, 1}, now);
}

void KeyedBuckets::charge(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  const BucketAsk asked = ask(bucket, cost);
  store_.charge({&asked, 1}, now);
}

Outcome KeyedBuckets::decide_given(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  const BucketVerdict said = said_of(ask(bucket, cost), now);
  if (charged(said, cost)) latest_.note(now);
  return outcome_of(said.verdict);
}

void KeyedBuckets::refund_given(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  // A bucket that is as good as new has nothing to be given back.
  if (cost == 0 || peek(bucket, now, 0).reset_after.count() == 0) return;
  latest_.note(now);
  refund(bucket, now, cost);
}

void KeyedBuckets::charge_given(std::uint64_t bucket, Nanos now, std::uint64_t cost) {
  if (cost != 0) latest_.note(now);
  charge(bucket, now, cost);
}

}  // namespace weir::limiter
