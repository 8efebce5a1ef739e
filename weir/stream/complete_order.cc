// An external merge sort: sorted runs in one unnamed file, merged through a heap.
#include <algorithm>
#include <cstring>
#include <limits>
#include <queue>
#include <string>
#include <vector>

#include "weir/stream/spill_file.h"
#include "weir/stream/time_order.h"

namespace weir {
namespace {

/// Where the bytes of an event are while it waits in memory.
struct Waiting {
  Nanos time;
  const char* bytes;
  std::uint32_t size;
  std::uint32_t arrival;  // within its run
};

bool is_before(const Waiting& a, const Waiting& b) {
  return a.time != b.time ? a.time < b.time : a.arrival < b.arrival;
}

/// Memory in large pieces; what it hands out stays where it is.
class Arena {
 public:
  explicit Arena(std::size_t piece) : piece_(piece) {}

  const char* keep(std::string_view bytes) {
    if (left_ < bytes.size()) add_piece(bytes.size());
    if (!bytes.empty()) std::memcpy(free_, bytes.data(), bytes.size());
    const char* kept = free_;
    free_ += bytes.size();
    left_ -= bytes.size();
    return kept;
  }

  std::size_t allocated() const { return allocated_; }

  void clear() {
    pieces_.clear();
    free_ = nullptr;
    left_ = allocated_ = 0;
  }

 private:
  void add_piece(std::size_t wanted) {
    const std::size_t size = std::max(piece_, wanted);
    // Not make_unique: what is about to be written over need not be zeroed.
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = pieces_.back().get();
    left_ = size;
    allocated_ += size;
  }

  std::size_t piece_;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t allocated_ = 0;
};

/// A run's next event in the heap: the earliest first, and of equal ones that of the earlier run.
struct Head {
  Nanos time;
  std::size_t run;
  bool operator>(const Head& other) const { return time != other.time ? time > other.time : run > other.run; }
};

constexpr std::size_t kLargestPiece = std::size_t{1} << 20U;
constexpr std::size_t kSmallestReadAhead = std::size_t{4} << 10U;
constexpr std::size_t kLargestReadAhead = std::size_t{1} << 20U;

}  // namespace

struct CompleteOrder::Impl {
  Impl(std::size_t most, std::string_view where)
      : memory(most), folder(where), arena(std::clamp<std::size_t>(most / 8, 64, kLargestPiece)) {}

  bool is_full(std::size_t bytes) const;
  Status spill();
  Status start_merge();
  Status advance(std::size_t run);
  Status end_adding();
  std::optional<TimedBytes> next_waiting();
  Result<std::optional<TimedBytes>> next_merged();

  std::size_t memory;
  std::string folder;
  Arena arena;
  std::vector<Waiting> waiting;
  std::size_t given = 0;  // of `waiting`

  std::optional<SpillFile> file;
  std::vector<SpillRun> runs;
  std::vector<SpillReader> readers;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::optional<std::size_t> last_run;  // the one whose event the caller has a view of

  bool adding = true;
  std::uint64_t reordered = 0;
  Nanos latest = std::numeric_limits<Nanos>::min();
};

bool CompleteOrder::Impl::is_full(std::size_t bytes) const {
  if (waiting.empty()) return false;
  // A vector that grows is there twice, once at twice its size.
  const std::size_t entries =
      waiting.size() < waiting.capacity() ? waiting.capacity() : waiting.capacity() * 3;
  return arena.allocated() + bytes + entries * sizeof(Waiting) > memory ||
         waiting.size() == std::numeric_limits<std::uint32_t>::max();
}

/// Writes what waits as one sorted run.
Status CompleteOrder::Impl::spill() {
  if (!file) {
    Result<SpillFile> made = SpillFile::create(folder);
    if (!made) return made.error();
    file.emplace(std::move(made).value());
  }
  std::sort(waiting.begin(), waiting.end(), is_before);
  file->begin_run();
  for (const Waiting& event : waiting) {
    if (Status written = file->append({event.time, {event.bytes, event.size}}); !written) return written;
  }
  const Result<SpillRun> run = file->end_run();
  if (!run) return run.error();
  runs.push_back(*run);
  // Capacity counts as memory in use; what is empty shall not keep the next run small.
  waiting.clear();
  arena.clear();
  return Done{};
}

Status CompleteOrder::Impl::end_adding() {
  adding = false;
  if (runs.empty()) {
    std::sort(waiting.begin(), waiting.end(), is_before);
    return Done{};
  }
  if (!waiting.empty()) {
    if (Status spilled = spill(); !spilled) return spilled;
  }
  waiting.shrink_to_fit();
  return start_merge();
}

Status CompleteOrder::Impl::start_merge() {
  const std::size_t share = std::clamp(memory / runs.size(), kSmallestReadAhead, kLargestReadAhead);
  readers.reserve(runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    readers.emplace_back(*file, runs[run], share);
    if (Status read = advance(run); !read) return read;
  }
  return Done{};
}

Status CompleteOrder::Impl::advance(std::size_t run) {
  const Result<bool> more = readers[run].advance();
  if (!more) return more.error();
  if (*more) heads.push({readers[run].event().time, run});
  return Done{};
}

std::optional<TimedBytes> CompleteOrder::Impl::next_waiting() {
  if (given == waiting.size()) return std::nullopt;
  const Waiting& event = waiting[given++];
  return TimedBytes{event.time, {event.bytes, event.size}};
}

Result<std::optional<TimedBytes>> CompleteOrder::Impl::next_merged() {
  if (last_run) {
    if (const Status read = advance(*std::exchange(last_run, std::nullopt)); !read) return read.error();
  }
  if (heads.empty()) return std::optional<TimedBytes>();
  last_run = heads.top().run;
  heads.pop();
  return std::optional<TimedBytes>(readers[*last_run].event());
}

CompleteOrder::CompleteOrder(std::size_t memory, std::string_view folder)
    : impl_(std::make_unique<Impl>(memory, folder)) {}
CompleteOrder::~CompleteOrder() = default;
CompleteOrder::CompleteOrder(CompleteOrder&&) noexcept = default;
CompleteOrder& CompleteOrder::operator=(CompleteOrder&&) noexcept = default;

Status CompleteOrder::add(TimedBytes event) {
  if (!impl_->adding) return Error{"events can't be added once they have been taken out in order"};
  if (event.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{"an event of more than 4 GiB can't be put in order"};
  }
  if (impl_->is_full(event.bytes.size())) {
    if (Status spilled = impl_->spill(); !spilled) return spilled;
  }
  if (event.time < impl_->latest) ++impl_->reordered;
  impl_->latest = std::max(impl_->latest, event.time);
  impl_->waiting.push_back({event.time, impl_->arena.keep(event.bytes),
                            static_cast<std::uint32_t>(event.bytes.size()),
                            static_cast<std::uint32_t>(impl_->waiting.size())});
  return Done{};
}

std::uint64_t CompleteOrder::reordered() const {
  return impl_->reordered;
}

Result<std::optional<TimedBytes>> CompleteOrder::next() {
  if (impl_->adding) {
    if (const Status ended = impl_->end_adding(); !ended) return ended.error();
  }
  if (impl_->runs.empty()) return impl_->next_waiting();
  return impl_->next_merged();
}

}  // namespace weir
