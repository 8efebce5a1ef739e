#include "weir/policy/path.h"

#include <algorithm>

#include "weir/base/text.h"

namespace weir {
namespace {

/// Appends the decoded bytes up to the query or the fragment.
void append_decoded(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size() && text[i] != '?' && text[i] != '#'; ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (high && low) {
        out += static_cast<char>(*high << 4U | *low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
}

/// Resolves the segments of out[start..] in place: what is written never overtakes what is read.
void resolve_segments(std::string& out, std::size_t start) {
  std::size_t write = start;
  std::size_t read = start;
  const std::size_t end = out.size();
  while (read < end) {
    while (read < end && out[read] == '/') ++read;
    std::size_t stop = out.find('/', read);
    if (stop == std::string::npos) stop = end;
    const std::string_view segment(out.data() + read, stop - read);
    if (segment == "..") {
      while (write > start && out[--write] != '/') {
      }
    } else if (!segment.empty() && segment != ".") {
      out[write++] = '/';
      write = static_cast<std::size_t>(
          std::copy(segment.begin(), segment.end(), out.begin() + static_cast<std::ptrdiff_t>(write)) -
          out.begin());
    }
    read = stop;
  }
  if (write == start) out[write++] = '/';
  out.resize(write);
}

}  // namespace

void append_path(std::string& out, std::string_view path) {
  if (!path.starts_with('/')) {
    out += path;
    return;
  }
  const std::size_t start = out.size();
  append_decoded(out, path);
  resolve_segments(out, start);
}

}  // namespace weir
