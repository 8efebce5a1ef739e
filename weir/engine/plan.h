// A Plan: a policy together with its limits as the store knows them. Immutable; a reload makes another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "weir/policy/policy.h"
#include "weir/store/memory_store.h"

namespace weir {

/// The numbers under which rules hold their part of the table: one for each name that was ever used, so that
/// a rule keeps its room when the policy around it changes.
class RoomNumbers {
 public:
  std::uint32_t of(const std::string& rule);
  /// Forgets the names that `policy` does not have.
  void keep_only(const Policy& policy);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
};

class Plan {
 public:
  /// Registers the limits. Throws what MemoryStore::add throws, and has then registered nothing.
  Plan(std::shared_ptr<MemoryStore> store, std::shared_ptr<const Policy> policy, RoomNumbers& rooms,
       Nanos since);

  const Policy& policy() const { return *policy_; }
  const std::shared_ptr<const Policy>& shared_policy() const { return policy_; }
  /// The limit of a match, which must not be an unlimited one.
  LimitId limit(const Match& match) const { return ids_.of(first_[match.rule] + match.limit); }

 private:
  /// Owns registrations: gives them back at its end.
  class Registrations {
   public:
    explicit Registrations(std::shared_ptr<MemoryStore> store) : store_(std::move(store)) {}
    ~Registrations();
    Registrations(const Registrations&) = delete;
    Registrations& operator=(const Registrations&) = delete;

    void add(const Limit& limit, std::uint32_t room, Nanos since);
    /// An index without a limit.
    void skip() { ids_.push_back(kNone); }
    std::size_t size() const { return ids_.size(); }
    LimitId of(std::size_t index) const { return ids_[index]; }

   private:
    static constexpr auto kNone = static_cast<LimitId>(~std::uint32_t{0});
    std::shared_ptr<MemoryStore> store_;
    std::vector<LimitId> ids_;
  };

  std::shared_ptr<const Policy> policy_;
  /// Where each rule's limits begin in ids_.
  std::vector<std::size_t> first_;
  Registrations ids_;
};

}  // namespace weir
