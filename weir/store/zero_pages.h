// Memory straight from the system: all zeros, and not there until it is touched.
#pragma once

#include <cstddef>

namespace weir::store {

class ZeroPages {
 public:
  enum class Use { packed, random_access };

  /// `random_access` asks for large pages where the system has them, which spares a table look-up its second
  /// miss. Starts at a multiple of 2 MiB then, of a page otherwise.
  /// Throws std::bad_alloc when the system refuses.
  explicit ZeroPages(std::size_t bytes, Use use = Use::packed);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace weir::store
