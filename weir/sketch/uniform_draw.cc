#include "weir/sketch/uniform_draw.h"

#include <cmath>

namespace weir {
namespace {

constexpr std::string_view kName = "uniform sample";

}  // namespace

UniformDraw::UniformDraw(std::uint64_t capacity, Seed seed, std::uint64_t stream)
    : next_(capacity > 0 ? 0 : kNever),
      capacity_(capacity),
      seed_(seed),
      random_(static_cast<std::uint64_t>(seed), stream) {}

std::uint64_t UniformDraw::take() {
  if (seen_ >= capacity_) {
    const std::uint64_t slot = random_.below(capacity_);
    ++seen_;
    log_threshold_ -= random_.exponential() / static_cast<double>(capacity_);
    draw_next();
    return slot;
  }
  const std::uint64_t slot = seen_++;
  next_ = seen_;
  if (seen_ == capacity_) {
    log_threshold_ = -random_.exponential() / static_cast<double>(capacity_);
    draw_next();
  }
  return slot;
}

void UniformDraw::draw_next() {
  // How many keys in a row are above the threshold: geometric.
  const double skipped = std::floor(random_.exponential() / -std::log1p(-std::exp(log_threshold_)));
  // A threshold that has rounded to 0 or 1 gives infinity or 0; both are right.
  next_ = skipped < static_cast<double>(kMostRecords) ? seen_ + static_cast<std::uint64_t>(skipped) : kNever;
}

Status UniformDraw::check_merge(const UniformDraw& other) const {
  if (Status same = check_same_seed(seed_, other.seed_, kName); !same) return same;
  if (Status same = check_same(capacity_, other.capacity_, "the size", kName); !same) return same;
  return check_count(seen_, other.seen_, kName);
}

std::uint64_t UniformDraw::draw_split(const UniformDraw& other) {
  std::uint64_t mine = seen_;
  std::uint64_t all = seen_ + other.seen_;
  for (std::uint64_t i = 0; i < capacity_; ++i, --all) mine -= random_.below(all) < mine ? 1 : 0;
  return seen_ - mine;
}

void UniformDraw::resume(std::uint64_t seen) {
  seen_ = seen;
  if (capacity_ == 0) return;
  if (seen_ < capacity_) {
    next_ = seen_;
    return;
  }
  // The k-th smallest of n uniform keys is Beta(k, n - k + 1), whichever records have them.
  const double below = random_.gamma(static_cast<double>(capacity_));
  const double above = random_.gamma(static_cast<double>(seen_ - capacity_ + 1));
  log_threshold_ = std::log(below) - std::log(below + above);
  draw_next();
}

void UniformDraw::encode(ByteWriter& out) const {
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put_varint(capacity_);
  out.put_varint(seen_);
  out.put<std::uint64_t>(next_);
  out.put<double>(log_threshold_);
  for (const std::uint64_t word : random_.state()) out.put<std::uint64_t>(word);
}

UniformDraw UniformDraw::decode(ByteReader& in) {
  const Seed seed{in.get<std::uint64_t>("the seed")};
  const std::uint64_t capacity = in.get_varint("the size");
  UniformDraw draw(capacity, seed, 0);
  draw.seen_ = in.get_varint("the count of records");
  draw.next_ = in.get<std::uint64_t>("the next record");
  draw.log_threshold_ = in.get<double>("the threshold");
  Random::State state{};
  for (std::uint64_t& word : state) word = in.get<std::uint64_t>("the state of the generator");
  draw.random_ = Random(state);
  in.require(draw.seen_ <= kMostRecords, "it counts more than 2^63 records");
  in.require(draw.log_threshold_ <= 0, "its threshold is no logarithm of a number between 0 and 1");
  in.require(capacity == 0 ? draw.next_ == kNever : draw.next_ >= draw.seen_,
             "the next record that it wants has passed");
  in.require(draw.seen_ >= capacity || draw.next_ == draw.seen_, "it skips records before it is full");
  return draw;
}

}  // namespace weir
