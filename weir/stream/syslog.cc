#include "weir/stream/syslog.h"

#include <algorithm>

#include "weir/base/text.h"
#include "weir/stream/months.h"
#include "weir/stream/sshd_message.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"host", "program", "pid", "message",
                                                    "ip",   "user",    "time"};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNil = "-";
/// No daemon holds back more messages than this; a larger number is not to be believed.
constexpr std::uint64_t kMostRepeats = 1'000'000;

/// Drops `<34>` from the front.
void drop_priority(std::string_view& text) {
  if (!text.starts_with('<')) return;
  std::size_t end = 1;
  while (end < text.size() && end <= 3 && is_digit(text[end])) ++end;
  if (end > 1 && end < text.size() && text[end] == '>') text.remove_prefix(end + 1);
}

/// "Mar  7 13:06:56", and behind it a space, or a fraction and a space. Takes all of that.
bool take_stamp(std::string_view& text, YearlessStamp& stamp) {
  constexpr std::size_t kLength = 15;
  if (text.size() < kLength || text[3] != ' ' || text[6] != ' ' || text[9] != ':' || text[12] != ':')
    return false;
  const auto month = month_number(text.substr(0, 3));
  const char day[] = {text[4] == ' ' ? '0' : text[4], text[5]};
  stamp.day = two_digits({day, 2});
  stamp.hour = two_digits(text.substr(7));
  stamp.minute = two_digits(text.substr(10));
  stamp.second = two_digits(text.substr(13));
  stamp.fraction = 0;
  if (!month || stamp.day < 1 || stamp.day > 31 || stamp.hour < 0 || stamp.hour > 23) return false;
  if (stamp.minute < 0 || stamp.minute > 59 || stamp.second < 0 || stamp.second > 60) return false;
  stamp.month = *month;
  std::string_view rest = text.substr(kLength);
  if (rest.starts_with('.')) {
    // The seconds of a number are read by the one that reads numbers.
    const std::string_view fraction = rest.substr(0, rest.find(' '));
    const auto nanos = parse_seconds("0" + std::string(fraction.substr(0, 20)));
    if (!nanos) return false;
    stamp.fraction = *nanos;
    rest.remove_prefix(fraction.size());
  }
  if (!rest.empty() && rest.front() != ' ') return false;
  if (!rest.empty()) rest.remove_prefix(1);
  text = rest;
  return true;
}

/// Takes `-` or `[id name="value"]…`, in whose values \" is no end.
bool take_structured_data(std::string_view& text) {
  if (text == kNil || text.starts_with("- ")) {
    text.remove_prefix(std::min<std::size_t>(text.size(), 2));
    return true;
  }
  if (!text.starts_with('[')) return false;
  bool in_quotes = false;
  bool in_element = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_quotes && c == '\\') {
      ++at;
    } else if (in_element && c == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && c == ']') {
      in_element = false;
    } else if (!in_element) {
      if (c != '[') break;
      in_element = true;
    }
  }
  if (in_element || (at < text.size() && text[at] != ' ')) return false;
  text.remove_prefix(std::min(text.size(), at + 1));
  return true;
}

/// Whether a word is the tag of a program, "sshd[123]:" or "kernel:", and not the name of a host.
bool is_tag(std::string_view word) {
  return word.ends_with(':') || word.ends_with(']');
}

/// How many events a message stands for, and the message itself.
std::optional<std::uint64_t> take_repeats(std::string_view& message) {
  constexpr std::string_view kBefore = "message repeated ";
  constexpr std::string_view kAfter = " times: [";
  if (!message.starts_with(kBefore)) return 1;
  const std::size_t after = message.find(kAfter);
  if (after == std::string_view::npos) return 1;
  const auto count = parse_uint(message.substr(kBefore.size(), after - kBefore.size()));
  if (!count || *count == 0 || *count > kMostRepeats) return std::nullopt;
  message.remove_prefix(after + kAfter.size());
  if (message.starts_with(' ')) message.remove_prefix(1);
  if (message.ends_with(']')) message.remove_suffix(1);
  return count;
}

void set_unless_nil(std::optional<std::string_view>& value, std::string_view word) {
  if (word != kNil) value = word;
}

}  // namespace

std::vector<std::string> Syslog::fields() const {
  return {kNames.begin(), kNames.end()};
}

Status Syslog::want(std::string_view name, std::size_t slot) {
  const auto field = find_name("syslog", name, kNames);
  if (!field) return field.error();
  wanted_.push_back({*field, slot});
  wants_sshd_parts_ |= *field == kIp || *field == kUser;
  return Done{};
}

void Syslog::survey(std::string_view line) {
  drop_priority(line);
  YearlessStamp stamp;
  if (take_stamp(line, stamp)) years_.survey(stamp);
}

Parsed Syslog::parse(std::string_view text, Parts& parts) {
  Cut pieces;
  if (!cut(text, pieces, parts.time)) return Parsed::kMalformed;
  std::string_view message = pieces[kMessage].value_or("");
  const auto repeats = take_repeats(message);
  if (!repeats) return Parsed::kMalformed;
  parts.weight = *repeats;
  if (pieces[kMessage]) pieces[kMessage] = message;
  if (wants_sshd_parts_) {
    const SshdParts who = read_sshd_message(message);
    pieces[kIp] = who.ip;
    pieces[kUser] = who.user;
  }
  for (const auto& [field, slot] : wanted_) parts.fields[slot] = pieces[field];
  return Parsed::kRecord;
}

bool Syslog::cut(std::string_view text, Cut& cut, std::optional<Nanos>& time) {
  drop_priority(text);
  if (text.starts_with("1 ")) return cut_rfc5424(text.substr(2), cut, time);
  std::string_view rest = text;
  YearlessStamp stamp;
  if (take_stamp(rest, stamp)) {
    time = years_.resolve(stamp);
  } else {
    time = parse_rfc3339(take_word(rest));
  }
  if (!time) return false;
  cut[kTime] = trim(text.substr(0, text.size() - rest.size()), " ");
  cut_host_and_tag(rest, cut);
  return true;
}

/// What follows the stamp: "host program[pid]: message", where host and program may be missing.
void Syslog::cut_host_and_tag(std::string_view rest, Cut& cut) {
  std::string_view after = rest;
  if (const std::string_view word = take_word(after); !word.empty() && !is_tag(word)) {
    cut[kHost] = word;
    rest = after;
  }
  after = rest;
  std::string_view tag = take_word(after);
  if (!is_tag(tag)) {
    cut[kMessage] = rest;
    return;
  }
  if (tag.ends_with(':')) tag.remove_suffix(1);
  const std::size_t bracket = tag.find('[');
  cut[kProgram] = tag.substr(0, bracket);
  if (bracket != std::string_view::npos && tag.ends_with(']')) {
    cut[kPid] = tag.substr(bracket + 1, tag.size() - bracket - 2);
  }
  cut[kMessage] = after;
}

bool Syslog::cut_rfc5424(std::string_view text, Cut& cut, std::optional<Nanos>& time) {
  const std::string_view stamp = take_word(text);
  if (stamp != kNil) {
    time = parse_rfc3339(stamp);
    if (!time) return false;
    cut[kTime] = stamp;
  }
  const std::string_view host = take_word(text);
  const std::string_view program = take_word(text);
  const std::string_view pid = take_word(text);
  const std::string_view message_id = take_word(text);
  if (host.empty() || program.empty() || pid.empty() || message_id.empty()) return false;
  if (!take_structured_data(text)) return false;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  set_unless_nil(cut[kHost], host);
  set_unless_nil(cut[kProgram], program);
  set_unless_nil(cut[kPid], pid);
  cut[kMessage] = text;
  return true;
}

}  // namespace weir
