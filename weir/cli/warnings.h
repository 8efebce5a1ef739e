// What a reader should be told besides the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// Sentences, each kept once, and no more than a reader would read, however many groups and windows say them.
class Warnings {
 public:
  static constexpr std::size_t kMost = 10;

  void add(std::string sentence);
  /// Those kept, and how many more there were.
  std::vector<std::string> sentences() const;

 private:
  std::vector<std::string> kept_;
  std::uint64_t more_ = 0;
};

}  // namespace weir
