// The slow exact oracle: every algorithm as its law is told, in exact fractions, with nothing cleverer than
// that.
//
// A law says how much of the bucket is in use at an instant, given what was charged until then. All the rest
// is the same for every law: a request is admitted if what it costs still fits; it waits for the first
// instant at which it would.
#pragma once

#include <memory>

#include <boost/multiprecision/cpp_int.hpp>

#include "weir/limit/limit.h"
#include "weir/limit/verdict.h"

namespace weir::test {

using Integer = boost::multiprecision::cpp_int;
using Fraction = boost::multiprecision::cpp_rational;

/// What is in use of one bucket. Time never steps back here.
class Law {
 public:
  virtual ~Law() = default;
  /// Units in use at `t` if nothing more is charged.
  virtual Fraction used(const Integer& t) const = 0;
  virtual void add(const Integer& t, const Fraction& units) = 0;
  /// Gives back at most what is used.
  virtual void take_back(const Integer& t, std::uint64_t units) = 0;
  /// What of the use counts towards debt; all of it, but for sliding_counter.
  virtual Fraction owed(const Integer& t) const { return used(t); }
};

class Oracle {
 public:
  explicit Oracle(const Limit& limit);
  Verdict decide(Nanos now, Ask ask);
  Verdict peek(Nanos now, std::uint64_t cost) const;
  void refund(Nanos now, std::uint64_t cost);
  void charge(Nanos now, std::uint64_t cost);

 private:
  bool admits(const Integer& t, std::uint64_t cost) const;
  Verdict report(Nanos now, std::uint64_t cost, bool allowed) const;

  Limit limit_;
  std::uint64_t capacity_;
  std::unique_ptr<Law> law_;
};

}  // namespace weir::test
