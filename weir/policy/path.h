// The many spellings of one path brought to one, so that a limit on /login can't be walked around.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Appends the normal form of a path. In this order: the query and the fragment are dropped; %xx is decoded,
/// once, whatever it stands for (what is no %xx stays); then //, /./ and /../ are resolved, never above the
/// root, and a trailing slash is dropped. Case is kept. Decoding comes before resolving, so that %2e%2e and
/// %2F hide nothing. What does not begin with a slash is appended as it is.
void append_path(std::string& out, std::string_view path);

}  // namespace weir
