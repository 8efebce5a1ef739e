#include "weir/policy/fold.h"

#include <algorithm>

#include <utf8proc.h>

#include "weir/base/text.h"

namespace weir {
namespace {

// One pass is nearly always enough, two where folding makes blanks or compositions appear.
constexpr int kMostPasses = 4;
// Longer runs of combining marks than any writing has; up to here, sorting in place beats everything else.
constexpr std::ptrdiff_t kShortRun = 32;

std::int32_t decode(std::string_view text, std::size_t length) {
  std::int32_t point = 0;
  utf8proc_iterate(reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::ptrdiff_t>(length),
                   &point);
  return point;
}

/// Unicode's White_Space.
bool is_blank(std::int32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  return point == 0x85 || point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) ||
         point == 0x2028 || point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

std::size_t leading_blanks(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const std::string_view rest = text.substr(size);
    const std::size_t length = utf8_length(rest);
    if (length == 0 || !is_blank(decode(rest, length))) break;
    size += length;
  }
  return size;
}

std::size_t trailing_blanks(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    // The start of the last character, at most four bytes back.
    const std::string_view rest = text.substr(0, text.size() - size);
    std::size_t length = 1;
    while (length < 4 && length < rest.size() &&
           (static_cast<unsigned char>(rest[rest.size() - length]) & 0xC0U) == 0x80U) {
      ++length;
    }
    const std::string_view last = rest.substr(rest.size() - length);
    if (utf8_length(last) != length || !is_blank(decode(last, length))) break;
    size += length;
  }
  return size;
}

void trim_in_place(std::string& text) {
  text.resize(text.size() - trailing_blanks(text));
  text.erase(0, leading_blanks(text));
}

int combining_class(std::int32_t point) {
  return utf8proc_get_property(point)->combining_class;
}

/// Puts each run of combining marks into canonical order. utf8proc's own does that in quadratic time, which a
/// hostile name could use.
void order_marks(std::vector<std::int32_t>& points) {
  const auto before = [](std::int32_t a, std::int32_t b) { return combining_class(a) < combining_class(b); };
  const auto is_mark = [](std::int32_t point) { return combining_class(point) != 0; };
  auto end = points.begin();
  while (end != points.end()) {
    const auto begin = std::find_if(end, points.end(), is_mark);
    end = std::find_if_not(begin, points.end(), is_mark);
    if (end - begin > kShortRun) {
      std::stable_sort(begin, end, before);
    } else {
      for (auto i = begin; i != end; ++i) std::rotate(std::upper_bound(begin, i, *i, before), i, i + 1);
    }
  }
}

utf8proc_option_t options_of(FoldSteps steps) {
  unsigned options = UTF8PROC_STABLE;
  if (steps.casefold) options |= UTF8PROC_CASEFOLD;
  if (steps.nfkc) options |= UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

/// Appends what one character becomes before composition.
void append_decomposed(std::vector<std::int32_t>& points, std::int32_t point, utf8proc_option_t options) {
  const std::size_t size = points.size();
  int boundary = 0;
  points.resize(size + 4);
  utf8proc_ssize_t length = utf8proc_decompose_char(point, points.data() + size, 4, options, &boundary);
  if (length > 4) {
    points.resize(size + static_cast<std::size_t>(length));
    length = utf8proc_decompose_char(point, points.data() + size, length, options, &boundary);
  }
  if (length < 0) {  // a code point that Unicode has no mapping for
    points[size] = point;
    length = 1;
  }
  points.resize(size + static_cast<std::size_t>(length));
}

void append_encoded(std::string& out, const std::vector<std::int32_t>& points) {
  for (const std::int32_t point : points) {
    std::uint8_t bytes[4];
    const utf8proc_ssize_t length = utf8proc_encode_char(point, bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  }
}

/// Appends the folded form of `text`, all of which is UTF-8.
void append_folded_run(std::string& out, std::string_view text, FoldSteps steps,
                       std::vector<std::int32_t>& points) {
  const utf8proc_option_t options = options_of(steps);
  points.clear();
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    append_decomposed(points, decode(text, length), options);
    text.remove_prefix(length);
  }
  if (steps.nfkc) {
    order_marks(points);
    const utf8proc_ssize_t composed =
        utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()), options);
    points.resize(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(composed, 0)));
  }
  append_encoded(out, points);
}

/// The length of the UTF-8 text at the front.
std::size_t valid_run(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t length = utf8_length(text.substr(size));
    if (length == 0) break;
    size += length;
  }
  return size;
}

void fold_unicode(std::string& text, FoldSteps steps, FoldScratch& scratch) {
  scratch.pass.clear();
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t run = valid_run(rest);
    append_folded_run(scratch.pass, rest.substr(0, run), steps, scratch.points);
    rest.remove_prefix(run);
    if (rest.empty()) break;
    scratch.pass += rest[0];
    rest.remove_prefix(1);
  }
  text.swap(scratch.pass);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

void fold(std::string& text, FoldSteps steps, FoldScratch& scratch) {
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii && steps.casefold) std::transform(text.begin(), text.end(), text.begin(), lower);
  if (steps.trim) trim_in_place(text);
  if (ascii || (!steps.casefold && !steps.nfkc)) return;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    fold_unicode(text, steps, scratch);
    if (steps.trim) trim_in_place(text);
    if (text == scratch.pass) return;  // which the swap has left as it was before
  }
}

}  // namespace weir
