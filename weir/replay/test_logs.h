// What the tests of this folder share: a log in memory, and its replay.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/replay/input.h"
#include "weir/replay/replay.h"

namespace weir {

inline std::shared_ptr<const Policy> policy_from(std::string_view yaml) {
  Result<Policy> policy = Policy::parse(yaml);
  if (!policy) throw std::invalid_argument(policy.error().message);
  return std::make_shared<Policy>(std::move(policy).value());
}

inline LogStream log_from(std::string_view text, std::string format = "csv") {
  LogOptions options;
  options.format = std::move(format);
  Result<LogStream> log = LogStream::open_memory(text, options);
  if (!log) throw std::invalid_argument(log.error().message);
  return std::move(log).value();
}

/// REQUIRES: the input can be opened.
inline ReplayInput input_from(std::string_view text, const std::vector<std::string>& dimensions,
                              InputOptions options = {}, std::string format = "csv") {
  Result<ReplayInput> input =
      ReplayInput::open(log_from(text, std::move(format)), dimensions, std::move(options));
  if (!input) throw std::invalid_argument(input.error().message);
  return std::move(input).value();
}

/// Replays `text` in full. In memory a log is a pipe, whose buffer here is long enough to sort all.
inline ReplayReport replay_of(std::string_view yaml, std::string_view text,
                              const std::vector<std::string>& dimensions, std::string format = "csv",
                              ReplayOptions options = {}) {
  InputOptions patient;
  patient.lateness = 365 * kDay;
  ReplayInput input = input_from(text, dimensions, patient, std::move(format));
  auto event = input.next();
  Replay replay(policy_from(yaml), input.frame(), options);
  for (; event && *event; event = input.next()) replay.decide_all(**event);
  EXPECT_TRUE(event.ok());
  ReplayReport report = replay.report(10);
  report.input = input.summary();
  return report;
}

}  // namespace weir
