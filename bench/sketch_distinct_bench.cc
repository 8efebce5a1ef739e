// What one more value costs the summaries of weir/sketch that count different values, find the heaviest and
// answer quantiles, and how exact they are for their bytes. All measured in one run, since nanoseconds are
// the machine's: processor time of this thread, the median of three rounds. `sketch_distinct_bench [--quick]`
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/sketch/ddsketch.h"
#include "weir/sketch/frequent_items.h"
#include "weir/sketch/hll.h"
#include "weir/sketch/kll.h"
#include "weir/sketch/moments.h"
#include "weir/sketch/random.h"
#include "weir/sketch/redis_hll.h"
#include "weir/sketch/tdigest.h"
#include "weir/sketch/theta.h"
#include "weir/sketch/ultra_log_log.h"

namespace weir {
namespace {

/// What is computed goes here, so that it is computed.
volatile double sink = 0;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <class Body>
double step_ns(std::size_t count, Body body) {
  std::vector<double> times;
  for (int round = 0; round < 3; ++round) {
    const double begin = cpu_seconds();
    body();
    times.push_back((cpu_seconds() - begin) * 1e9 / static_cast<double>(count));
  }
  std::sort(times.begin(), times.end());
  return times[1];
}

/// One line: one by one, in batches, and what is to be reached.
void report(const char* what, double single, double batch, const char* target) {
  std::printf("  %-42s %7.2f ns one by one %7.2f ns in batches   %s\n", what, single, batch, target);
}

/// Texts of 21 bytes side by side, as the fields of a log are.
struct Texts {
  explicit Texts(std::span<const std::uint64_t> values) {
    constexpr std::size_t kLength = 21;
    bytes.reserve(values.size() * kLength);
    for (const std::uint64_t value : values) {
      std::string text = std::to_string(value);
      text.resize(kLength, '.');
      bytes += text;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      views.push_back(std::string_view(bytes).substr(i * kLength, kLength));
    }
  }
  std::string bytes;
  std::vector<std::string_view> views;
};

/// Every way to add the same values to a fresh copy of `empty`.
template <class Sketch, class Values>
void time_adding(const char* what, const Sketch& empty, const Values& values, const char* target) {
  const double single = step_ns(values.size(), [&] {
    Sketch sketch = empty;
    for (const auto& value : values) sketch.add(value);
    sink = static_cast<double>(sketch.encode().size());
  });
  double batch = single;
  using Value = typename Values::value_type;
  if constexpr (requires(Sketch sketch) { sketch.add(std::span<const Value>()); }) {
    batch = step_ns(values.size(), [&] {
      Sketch sketch = empty;
      sketch.add(std::span<const Value>(values));
      sink = static_cast<double>(sketch.encode().size());
    });
  }
  report(what, single, batch, target);
}

void distinct(const std::vector<std::uint64_t>& values, const Texts& texts) {
  std::printf("different values, %zu of them\n", values.size());
  time_adding("UltraLogLog 4 kB, u64", *UltraLogLog::create(12), values, "target 6");
  time_adding("UltraLogLog 4 kB, text", *UltraLogLog::create(12), texts.views, "");
  time_adding("HLL_8 4 kB of DataSketches, u64", *Hll::create(12, HllForm::hll8), values, "target 4");
  time_adding("HLL_4 of DataSketches, u64", *Hll::create(12, HllForm::hll4), values, "target 4");
  time_adding("HLL_8 4 kB of DataSketches, text", *Hll::create(12, HllForm::hll8), texts.views, "target 9");
  time_adding("HYLL 12 kB of Redis, text", RedisHll(), texts.views, "target 9");
  time_adding("theta lg_k 12, u64", *Theta::create(12), values, "target 5");
}

void heaviest(std::size_t count) {
  // Zipf's law with an exponent of about 1.1, as traffic is.
  Random random(2);
  std::vector<std::uint64_t> skewed(count);
  for (std::uint64_t& value : skewed) value = static_cast<std::uint64_t>(std::pow(random.unit(), -10.0));
  std::vector<std::uint64_t> flat(count);
  for (std::uint64_t& value : flat) value = random.next();
  std::printf("the heaviest, %zu values\n", count);
  time_adding("2^10 cells, u64, skewed", *FrequentNumbers::create(10), skewed, "target 12");
  time_adding("2^16 cells, u64, skewed", *FrequentNumbers::create(16), skewed, "");
  time_adding("2^10 cells, u64, all different", *FrequentNumbers::create(10), flat, "");
  time_adding("2^10 cells, text, skewed", *FrequentTexts::create(10), Texts(skewed).views, "target 30");
  FrequentNumbers items = *FrequentNumbers::create(10);
  items.add(std::span<const std::uint64_t>(skewed));
  std::printf("  error of 2^10 cells on the skewed ones: %llu of %zu (stated at most %.0f)\n",
              static_cast<unsigned long long>(items.max_error()), count,
              FrequentNumbers::kErrorFactor * static_cast<double>(count) / 1'024);
}

void quantiles(std::size_t count) {
  Random random(3);
  std::vector<double> values(count);
  for (double& value : values) value = std::exp(random.normal());
  const std::vector<float> floats(values.begin(), values.end());
  std::printf("quantiles, %zu values\n", count);
  time_adding("KLL k 200, float", *Kll<float>::create(), floats, "target 8");
  time_adding("KLL k 200, double", *Kll<double>::create(), values, "target 8");
  time_adding("DDSketch 1 %", *DDSketch::create(), values, "target 4");
  time_adding("t-digest k 200", *TDigest::create(), values, "target 20");
  time_adding("moments", Moments(), values, "");
  Kll<double> kll = *Kll<double>::create();
  TDigest digest = *TDigest::create();
  kll.add(values);
  digest.add(values);
  std::sort(values.begin(), values.end());
  const auto rank_error = [&](double q, double answer) {
    const auto rank = std::upper_bound(values.begin(), values.end(), answer) - values.begin();
    return 100 * std::abs(static_cast<double>(rank) / static_cast<double>(count) - q);
  };
  for (const double q : {0.5, 0.99}) {
    std::printf("  rank error at %.2f: KLL %.3f %% in %zu bytes, t-digest %.3f %% in %zu bytes\n", q,
                rank_error(q, kll.quantile(q)->value), kll.encode().size(),
                rank_error(q, digest.quantile(q)->value), digest.encode().size());
  }
}

/// Bytes times squared relative error: what a count of a given precision costs, whatever the size. Smaller is
/// better; the theory's figures are those of Ertl (2023), of bits.
void accuracy(int runs, std::uint64_t count) {
  double squares[4] = {};
  for (int run = 0; run < runs; ++run) {
    UltraLogLog ultra = *UltraLogLog::create(10, Seed{static_cast<std::uint64_t>(run) + 1});
    Hll hll = *Hll::create(10, HllForm::hll8);
    const std::uint64_t first = static_cast<std::uint64_t>(run) << 32U;
    for (std::uint64_t i = 0; i < count; ++i) {
      ultra.add(first + i);
      hll.add(first + i);
    }
    Hll whole = hll;
    // Registers are merged with registers, so that only they are left to tell.
    Hll half = *Hll::create(10, HllForm::hll8);
    for (std::uint64_t i = 0; i < count / 2; ++i) half.add(first + i);
    if (!whole.merge(half)) return;
    const auto truth = static_cast<double>(count);
    const double answers[] = {ultra.order_free_estimate().value, ultra.estimate().value,
                              whole.estimate().value, hll.estimate().value};
    for (int i = 0; i < 4; ++i) squares[i] += (answers[i] / truth - 1) * (answers[i] / truth - 1);
  }
  std::printf("accuracy for %llu values, root mean square of %d runs, and bits times its square\n",
              static_cast<unsigned long long>(count), runs);
  const struct {
    const char* what;
    double bits;
    double theory;
  } rows[] = {{"UltraLogLog 1 kB, by likelihood", 8, 4.631},
              {"UltraLogLog 1 kB, martingale", 8, 3.466},
              {"HyperLogLog 6 bits, merged", 6, 6.48},
              {"HyperLogLog 6 bits, HIP", 6, 4.16}};
  for (int i = 0; i < 4; ++i) {
    const double mean = squares[i] / runs;
    std::printf("  %-42s %6.2f %%   %5.2f (theory %.2f)\n", rows[i].what, 100 * std::sqrt(mean),
                1'024 * rows[i].bits * mean, rows[i].theory);
  }
}

void run(bool quick) {
  const std::size_t count = quick ? 1'000'000 : 10'000'000;
  {
    Random random(1);
    std::vector<std::uint64_t> values(count);
    for (std::uint64_t& value : values) value = random.next();
    distinct(values, Texts(values));
  }
  heaviest(count);
  quantiles(count);
  accuracy(quick ? 100 : 1'000, 100'000);
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  weir::run(argc > 1 && std::string_view(argv[1]) == "--quick");
  return 0;
}
