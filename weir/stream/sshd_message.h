// Who is spoken of in the messages of sshd and PAM.
#pragma once

#include <optional>
#include <string_view>

namespace weir {

struct SshdParts {
  std::optional<std::string_view> ip;
  std::optional<std::string_view> user;  // may be empty: the client sent an empty name
};

/// The address behind `from` or `rhost=`, and the name that somebody logs in under. A name is chosen by the
/// stranger at the other end and may itself read "root from 192.0.2.1": the address that sshd wrote is the
/// last one.
SshdParts read_sshd_message(std::string_view message);

}  // namespace weir
