#include "weir/engine/plan.h"

#include <unordered_set>
#include <utility>

namespace weir {

std::uint32_t RoomNumbers::of(const std::string& rule) {
  const auto [found, inserted] = numbers_.try_emplace(rule, next_);
  if (inserted) ++next_;
  return found->second;
}

void RoomNumbers::keep_only(const Policy& policy) {
  std::unordered_set<std::string_view> names;
  for (const Rule& rule : policy.rules()) names.insert(rule.name);
  std::erase_if(numbers_, [&](const auto& entry) { return !names.contains(entry.first); });
}

Plan::Registrations::~Registrations() {
  for (const LimitId id : ids_) {
    if (id != kNone) store_->remove(id);
  }
}

void Plan::Registrations::add(const Limit& limit, std::uint32_t room, Nanos since) {
  // Room first: once the store counts on us to remove the id, nothing may throw.
  ids_.push_back(kNone);
  ids_.back() = store_->add(limit, room, since);
}

Plan::Plan(std::shared_ptr<MemoryStore> store, std::shared_ptr<const Policy> policy, RoomNumbers& rooms,
           Nanos since)
    : policy_(std::move(policy)), ids_(std::move(store)) {
  for (const Rule& rule : policy_->rules()) {
    first_.push_back(ids_.size());
    const std::uint32_t room = rooms.of(rule.name);
    for (const RuleLimit& limit : rule.limits) {
      if (limit.unlimited) {
        ids_.skip();
      } else {
        ids_.add(limit.limit, room, since);
      }
    }
  }
}

}  // namespace weir
