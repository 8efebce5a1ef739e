#include "weir/policy/compile.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/fields.h"
#include "weir/policy/reference.h"
#include "weir/policy/rule_conflicts.h"
#include "weir/policy/zone.h"

namespace weir {
namespace {

constexpr std::array<Synonym, 5> kSynonyms{{{"limits", "rules"},
                                            {"descriptors", "rules"},
                                            {"tz", "timezone"},
                                            {"name", "domain"},
                                            {"lookups", "lookup"}}};
constexpr std::pair<std::string_view, Charging> kCharging[]{{"all_or_nothing", Charging::all_or_nothing},
                                                            {"each", Charging::each}};

/// The fields of all files as one map. Rules are put together, all else must be said once or alike.
YamlNode merge(std::vector<YamlNode> files, const Reporter& report) {
  YamlNode merged;
  merged.kind = YamlNode::Kind::map;
  merged.place = files.front().place;
  for (YamlNode& file : files) {
    if (!check_fields(file, policy_fields(), kSynonyms, report)) continue;
    for (YamlNode& field : file.children) {
      const auto same_key = [&](const YamlNode& other) { return other.key == field.key; };
      const auto before = std::find_if(merged.children.begin(), merged.children.end(), same_key);
      if (before == merged.children.end()) {
        merged.children.push_back(std::move(field));
      } else if (field.key == "rules" && field.kind == YamlNode::Kind::list &&
                 before->kind == YamlNode::Kind::list) {
        std::move(field.children.begin(), field.children.end(), std::back_inserter(before->children));
      } else if (!field.same_as(*before)) {
        report.add(field.key_place, fmt::format("{} is given at {} already, and differently", field.key,
                                                to_text(before->key_place)));
      }
    }
  }
  return merged;
}

class Compiler {
 public:
  Compiler(YamlNode root, const std::filesystem::path& folder, Problems& problems)
      : root_(std::move(root)), folder_(folder), problems_(problems), report_(problems, "") {}

  std::unique_ptr<PolicyIndex> compile() {
    read_domain();
    read_calendar();
    read_trusted_proxies();
    read_normalize();
    read_lookups();
    read_rules();
    if (!problems_.empty()) return nullptr;
    check_conflicts(rules_, settings_.dimensions, problems_);
    if (!problems_.empty()) return nullptr;
    return std::make_unique<PolicyIndex>(std::move(settings_), std::move(rules_));
  }

 private:
  void read_domain() {
    if (const YamlNode* domain = root_.find("domain")) {
      if (auto name = read_name(*domain, report_.within("domain"))) settings_.domain = std::move(*name);
    } else {
      report_.add(root_.place, "the policy has no domain; name what it is for, such as domain: game");
    }
    if (const YamlNode* charging = root_.find("charging")) {
      const auto choice = read_choice(*charging, kCharging, report_.within("charging"));
      settings_.charging = choice.value_or(Charging::all_or_nothing);
    }
  }

  void read_calendar() {
    if (const YamlNode* zone = root_.find("timezone")) {
      if (const auto name = read_text(*zone, report_.within("timezone"))) {
        if (auto loaded = load_zone(*name)) {
          calendar_.zone = *std::move(loaded);
        } else {
          report_.within("timezone").add(zone->place, loaded.error().message);
        }
      }
    }
    if (const YamlNode* reset_at = root_.find("reset_at")) {
      calendar_.reset_at = read_time_of_day(*reset_at, report_.within("reset_at")).value_or(0);
    }
  }

  void read_trusted_proxies() {
    const YamlNode* list = root_.find("trusted_proxies");
    if (list == nullptr) return;
    const Reporter report = report_.within("trusted_proxies");
    if (!check_list(*list, "[10.0.0.0/8]", report)) return;
    std::vector<std::pair<Prefix, std::uint32_t>> prefixes;
    // The table takes each only once; by their text they can be hashed.
    std::unordered_set<std::string> seen;
    for (const YamlNode& item : list->children) {
      const auto text = read_text(item, report);
      if (!text) continue;
      const PrefixReading reading = parse_prefix(*text);
      if (!reading.prefix) {
        report.add(item.place,
                   fmt::format("\"{}\" is no address or prefix; {}", printable(*text),
                               reading.hint.empty() ? "write 10.0.0.5 or 10.0.0.0/8" : reading.hint));
        continue;
      }
      if (seen.insert(to_text(*reading.prefix)).second) prefixes.emplace_back(*reading.prefix, 0);
    }
    settings_.trusted_proxies = PrefixTable(prefixes);
  }

  /// Whether the field is there and a map, each field of which then names a dimension.
  const YamlNode* find_map_of_dimensions(std::string_view field, std::string_view example) {
    const YamlNode* map = root_.find(field);
    if (map == nullptr) return nullptr;
    if (map->kind != YamlNode::Kind::map) {
      report_.within(field).add(map->place,
                                fmt::format("a map of dimensions is needed, such as {}", example));
      return nullptr;
    }
    for (const YamlNode& child : map->children) {
      if (!check_name(child.key, child.key_place, report_.within(field))) return nullptr;
    }
    return map;
  }

  void read_normalize() {
    const YamlNode* map = find_map_of_dimensions("normalize", "{account: [trim, casefold]}");
    if (map == nullptr) return;
    for (const YamlNode& child : map->children) {
      const Reporter report = report_.within(fmt::format("normalize: {}", printable(child.key)));
      settings_.dimensions[settings_.dimensions.intern(child.key)].normalizer.configure(child, report);
    }
  }

  void read_lookups() {
    const YamlNode* map = find_map_of_dimensions("lookup", "{plan: {from: account, file: plans.csv}}");
    if (map == nullptr) return;
    check_lookup_order(*map);
    if (!problems_.empty()) return;
    for (const YamlNode& child : map->children) {
      const Reporter report = report_.within(fmt::format("lookup: {}", printable(child.key)));
      if (auto lookup = Lookup::read(child, folder_, settings_.dimensions, report)) {
        settings_.lookups.push_back(std::move(*lookup));
      }
    }
  }

  /// A lookup may use what another derives, if that stands above it; so none ever goes round in a circle.
  void check_lookup_order(const YamlNode& map) {
    std::unordered_map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < map.children.size(); ++i) positions.emplace(map.children[i].key, i);
    for (std::size_t i = 0; i < map.children.size(); ++i) {
      const YamlNode* from =
          map.children[i].kind == YamlNode::Kind::map ? map.children[i].find("from") : nullptr;
      if (from == nullptr) continue;
      const auto looked_up = positions.find(from->scalar);
      if (looked_up != positions.end() && looked_up->second > i) {
        report_.within(fmt::format("lookup: {}", printable(map.children[i].key)))
            .add(from->place,
                 fmt::format("\"{}\" is looked up further down; put it above", printable(from->scalar)));
      }
    }
  }

  void read_rules() {
    const YamlNode* rules = root_.find("rules");
    if (rules == nullptr) {
      report_.add(root_.place, "the policy has no rules; write rules: and a list of them");
      return;
    }
    if (!check_list(*rules, "- name: chat and so on, one per rule", report_.within("rules"))) return;
    for (const YamlNode& node : rules->children) {
      if (auto rule = read_rule(node, calendar_, settings_.dimensions, problems_))
        rules_.push_back(std::move(*rule));
    }
  }

  YamlNode root_;
  const std::filesystem::path& folder_;
  Problems& problems_;
  Reporter report_;
  CalendarSettings calendar_;
  PolicyIndex::Settings settings_;
  std::vector<ParsedRule> rules_;
};

}  // namespace

std::unique_ptr<PolicyIndex> compile_policy(std::vector<YamlNode> files, const std::filesystem::path& folder,
                                            Problems& problems) {
  YamlNode root = merge(std::move(files), Reporter(problems, ""));
  if (!problems.empty()) return nullptr;
  return Compiler(std::move(root), folder, problems).compile();
}

}  // namespace weir
