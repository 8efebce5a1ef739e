#include "weir/stream/sshd_message.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weir {
namespace {

constexpr std::string_view kFrom = " from ";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}

/// Digits, dots and colons as in an address; not a proof, but no host name and no ordinary word passes.
bool looks_like_address(std::string_view word) {
  const bool has_colon = word.find(':') != std::string_view::npos;
  const auto is_part = [has_colon](char c) {
    const bool is_hex = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    return (c >= '0' && c <= '9') || c == '.' || (has_colon && (c == ':' || is_hex));
  };
  const std::string_view without_zone = word.substr(0, word.find('%'));
  return (has_colon || std::count(word.begin(), word.end(), '.') == 3) &&
         std::all_of(without_zone.begin(), without_zone.end(), is_part);
}

/// "192.0.2.1:" and "192.0.2.1," without what the sentence puts behind.
std::string_view without_punctuation(std::string_view word) {
  while (!word.empty() && (word.back() == ',' || (word.back() == ':' && !word.ends_with("::"))))
    word.remove_suffix(1);
  return word;
}

/// "NAME from ADDRESS …"
SshdParts read_name_and_address(std::string_view rest) {
  // The name may be empty, and then its own space is the one before "from".
  const std::size_t from = rest.rfind(kFrom);
  if (from == std::string_view::npos) return {};
  const std::string_view address = without_punctuation(first_word(rest.substr(from + kFrom.size())));
  SshdParts parts;
  parts.user = rest.substr(0, from);
  if (!address.empty()) parts.ip = address;
  return parts;
}

/// Whether `message` speaks of a name, and then what follows the words before it.
bool take_login_words(std::string_view& message) {
  for (const std::string_view words : {"Invalid user ", "Illegal user "}) {
    if (take_prefix(message, words)) return true;
  }
  std::string_view rest = message;
  bool found = take_prefix(rest, "error: maximum authentication attempts exceeded for ") ||
               take_prefix(rest, "maximum authentication attempts exceeded for ");
  if (!found &&
      (take_prefix(rest, "Failed ") || take_prefix(rest, "Accepted ") || take_prefix(rest, "Postponed "))) {
    // One word says how: password, publickey, keyboard-interactive/pam.
    rest.remove_prefix(std::min(rest.size(), first_word(rest).size()));
    found = take_prefix(rest, " for ");
  }
  if (!found) return false;
  static_cast<void>(take_prefix(rest, "invalid user ") || take_prefix(rest, "illegal user "));
  message = rest;
  return true;
}

/// The word after the first ` key`, which must stand at the front or behind a blank.
std::optional<std::string_view> value_of(std::string_view message, std::string_view key) {
  std::size_t at = message.find(key);
  while (at != std::string_view::npos) {
    if (at == 0 || message[at - 1] == ' ') return first_word(message.substr(at + key.size()));
    at = message.find(key, at + 1);
  }
  return std::nullopt;
}

std::optional<std::string_view> address_of(std::string_view message) {
  if (const auto host = value_of(message, "rhost=")) {
    return host->empty() ? std::nullopt : host;
  }
  // Behind these the stranger's own words come after the address, elsewhere before it.
  constexpr std::array<std::string_view, 3> kAddressFirst = {"Received disconnect from ",
                                                             "Disconnected from ", "Connection from "};
  const bool first = std::any_of(kAddressFirst.begin(), kAddressFirst.end(),
                                 [message](std::string_view words) { return message.starts_with(words); });
  const std::size_t from = first ? message.find(kFrom) : message.rfind(kFrom);
  if (from == std::string_view::npos) return std::nullopt;
  const std::string_view word = without_punctuation(first_word(message.substr(from + kFrom.size())));
  if (!looks_like_address(word)) return std::nullopt;
  return word;
}

}  // namespace

SshdParts read_sshd_message(std::string_view message) {
  std::string_view rest = message;
  if (take_login_words(rest)) return read_name_and_address(rest);
  return {.ip = address_of(message), .user = value_of(message, "user=")};
}

}  // namespace weir
