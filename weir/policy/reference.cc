#include "weir/policy/reference.h"

#include <fmt/format.h>

namespace weir {
namespace {

constexpr FieldInfo kPolicyFields[] = {
    {"domain", "the name of what is limited; in metrics and keys", "required"},
    {"rules", "the list of rules; may be `[]`", "required"},
    {"timezone", "for calendar periods: a name such as `Asia/Seoul` from the system's time zone database",
     "UTC"},
    {"reset_at", "when a calendar day begins, `\"05:00\"`", "`00:00`"},
    {"trusted_proxies", "list of addresses and prefixes whose `X-Forwarded-For` is believed", "none is"},
    {"normalize", "per dimension: what is done to its values before matching and keying", "see below"},
    {"lookup", "dimensions that are looked up in a table by another", "none"},
    {"charging",
     "`all_or_nothing`: a request is charged by all its rules or by none. `each`: every "
     "rule that admits it charges it",
     "`all_or_nothing`"},
};

constexpr FieldInfo kRuleFields[] = {
    {"name", "unique in the policy", "required"},
    {"match", "the dimensions and values that it applies to", "every request"},
    {"key", "list of the dimensions whose values name a bucket; `[]` is one bucket for all", "required"},
    {"limit", "see [Limits](#limits)", "required, unless `unlimited`"},
    {"overrides", "list of `{match, limit}` or `{match, unlimited: true}`", "none"},
    {"unlimited",
     "`true`: who fulfils the match is held by no rule at all. Nothing but `name` and "
     "`match` may stand beside it",
     "`false`"},
    {"action",
     "`deny`; `delay` (only with `leaky_bucket`, in the limit and all overrides); `shadow`: "
     "counts and reports, never changes the outcome",
     "`deny`"},
    {"cost", "a request of cost n takes n times this; at least 1", "1"},
    {"charge_denied", "a denied request is charged too, into debt of at most one capacity", "`false`"},
    {"on_missing",
     "when a dimension of the key is missing: `skip` the rule, `shared`: a missing value "
     "counts as an empty one, so that all requests without an account share the account's "
     "bucket, `deny` them",
     "`skip`"},
    {"on_full", "when the store has no room for another bucket: `deny` or `allow`", "`deny`"},
    {"on_store_error",
     "when a shared store can't be asked: `allow`, `deny`, or `local` (a bucket of this "
     "process)",
     "`allow`"},
    {"count_as", "the name that its buckets go by, to share them with other rules", "the rule's name"},
    {"align",
     "`fixed_window` over spans: `epoch` (all keys' windows begin at once) or `key` (each "
     "key's at a time of its own)",
     "`epoch`"},
};

constexpr FieldInfo kOverrideFields[] = {
    {"match", "whom it is for, as in a rule", "required"},
    {"limit", "the limit that it gives instead of the rule's own", "required, unless `unlimited`"},
    {"unlimited", "`true`: this rule does not hold those who match", "`false`"},
};

constexpr FieldInfo kLimitFields[] = {
    {"algorithm", "which of the algorithms below", "`token_bucket`"},
    {"quota", "units per period; 0 admits nothing, from the first request on", "required"},
    {"per",
     "the period: a span such as `500ms`, `10s`, `1m`, `7d`, or a calendar period of "
     "`fixed_window`",
     "required"},
    {"burst",
     "`token_bucket` and `gcra`: the capacity, at least 1. `leaky_bucket`: how many may "
     "wait beyond the one that leaves. Refused elsewhere",
     "the quota; 0 for `leaky_bucket`"},
};

constexpr FieldInfo kLookupFields[] = {
    {"from", "the dimension whose value is looked up", "required"},
    {"file", "the table, beside the policy", "required"},
    {"default", "the value for all that the table does not name", "none: the dimension is then missing"},
};

}  // namespace

std::span<const FieldInfo> policy_fields() {
  return kPolicyFields;
}

std::span<const FieldInfo> rule_fields() {
  return kRuleFields;
}

std::span<const FieldInfo> override_fields() {
  return kOverrideFields;
}

std::span<const FieldInfo> limit_fields() {
  return kLimitFields;
}

std::span<const FieldInfo> lookup_fields() {
  return kLookupFields;
}

std::string markdown_table(std::span<const FieldInfo> fields) {
  std::string out = "| field | meaning | left out |\n|---|---|---|\n";
  for (const FieldInfo& field : fields) {
    out += fmt::format("| `{}` | {} | {} |\n", field.name, field.meaning, field.left_out);
  }
  return out;
}

}  // namespace weir
