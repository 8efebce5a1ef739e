#include "weir/policy/prefix_table.h"

#include <algorithm>

namespace weir {

PrefixTable::PrefixTable(std::span<const std::pair<Prefix, std::uint32_t>> prefixes) {
  std::vector<std::pair<Prefix, std::uint32_t>> of_family[2];
  for (const auto& entry : prefixes) of_family[entry.first.first.v4 ? 0 : 1].push_back(entry);
  families_[0].build(std::move(of_family[0]));
  families_[1].build(std::move(of_family[1]));
}

std::int32_t PrefixTable::Family::innermost(Wide bits) const {
  const auto after = std::upper_bound(starts.begin(), starts.end(), bits);
  if (after == starts.begin()) return kNone;
  return inner[static_cast<std::size_t>(after - starts.begin()) - 1];
}

void PrefixTable::Family::begin_stretch(Wide start, std::int32_t node) {
  if (!starts.empty() && starts.back() == start) {
    inner.back() = node;
    return;
  }
  starts.push_back(start);
  inner.push_back(node);
}

void PrefixTable::Family::build(std::vector<std::pair<Prefix, std::uint32_t>> prefixes) {
  // Outer prefixes before what they hold.
  std::sort(prefixes.begin(), prefixes.end(), [](const auto& a, const auto& b) {
    if (a.first.first.bits != b.first.first.bits) return a.first.first.bits < b.first.first.bits;
    return a.first.length < b.first.length;
  });
  std::vector<std::int32_t> open;
  const auto close = [&] {
    const Prefix& prefix = prefixes[index(open.back())].first;
    open.pop_back();
    const Wide last = prefix.last();
    const bool at_the_end = last == (prefix.first.v4 ? Wide{0xFFFFFFFFU} : ~Wide{0});
    if (!at_the_end) begin_stretch(last + 1, open.empty() ? kNone : open.back());
  };
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    const Prefix& prefix = prefixes[i].first;
    while (!open.empty() && prefixes[index(open.back())].first.last() < prefix.first.bits) close();
    nodes.push_back({prefixes[i].second, open.empty() ? kNone : open.back()});
    open.push_back(static_cast<std::int32_t>(i));
    begin_stretch(prefix.first.bits, open.back());
  }
  while (!open.empty()) close();
}

}  // namespace weir
