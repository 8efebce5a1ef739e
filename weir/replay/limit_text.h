// A limit on one line, as --try takes it, and the policy that has only that limit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/limit/limit.h"
#include "weir/policy/policy.h"
#include "weir/replay/json.h"

namespace weir {

/// "algorithm=sliding_log,quota=60,per=1m[,burst=10]"; token_bucket when no algorithm is named. Calendar
/// periods ("per=1 day") are UTC's. Errors name the field, what was found and what was meant.
Result<Limit> parse_limit_text(std::string_view text);

/// {"algorithm","quota","per"[,"burst"]}; the period as parse_limit_text takes it.
void write_limit(JsonWriter& json, const Limit& limit);

/// One rule for every request: `limit`, per value of `key`. Errors: a name in `key` that can't be one.
Result<std::shared_ptr<const Policy>> policy_of(const Limit& limit, const std::vector<std::string>& key);

}  // namespace weir
