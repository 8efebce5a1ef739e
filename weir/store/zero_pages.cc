#include "weir/store/zero_pages.h"

#include <cstdint>
#include <memory>
#include <new>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace weir::store {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;

#ifdef _WIN32
void* map(std::size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
void unmap(void* mapping, std::size_t) {
  VirtualFree(mapping, 0, MEM_RELEASE);
}
void want_large_pages(void*, std::size_t) {}
#else
void* map(std::size_t bytes) {
  void* mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapping == MAP_FAILED ? nullptr : mapping;
}
void unmap(void* mapping, std::size_t bytes) {
  munmap(mapping, bytes);
}
void want_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // A wish: where it is not granted, pages are small.
  madvise(data, bytes, MADV_HUGEPAGE);
#endif
}
#endif

}  // namespace

ZeroPages::ZeroPages(std::size_t bytes, Use use) {
  const bool large = use == Use::random_access && bytes >= kLargePage;
  mapped_ = bytes + (large ? kLargePage : 0);
  mapping_ = mapped_ < bytes ? nullptr : map(mapped_);
  if (mapping_ == nullptr) throw std::bad_alloc();
  void* data = mapping_;
  if (large) {
    std::size_t space = mapped_;
    data = std::align(kLargePage, bytes, data, space);
    want_large_pages(data, bytes);
  }
  data_ = static_cast<std::byte*>(data);
}

ZeroPages::~ZeroPages() {
  unmap(mapping_, mapped_);
}

}  // namespace weir::store
