// How much was admitted for one key in the trailing window that ends now: exactly, in memory for what is
// inside the window and no more.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "weir/base/time.h"
#include "weir/base/wide.h"

namespace weir {

class TrailingWindow {
 public:
  /// Counts `units` at `time` and gives all units in (time - per, time]. A time before the latest one given
  /// is read as that latest. REQUIRES: per > 0.
  std::uint64_t add(Nanos time, std::uint64_t units, Nanos per);

 private:
  struct Entry {
    Nanos time;
    std::uint64_t units;
  };
  void drop_until(Nanos end);

  // The entries in the window are [head_, size); what is before them has left it and waits to be erased in
  // one go.
  std::vector<Entry> entries_;
  std::size_t head_ = 0;
  Wide sum_ = 0;
};

}  // namespace weir
