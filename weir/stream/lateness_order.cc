#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "weir/stream/time_order.h"

namespace weir {
namespace {

struct Held {
  Nanos time;
  std::uint64_t arrival;
  std::string bytes;
};

/// For a heap whose front goes out first.
bool goes_out_later(const Held& a, const Held& b) {
  return a.time != b.time ? a.time > b.time : a.arrival > b.arrival;
}

std::size_t memory_of(const Held& event) {
  return sizeof(Held) + event.bytes.capacity();
}

}  // namespace

struct LatenessOrder::Impl {
  bool front_may_go() const;

  Nanos lateness = 0;
  std::size_t memory = 0;
  std::vector<Held> heap;
  std::size_t held_memory = 0;
  Held out{};  // what the caller has a view of
  bool finished = false;

  std::uint64_t arrivals = 0;
  Nanos latest_in = std::numeric_limits<Nanos>::min();
  Nanos latest_out = std::numeric_limits<Nanos>::min();
  std::uint64_t reordered = 0;
  std::uint64_t late = 0;
  Nanos worst = 0;
};

bool LatenessOrder::Impl::front_may_go() const {
  if (heap.empty()) return false;
  return finished || held_memory > memory || heap.front().time < saturating_sub(latest_in, lateness);
}

LatenessOrder::LatenessOrder(Nanos lateness, std::size_t memory) : impl_(std::make_unique<Impl>()) {
  impl_->lateness = std::max<Nanos>(0, lateness);
  impl_->memory = memory;
}
LatenessOrder::~LatenessOrder() = default;
LatenessOrder::LatenessOrder(LatenessOrder&&) noexcept = default;
LatenessOrder& LatenessOrder::operator=(LatenessOrder&&) noexcept = default;

void LatenessOrder::add(TimedBytes event) {
  Impl& self = *impl_;
  if (event.time < self.latest_in) ++self.reordered;
  self.latest_in = std::max(self.latest_in, event.time);
  if (event.time < self.latest_out) {
    ++self.late;
    self.worst = std::max(self.worst, saturating_sub(self.latest_in, event.time));
  }
  self.heap.push_back({event.time, self.arrivals++, std::string(event.bytes)});
  self.held_memory += memory_of(self.heap.back());
  std::push_heap(self.heap.begin(), self.heap.end(), goes_out_later);
}

std::optional<TimedBytes> LatenessOrder::next() {
  Impl& self = *impl_;
  if (!self.front_may_go()) return std::nullopt;
  std::pop_heap(self.heap.begin(), self.heap.end(), goes_out_later);
  self.held_memory -= memory_of(self.heap.back());
  self.out = std::move(self.heap.back());
  self.heap.pop_back();
  self.latest_out = std::max(self.latest_out, self.out.time);
  return TimedBytes{self.out.time, self.out.bytes};
}

void LatenessOrder::finish() {
  impl_->finished = true;
}

std::uint64_t LatenessOrder::reordered() const {
  return impl_->reordered;
}

std::uint64_t LatenessOrder::late() const {
  return impl_->late;
}

Nanos LatenessOrder::worst_lateness() const {
  return impl_->worst;
}

}  // namespace weir
