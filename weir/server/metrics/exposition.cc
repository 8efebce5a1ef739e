#include "weir/server/metrics/exposition.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weir::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Exposition {
 public:
  /// Starts a family, which the samples that follow belong to.
  void family(std::string name, std::string help, MetricType type) {
    families_.push_back({std::move(name), std::move(help), type, {}});
  }
  void counter(std::uint64_t value, Labels labels = {}) {
    ClientMetric& metric = add(std::move(labels));
    metric.counter.value = static_cast<double>(value);
  }
  void gauge(double value, Labels labels = {}) {
    ClientMetric& metric = add(std::move(labels));
    metric.gauge.value = value;
  }
  void histogram(ClientMetric::Histogram histogram) { add({}).histogram = std::move(histogram); }

  std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  ClientMetric& add(Labels labels) {
    families_.back().metric.emplace_back();
    families_.back().metric.back().label = std::move(labels);
    return families_.back().metric.back();
  }

  std::vector<MetricFamily> families_;
};

/// The counters of all threads together.
class Sum {
 public:
  explicit Sum(std::span<const ThreadCounters* const> threads) : threads_(threads) {}

  template <class Get>
  std::uint64_t of(Get get) const {
    std::uint64_t sum = 0;
    for (const ThreadCounters* each : threads_) sum += std::invoke(get, *each).value();
    return sum;
  }
  std::uint64_t of(DoorKind door, Counter ConnectionCounters::*counter) const {
    return of([&](const ThreadCounters& t) -> const Counter& { return t.connections(door).*counter; });
  }

 private:
  std::span<const ThreadCounters* const> threads_;
};

using RulesByName = std::map<std::string, RuleCounters>;

void add(RuleCounters& sum, const RuleCounters& each) {
  for (const auto counter : {&RuleCounters::allowed, &RuleCounters::denied, &RuleCounters::verdict_allowed,
                             &RuleCounters::verdict_denied, &RuleCounters::full,
                             &RuleCounters::missing_skipped, &RuleCounters::missing_denied}) {
    (sum.*counter).add((each.*counter).value());
  }
}

/// All rules of the policy, met or not, so that a rule that was never met shows as 0.
RulesByName sum_rules(std::span<const ThreadCounters* const> threads, const Policy& policy) {
  RulesByName sums;
  for (const Rule& rule : policy.rules()) sums[rule.name];
  for (const ThreadCounters* thread : threads) {
    thread->visit_rules([&](const std::string& name, const RuleCounters& counters) {
      const auto found = sums.find(name);
      if (found != sums.end()) add(found->second, counters);
    });
  }
  return sums;
}

using LabelledCounter = std::pair<const char*, Counter RuleCounters::*>;

/// Two samples of each rule, told apart by `label`.
void write_by_rule(Exposition& out, const RulesByName& rules, const char* label, const LabelledCounter& first,
                   const LabelledCounter& second) {
  for (const auto& [name, rule] : rules) {
    for (const auto& [value, counter] : {first, second}) {
      out.counter((rule.*counter).value(), {{"rule", name}, {label, value}});
    }
  }
}

void write_decisions(Exposition& out, const Sum& sum, const RulesByName& rules) {
  out.family("weir_checks_total", "Requests decided; an array counts each of its requests, a peek none.",
             MetricType::Counter);
  out.counter(sum.of(&ThreadCounters::checks));
  out.family("weir_decisions_total",
             "Decisions by the rule that they speak of, and what came of them. No rule: none applied.",
             MetricType::Counter);
  write_by_rule(out, rules, "outcome", {"allowed", &RuleCounters::allowed},
                {"denied", &RuleCounters::denied});
  out.counter(sum.of(&ThreadCounters::without_rule), {{"rule", ""}, {"outcome", "allowed"}});
}

void write_rules(Exposition& out, const RulesByName& rules) {
  out.family("weir_rule_verdicts_total",
             "What each rule itself said, shadows included, whatever the others said.", MetricType::Counter);
  write_by_rule(out, rules, "outcome", {"allowed", &RuleCounters::verdict_allowed},
                {"denied", &RuleCounters::verdict_denied});
  out.family("weir_rule_missing_key_total",
             "Requests that lacked a dimension of the rule's key, by what on_missing did with them.",
             MetricType::Counter);
  write_by_rule(out, rules, "on_missing", {"skip", &RuleCounters::missing_skipped},
                {"deny", &RuleCounters::missing_denied});
  out.family("weir_rule_full_total", "Verdicts that on_full gave because no bucket could be had.",
             MetricType::Counter);
  for (const auto& [name, rule] : rules) out.counter(rule.full.value(), {{"rule", name}});
}

void write_decide_time(Exposition& out, std::span<const ThreadCounters* const> threads) {
  ClientMetric::Histogram histogram;
  std::uint64_t count = 0;
  Nanos total = 0;
  for (std::size_t i = 0; i < DurationHistogram::kBuckets; ++i) {
    for (const ThreadCounters* each : threads) count += each->decide_time.in_bucket(i);
    const bool last = i + 1 == DurationHistogram::kBuckets;
    histogram.bucket.push_back({count, last ? std::numeric_limits<double>::infinity()
                                            : static_cast<double>(DurationHistogram::upper_end(i)) / 1e9});
  }
  for (const ThreadCounters* each : threads) total += each->decide_time.sum();
  histogram.sample_count = count;
  histogram.sample_sum = static_cast<double>(total) / 1e9;
  out.family("weir_decide_seconds", "How long the requests of one batch took to decide, sockets aside.",
             MetricType::Histogram);
  out.histogram(std::move(histogram));
}

void write_http(Exposition& out, const Sum& sum) {
  out.family("weir_http_requests_total", "HTTP requests answered, by path and status.", MetricType::Counter);
  for (std::size_t path = 0; path < kPathClasses.size(); ++path) {
    for (std::size_t code = 0; code < kCountedCodes.size(); ++code) {
      const std::uint64_t count =
          sum.of([&](const ThreadCounters& t) -> const Counter& { return t.http.requests[path][code]; });
      if (count == 0) continue;
      const std::string text = kCountedCodes[code] == 0 ? "other" : std::to_string(kCountedCodes[code]);
      out.counter(count, {{"path", kPathClasses[path]}, {"code", text}});
    }
  }
}

/// As people write it.
const char* label_of(DoorKind door) {
  switch (door) {
    case DoorKind::http:
      return "HTTP";
    case DoorKind::resp:
      return "RESP";
    case DoorKind::grpc:
      break;
  }
  return "gRPC";
}

void write_connections(Exposition& out, const Sum& sum, DoorKind door) {
  const std::string prefix = fmt::format("weir_{}_", name_of(door));
  const std::string protocol = label_of(door);
  const auto total = [&](const char* name, const std::string& help, Counter ConnectionCounters::*counter) {
    out.family(prefix + name, help, MetricType::Counter);
    out.counter(sum.of(door, counter));
  };
  total("connections_accepted_total", protocol + " connections accepted.", &ConnectionCounters::accepted);
  total("connections_refused_total",
        protocol + " connections turned away at once, because there were too many.",
        &ConnectionCounters::refused);
  out.family(prefix + "connections", protocol + " connections open.", MetricType::Gauge);
  // First, so that each that is counted as closed is among those accepted, too.
  const auto closed = static_cast<double>(sum.of(door, &ConnectionCounters::closed));
  out.gauge(static_cast<double>(sum.of(door, &ConnectionCounters::accepted)) - closed);
  total("timeouts_total", protocol + " connections closed because a deadline passed.",
        &ConnectionCounters::timeouts);
  total("read_bytes_total", "Bytes read from " + protocol + " connections.", &ConnectionCounters::bytes_read);
  total("written_bytes_total", "Bytes written to " + protocol + " connections.",
        &ConnectionCounters::bytes_written);
}

void write_store(Exposition& out, const MemoryStoreStats& stats) {
  out.family("weir_store_keys", "Buckets in the table.", MetricType::Gauge);
  out.gauge(static_cast<double>(stats.keys));
  out.family("weir_store_max_keys", "Buckets that the table has room for.", MetricType::Gauge);
  out.gauge(static_cast<double>(stats.max_keys));
  out.family("weir_store_memory_bytes", "Bytes that table, blocks and logs use.", MetricType::Gauge);
  out.gauge(static_cast<double>(stats.memory_bytes));
  out.family("weir_store_evictions_total", "Buckets dropped because they were as if never used.",
             MetricType::Counter);
  out.counter(stats.evictions);
  out.family("weir_store_full_total", "Times that no bucket could be had.", MetricType::Counter);
  out.counter(stats.full);
}

void write_policy(Exposition& out, const Policy& policy, const ReloadCounts& reloads,
                  std::string_view version) {
  out.family("weir_policy_reloads_total",
             "Reloads of the policy, by outcome; one that failed changed nothing.", MetricType::Counter);
  out.counter(reloads.ok, {{"outcome", "ok"}});
  out.counter(reloads.failed, {{"outcome", "failed"}});
  out.family("weir_policy_loaded_timestamp_seconds", "When the policy in use was loaded, since 1970.",
             MetricType::Gauge);
  const Nanos loaded_second = reloads.loaded_at / kSecond;
  out.gauge(static_cast<double>(loaded_second));
  out.family("weir_policy_rules", "Rules of the policy in use.", MetricType::Gauge);
  out.gauge(static_cast<double>(policy.rules().size()), {{"domain", policy.domain()}});
  out.family("weir_build_info", "Always 1; the version is a label.", MetricType::Gauge);
  out.gauge(1, {{"version", std::string(version)}});
}

}  // namespace

std::string metrics_text(std::span<const ThreadCounters* const> threads, std::span<const DoorKind> doors,
                         const Engine& engine, const ReloadCounts& reloads, std::string_view version) {
  const std::shared_ptr<const Policy> policy = engine.policy();
  const Sum sum(threads);
  const RulesByName rules = sum_rules(threads, *policy);
  Exposition out;
  write_decisions(out, sum, rules);
  write_rules(out, rules);
  write_decide_time(out, threads);
  write_http(out, sum);
  for (const DoorKind door : doors) write_connections(out, sum, door);
  write_store(out, engine.store_stats());
  write_policy(out, *policy, reloads, version);
  return out.text();
}

}  // namespace weir::server
