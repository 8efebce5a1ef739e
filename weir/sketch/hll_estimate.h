// How many different values the registers of a HyperLogLog, or a list of its coupons, stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// Ertl's improved estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017,
/// algorithm 6): unbiased from 0 on, without a table and without a change of formula in between.
/// histogram[v] is the number of registers of value v; the last of them are those that can grow no further.
/// Infinite when all registers are.
double ertl_estimate(std::span<const std::uint32_t> histogram);

/// How many values `count` different coupons of DataSketches stand for, which is hardly more than their
/// number: two values share a coupon once in 200 million pairs. Interpolated between the points that
/// DataSketches uses, for the figure is carried on into what it writes. REQUIRES: count <= 300,000.
double coupon_estimate(std::size_t count);

}  // namespace weir
