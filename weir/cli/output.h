// Standard output, written so that nothing is lost unnoticed: a full disk is an error, a reader that has
// gone away is none.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace weir {

class Output {
 public:
  explicit Output(int descriptor = STDOUT_FILENO) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();
  bool is_terminal() const { return ::isatty(descriptor_) == 1; }
  /// Whether writing on is of no use.
  bool failed() const { return error_ != 0; }
  /// Writes out what is left. 0; or, having said why, 1; or, quietly, 141 when the reader has gone.
  int finish();

 private:
  void put(std::string_view rest);

  int descriptor_;
  std::string buffer_;
  int error_ = 0;
};

/// Makes sure that descriptors 0, 1 and 2 are taken, so that no file that we open is mistaken for one of
/// them. What was closed stays useless: reading or writing it fails.
void guard_standard_descriptors();
/// Whether standard input was given to us, and for reading.
bool can_read_standard_input();

}  // namespace weir
