// Spellings of one name brought to one, as applications do before they compare account names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Which differences between two texts do not count.
struct FoldSteps {
  /// Blanks (Unicode's White_Space) at both ends.
  bool trim = false;
  /// Upper and lower case (Unicode's full case folding).
  bool casefold = false;
  /// Compatible forms: full-width letters, ligatures, composed and decomposed accents (NFKC).
  bool nfkc = false;

  bool any() const { return trim || casefold || nfkc; }
  bool operator==(const FoldSteps&) const = default;
};

/// The room that folding works in, so that it allocates nothing once warm.
struct FoldScratch {
  std::vector<std::int32_t> points;
  std::string pass;
};

/// Brings `text` to the form that no further folding changes. Bytes that are not UTF-8 stay as they are, and
/// fold what stands between them by itself; so does NUL, which is a character like any other. Takes time in
/// proportion to the length, whatever the text.
void fold(std::string& text, FoldSteps steps, FoldScratch& scratch);

}  // namespace weir
