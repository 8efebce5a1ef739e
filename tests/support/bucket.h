// One bucket in a test's hand: a kernel, its state, and rings as a sliding log needs them.
#pragma once

#include <ostream>
#include <vector>

#include "weir/limit/kernel.h"

namespace weir {

std::ostream& operator<<(std::ostream& out, const Verdict& verdict);

namespace test {

class Bucket {
 public:
  explicit Bucket(const Limit& limit, TimeFrame frame = {});

  Verdict decide(Nanos now, Ask ask = {});
  Verdict peek(Nanos now, std::uint64_t cost = 1) const;
  void refund(Nanos now, std::uint64_t cost);
  void give_back(Nanos now, std::uint64_t cost, const Charge& from);
  void charge(Nanos now, std::uint64_t cost);
  bool fresh(Nanos now) const;
  void reload(const Limit& limit, TimeFrame frame, Nanos now);

 private:
  void make_room(Nanos now);

  Kernel kernel_;
  State state_;
  std::vector<LogEntry> ring_;
};

}  // namespace test
}  // namespace weir
