// The query of a request's target: names and values between & and =.
#pragma once

#include <string_view>

#include "weir/base/result.h"
#include "weir/server/http/text_arena.h"

namespace weir::server {

struct QueryPair {
  std::string_view name;
  std::string_view value;
};

/// Takes the next pair from the front of `query`, %XX decoded into `texts` where there is any. Empty pairs
/// (&&) are passed over; at the end the name is empty. An error is a sentence.
Result<QueryPair> take_query_pair(std::string_view& query, TextArena& texts);

}  // namespace weir::server
