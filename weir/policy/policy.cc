#include "weir/policy/policy.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/compile.h"
#include "weir/policy/file.h"
#include "weir/policy/policy_index.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string name;
  std::string text;
};

Result<std::unique_ptr<PolicyIndex>> compile(const std::vector<Source>& sources, const fs::path& folder) {
  Problems problems;
  std::vector<YamlNode> files;
  for (const Source& source : sources) {
    if (auto root = parse_yaml(source.text, source.name, problems)) files.push_back(std::move(*root));
  }
  if (!problems.empty()) return problems.error();
  auto index = compile_policy(std::move(files), folder, problems);
  if (!index) return problems.error();
  return index;
}

/// A link that leads nowhere is one too, so that its rules are missed and not forgotten.
bool is_policy_file(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  const std::string extension = entry.path().extension().string();
  std::error_code ignored;
  return !name.starts_with('.') && (extension == ".yaml" || extension == ".yml") &&
         !entry.is_directory(ignored);
}

/// The policy files of a folder in the order of their names.
Result<std::vector<fs::path>> policy_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (!is_policy_file(*entry)) continue;
    std::error_code unknown;
    if (entry->exists(unknown) && !entry->is_regular_file(unknown)) {
      return Error{fmt::format("{}: this is no file that can be read to its end", entry->path().string())};
    }
    files.push_back(entry->path());
  }
  if (problem)
    return Error{fmt::format("{}: the folder can't be read: {}", folder.string(), problem.message())};
  if (files.empty())
    return Error{fmt::format("{}: there is no *.yaml or *.yml in this folder", folder.string())};
  std::sort(files.begin(), files.end());
  return files;
}

/// The address in an element of X-Forwarded-For, or before it.
struct Walk {
  bool done = false;
  std::string client;

  /// Takes an element, from the right.
  void take(std::string_view element, const PolicyIndex& index) {
    if (element.empty()) return;  // HTTP lets lists have those
    const auto address = parse_address(element);
    done = !address || !index.trusts(*address);
    if (address) client = to_text(*address);
  }
};

}  // namespace

Matches::Matches() : scratch_(std::make_unique<Scratch>()) {}
Matches::~Matches() = default;
Matches::Matches(Matches&&) noexcept = default;
Matches& Matches::operator=(Matches&&) noexcept = default;

Policy::Policy(std::unique_ptr<PolicyIndex> index) : index_(std::move(index)) {
  for (const Lookup& lookup : index_->lookups()) files_.push_back(lookup.file());
}
Policy::Policy(Policy&&) noexcept = default;
Policy& Policy::operator=(Policy&&) noexcept = default;
Policy::~Policy() = default;

Result<Policy> Policy::load(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  std::vector<fs::path> files{path};
  if (is_folder) {
    auto found = policy_files(path);
    if (!found) return found.error();
    files = *std::move(found);
  }
  std::vector<Source> sources;
  for (const fs::path& file : files) {
    auto text = read_file(file, kMaxPolicyBytes);
    if (!text) return Error{fmt::format("{}: {}", file.string(), text.error().message)};
    sources.push_back({file.string(), *std::move(text)});
  }
  auto index = compile(sources, is_folder ? path : path.parent_path());
  if (!index) return index.error();
  Policy policy(*std::move(index));
  policy.files_.insert(policy.files_.begin(), files.begin(), files.end());
  return policy;
}

Result<Policy> Policy::parse(std::string_view yaml, std::string_view name, const fs::path& folder) {
  auto index = compile({{std::string(name), std::string(yaml)}}, folder);
  if (!index) return index.error();
  return Policy(*std::move(index));
}

const std::string& Policy::domain() const {
  return index_->domain();
}
Charging Policy::charging() const {
  return index_->charging();
}
std::span<const Rule> Policy::rules() const {
  return index_->rules();
}

void Policy::match(const Request& request, const HashSecret& secret, Matches& out) const {
  index_->match(request, secret, out);
}

std::string Policy::client_address(std::string_view peer,
                                   std::span<const std::string_view> forwarded_for) const {
  const auto address = parse_address(peer);
  if (!address) return std::string(peer);
  Walk walk{!index_->trusts(*address), to_text(*address)};
  for (auto line = forwarded_for.rbegin(); line != forwarded_for.rend() && !walk.done; ++line) {
    std::string_view rest = *line;
    while (!walk.done) {
      const std::size_t comma = rest.rfind(',');
      const bool is_first = comma == std::string_view::npos;
      walk.take(trim(is_first ? rest : rest.substr(comma + 1)), *index_);
      if (is_first) break;
      rest = rest.substr(0, comma);
    }
  }
  return walk.client;
}

}  // namespace weir
