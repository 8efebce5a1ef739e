// What one more value costs the samples and filters of weir/sketch, and how exact they are for their bytes,
// all measured in one run, since nanoseconds are the machine's. `sketch_sampling_bench [--quick]`
//
// Beside each stands what bounds it: reading the values, or one random access to as many bytes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/time.h"
#include "weir/sketch/block_bloom.h"
#include "weir/sketch/count_min.h"
#include "weir/sketch/cuckoo_filter.h"
#include "weir/sketch/datasketches_bloom.h"
#include "weir/sketch/decayed_sample.h"
#include "weir/sketch/random.h"
#include "weir/sketch/scalable_bloom.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/sketch/var_opt_sample.h"
#include "weir/sketch/weighted_sample.h"

namespace {

using weir::Random;
using Values = std::vector<std::uint64_t>;

/// What is computed goes here, so that it is computed.
volatile std::uint64_t sink = 0;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The median of the nanoseconds that each of `count` steps takes, of three runs.
template <class Body>
double step_ns(std::size_t count, Body body) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    const double begin = cpu_seconds();
    body();
    times.push_back((cpu_seconds() - begin) * 1e9 / static_cast<double>(count));
  }
  std::sort(times.begin(), times.end());
  return times[1];
}

void report(const char* what, double ns, const char* target = "") {
  std::printf("  %-46s %7.2f ns   %s\n", what, ns, target);
}

Values random_values(std::size_t count) {
  Random random(1);
  Values values(count);
  for (std::uint64_t& value : values) value = random.next();
  return values;
}

/// Skewed as traffic is: Zipf's law with an exponent of about 1.1.
Values skewed_values(std::size_t count) {
  Random random(2);
  Values values(count);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(std::pow(random.unit(), -10.0));
  return values;
}

void samples(const Values& values) {
  std::printf("samples of 1000\n");
  report("reading the values", step_ns(values.size(), [&] {
           std::uint64_t sum = 0;
           for (const std::uint64_t value : values) sum ^= value;
           sink = sum;
         }));
  report("uniform",
         step_ns(values.size(),
                 [&] {
                   weir::UniformSample<std::uint64_t> sample(1000);
                   for (const std::uint64_t value : values) sample.add(value);
                   sink = sample.items().front().value;
                 }),
         "target 1.5");
  report("uniform, batch", step_ns(values.size(), [&] {
           weir::UniformSample<std::uint64_t> sample(1000);
           sample.add(std::span<const std::uint64_t>(values));
           sink = sample.items().front().value;
         }));
  std::vector<double> weights(values.size());
  Random random(3);
  for (double& weight : weights) weight = random.exponential();
  report("weighted",
         step_ns(values.size(),
                 [&] {
                   weir::WeightedSample<std::uint64_t> sample(1000);
                   for (std::size_t i = 0; i < values.size(); ++i) sample.add(values[i], weights[i]);
                   sink = sample.items().front().value;
                 }),
         "target 3");
  report("decayed, every record at another time",
         step_ns(values.size(),
                 [&] {
                   weir::DecayedSample<std::uint64_t> sample(1000, weir::kSecond);
                   for (std::size_t i = 0; i < values.size(); ++i)
                     sample.add(values[i], static_cast<weir::Nanos>(i) * 1000);
                   sink = sample.items().front().value;
                 }),
         "target 5");
  report("decayed, 100 records at a time", step_ns(values.size(), [&] {
           weir::DecayedSample<std::uint64_t> sample(1000, weir::kSecond);
           for (std::size_t i = 0; i < values.size(); ++i) {
             sample.add(values[i], static_cast<weir::Nanos>(i / 100) * 100'000);
           }
           sink = sample.items().front().value;
         }));
  report("VarOpt",
         step_ns(values.size(),
                 [&] {
                   weir::VarOptSample<std::uint64_t> sample(1000);
                   for (std::size_t i = 0; i < values.size(); ++i) sample.add(values[i], weights[i]);
                   sink = sample.seen();
                 }),
         "DataSketches 17.8 to 18.2");
}

void filters(const Values& values) {
  const weir::Result<weir::BlockBloom> empty = weir::BlockBloom::make(values.size(), 0.01);
  std::printf("filters of %zu values at 1 %%\n", values.size());
  std::vector<std::uint64_t> floor(empty->bytes() / 8);
  report("one random access to as many bytes", step_ns(values.size(), [&] {
           for (const std::uint64_t value : values) floor[(value >> 32U) * floor.size() >> 32U] |= value;
           sink = floor[0];
         }));
  weir::BlockBloom filter = *empty;
  report("split-block Bloom, add",
         step_ns(values.size(),
                 [&] {
                   for (const std::uint64_t value : values) filter.add(value);
                 }),
         "target 20");
  report("split-block Bloom, add, batch",
         step_ns(values.size(), [&] { filter.add(std::span<const std::uint64_t>(values)); }), "target 12");
  const Values others = skewed_values(values.size());
  report("split-block Bloom, contains", step_ns(values.size(), [&] {
           std::uint64_t found = 0;
           for (const std::uint64_t value : values) found += filter.contains(value) ? 1 : 0;
           sink = found;
         }));
  const std::unique_ptr<bool[]> found = std::make_unique<bool[]>(values.size());
  report("split-block Bloom, contains, batch", step_ns(values.size(), [&] {
           filter.contains(std::span<const std::uint64_t>(values), {found.get(), values.size()});
         }));
  std::printf("  %-46s %7.3f %%    %.2f bits a value\n", "split-block Bloom, error rate",
              filter.error_rate() * 100,
              static_cast<double>(filter.bytes()) * 8 / static_cast<double>(values.size()));

  const std::size_t fewer = values.size() / 10;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < fewer; ++i)
    texts.push_back("192.0.2." + std::to_string(values[i] % 1'000'000'000));
  std::printf("filters of %zu texts at 1 %%\n", fewer);
  weir::BlockBloom of_texts = *weir::BlockBloom::make(fewer, 0.01);
  report("split-block Bloom, add", step_ns(fewer, [&] {
           for (const std::string& text : texts) of_texts.add(text);
         }));
  weir::ScalableBloom scalable = *weir::ScalableBloom::make({.error = 0.01, .capacity = fewer});
  report("scalable Bloom (RedisBloom's)",
         step_ns(fewer,
                 [&] {
                   for (const std::string& text : texts) scalable.add(text);
                 }),
         "RedisBloom 112 add, of 10 times as many");
  weir::DataSketchesBloom classic = *weir::DataSketchesBloom::make(fewer, 0.01);
  report("DataSketches Bloom", step_ns(fewer, [&] {
           for (const std::string& text : texts) classic.add(text);
         }));
  report("cuckoo, add",
         step_ns(fewer,
                 [&] {
                   weir::CuckooFilter cuckoo = *weir::CuckooFilter::make({.capacity = fewer * 4 / 3});
                   for (const std::string& text : texts) sink = cuckoo.add(text) ? 1 : 0;
                 }),
         "target 40");
}

void count(const char* what, weir::CountMinSize size, const Values& values, const char* target) {
  weir::CountMin sketch = *weir::CountMin::make(size);
  std::printf("%s: %llu wide, %llu deep, %.1f MB\n", what, static_cast<unsigned long long>(size.width),
              static_cast<unsigned long long>(size.depth), static_cast<double>(sketch.bytes()) / 1e6);
  report("add",
         step_ns(values.size(),
                 [&] {
                   for (const std::uint64_t value : values) sketch.add(value);
                 }),
         target);
  report("add, batch", step_ns(values.size(), [&] { sketch.add(std::span<const std::uint64_t>(values)); }),
         target);
  weir::CountMin once = *weir::CountMin::make(size);
  once.add(std::span<const std::uint64_t>(values));
  Values sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double over = 0;
  std::size_t distinct = 0;
  for (std::size_t at = 0; at < sorted.size(); ++distinct) {
    std::size_t end = at;
    while (end < sorted.size() && sorted[end] == sorted[at]) ++end;
    over += static_cast<double>(once.estimate(sorted[at]) - (end - at));
    at = end;
  }
  const double bound = std::exp(1.0) / static_cast<double>(size.width) * static_cast<double>(values.size());
  std::printf("  %-46s %7.2f      bound %.0f, with a chance of %.1f %% to exceed it\n",
              "too high on average by", over / static_cast<double>(distinct), bound,
              100 * std::exp(-static_cast<double>(size.depth)));
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const std::size_t size = quick ? 1'000'000 : 10'000'000;
  const Values values = random_values(size);
  samples(values);
  filters(values);
  const Values skewed = skewed_values(size);
  count("Count-Min of skewed values, in cache", {.width = 1U << 16U, .depth = 4}, skewed, "target 9");
  count("Count-Min of different values, in cache", {.width = 1U << 16U, .depth = 4}, values, "target 9");
  count("Count-Min of different values, in memory", {.width = 1U << 22U, .depth = 4}, values,
        "target 45 in batches");
  return 0;
}
