// The sparse form: a register is found by walking the runs, and raised by splitting the run that holds it.
// Which runs are split and joined is as in Redis, so that the bytes are the same.
#include "weir/sketch/hyll_layout.h"
#include "weir/sketch/redis_hll.h"

namespace weir {
namespace {

struct Found {
  std::size_t at;         // byte of the run
  std::size_t before;     // byte of the run before it, or of the first
  std::size_t register_;  // first register of the run
  hyll::Run run;
};

/// REQUIRES: the runs cover `index`, as those of every RedisHll do.
Found find_run(std::string_view bytes, std::size_t index) {
  Found found{hyll::kHead, hyll::kHead, 0, hyll::read_run(bytes.substr(hyll::kHead))};
  while (index >= found.register_ + found.run.length) {
    found.before = found.at;
    found.at += found.run.bytes;
    found.register_ += found.run.length;
    found.run = hyll::read_run(bytes.substr(found.at));
  }
  return found;
}

/// The run with the register at `offset` of it set to `value`: two or three runs, or one.
std::string split(const hyll::Run& run, std::size_t offset, unsigned value) {
  std::string runs;
  const auto append = [&](std::size_t length) {
    if (length == 0) return;
    if (run.value == 0) {
      hyll::append_zeros(runs, length);
    } else {
      runs += hyll::value_run(run.value, length);
    }
  };
  append(offset);
  runs += hyll::value_run(value, 1);
  append(run.length - 1 - offset);
  return runs;
}

}  // namespace

bool RedisHll::promote_and_raise(std::size_t index, unsigned value) {
  become_dense();
  return raise_dense(index, value);
}

bool RedisHll::raise_sparse(std::size_t index, unsigned value) {
  if (value > hyll::kMaxSparseValue) return promote_and_raise(index, value);
  const Found found = find_run(bytes_, index);
  if (found.run.value >= value) return false;
  const std::string runs = split(found.run, index - found.register_, value);
  const bool grows = runs.size() > found.run.bytes;
  if (grows && bytes_.size() + runs.size() - found.run.bytes > sparse_max_bytes_) {
    return promote_and_raise(index, value);
  }
  bytes_.replace(found.at, found.run.bytes, runs);
  join_runs(found.before);
  forget_count();
  return true;
}

/// Joins equal neighbours of together at most four registers, among the next five runs.
void RedisHll::join_runs(std::size_t from) {
  for (int looked_at = 0; looked_at < 5 && from < bytes_.size(); ++looked_at) {
    const hyll::Run run = hyll::read_run(std::string_view(bytes_).substr(from));
    if (run.value != 0 && from + 1 < bytes_.size()) {
      const hyll::Run next = hyll::read_run(std::string_view(bytes_).substr(from + 1));
      if (next.value == run.value && next.length + run.length <= hyll::kMaxRun) {
        bytes_[from + 1] = hyll::value_run(run.value, run.length + next.length);
        bytes_.erase(from, 1);
        continue;
      }
    }
    from += run.bytes;
  }
}

}  // namespace weir
