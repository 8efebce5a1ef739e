#include "weir/policy/address.h"

#include <random>

#include <gtest/gtest.h>

#include "weir/policy/normalizer.h"

namespace weir {
namespace {

std::string canonical(std::string_view text) {
  const auto address = parse_address(text);
  return address ? to_text(*address) : "none";
}

TEST(Address, OneFormForManySpellings) {
  EXPECT_EQ(canonical("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(canonical(" 192.0.2.1\t"), "192.0.2.1");
  EXPECT_EQ(canonical("192.0.2.1:8080"), "192.0.2.1");
  EXPECT_EQ(canonical("0.0.0.0"), "0.0.0.0");
  EXPECT_EQ(canonical("255.255.255.255:65535"), "255.255.255.255");
  EXPECT_EQ(canonical("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(canonical("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(canonical("[2001:db8::1]:443"), "2001:db8::1");
  EXPECT_EQ(canonical("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(canonical("[fe80::1%25eth0]:80"), "fe80::1");
  EXPECT_EQ(canonical("::"), "::");
  EXPECT_EQ(canonical("::1"), "::1");
  EXPECT_EQ(canonical("1::"), "1::");
  EXPECT_EQ(canonical("1:2:3:4:5:6:7::"), "1:2:3:4:5:6:7:0");
  EXPECT_EQ(canonical("::2:3:4:5:6:7:8"), "0:2:3:4:5:6:7:8");
  EXPECT_EQ(canonical("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(canonical("1:0:0:2:0:0:3:4"), "1::2:0:0:3:4");
  EXPECT_EQ(canonical("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(canonical("2001:db8::192.0.2.1"), "2001:db8::c000:201");
}

TEST(Address, FormsThatCarryIpv4AreReadAsThat) {
  EXPECT_EQ(canonical("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(canonical("::FFFF:c000:0201"), "192.0.2.1");
  EXPECT_EQ(canonical("[::ffff:192.0.2.1]:80"), "192.0.2.1");
  EXPECT_EQ(canonical("0:0:0:0:0:ffff:1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(canonical("64:ff9b::192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(canonical("64:ff9b::c000:201"), "192.0.2.1");
  EXPECT_EQ(canonical("2002:c000:0201::"), "192.0.2.1");
  EXPECT_EQ(canonical("2002:c000:201:5:6::7"), "192.0.2.1");
  // Their neighbours are not.
  EXPECT_EQ(canonical("::fffe:192.0.2.1"), "::fffe:c000:201");
  EXPECT_EQ(canonical("::1:ffff:102:304"), "::1:ffff:102:304");
  EXPECT_EQ(canonical("64:ff9b:1::192.0.2.1"), "64:ff9b:1::c000:201");
  EXPECT_EQ(canonical("64:ff9b::1:c000:201"), "64:ff9b::1:c000:201");
  EXPECT_EQ(canonical("2003:c000:201::"), "2003:c000:201::");
  EXPECT_EQ(canonical("::192.0.2.1"), "::c000:201");
}

TEST(Address, WhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "unknown",
                           "_hidden",
                           "localhost",
                           "1.2.3",
                           "1.2.3.4.5",
                           "1.2.3.256",
                           "1.2.3.-4",
                           "01.2.3.4",
                           "1.2.3.04",
                           "1.2.3.4:",
                           "1.2.3.4:65536",
                           "1.2.3.4:x",
                           "1.2.3.4%eth0",
                           "0x1.2.3.4",
                           "1.2.3.4/24",
                           "1..3.4",
                           ".1.2.3.4",
                           "1.2.3.4.",
                           ":",
                           ":::",
                           "1:",
                           ":1",
                           "1:2",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "1::2::3",
                           "12345::",
                           "g::",
                           "1:2:3:4:5:6:7:8::",
                           "::1:2:3:4:5:6:7:8",
                           "1:2:3:4:5:6:7:1.2.3.4",
                           "::1.2.3",
                           "::1.2.3.4:5",
                           "[::1",
                           "::1]",
                           "[::1]x",
                           "[::1]:",
                           "[::1]:99999",
                           "[]",
                           "[1.2.3.4]",
                           "fe80::1%",
                           "%eth0",
                           "::ffff:1.2.3.4.5",
                           "-1::",
                           "+1::",
                           "1 ::"}) {
    EXPECT_EQ(canonical(text), "none") << text;
  }
  // A NUL is a byte like any other, and no part of an address.
  EXPECT_EQ(canonical(std::string_view("1.2.3.4\0", 8)), "none");
}

TEST(Prefix, ReadAndWritten) {
  const auto read = [](std::string_view text) {
    const PrefixReading reading = parse_prefix(text);
    return reading.prefix ? to_text(*reading.prefix)
                          : "none" + (reading.hint.empty() ? "" : ": " + reading.hint);
  };
  EXPECT_EQ(read("203.0.113.0/24"), "203.0.113.0/24");
  EXPECT_EQ(read("203.0.113.7"), "203.0.113.7");
  EXPECT_EQ(read("203.0.113.7/32"), "203.0.113.7");
  EXPECT_EQ(read("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(read("::/0"), "::/0");
  EXPECT_EQ(read("2001:db8::/32"), "2001:db8::/32");
  EXPECT_EQ(read("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(read("::ffff:203.0.113.0/120"), "203.0.113.0/24");
  EXPECT_EQ(read("2002:cb00:7100::/40"), "203.0.113.0/24");
  EXPECT_EQ(read("2002::/16"), "0.0.0.0/0");
  EXPECT_EQ(read("64:ff9b::/96"), "0.0.0.0/0");
  EXPECT_EQ(read("203.0.113.5/24"), "none: bits behind the prefix are set; the network is 203.0.113.0/24");
  EXPECT_EQ(read("2001:db8::1/32"), "none: bits behind the prefix are set; the network is 2001:db8::/32");
  EXPECT_EQ(read("2002:cb00:7105::/64"), "none: such addresses are read as their IPv4; write 203.0.113.5");
  EXPECT_EQ(read("1.2.3.4/33"), "none: the length of its prefix must be a whole number from 0 to 32");
  EXPECT_EQ(read("1.2.3.4/"), "none: the length of its prefix must be a whole number from 0 to 32");
  EXPECT_EQ(read("::/129"), "none: the length of its prefix must be a whole number from 0 to 128");
  EXPECT_EQ(read("1.2.3.4:80/24"), "none");
  EXPECT_EQ(read("example/24"), "none");
}

TEST(Prefix, HoldsItsAddressesAndNoOthers) {
  const Prefix prefix = *parse_prefix("203.0.113.64/26").prefix;
  EXPECT_FALSE(prefix.contains(*parse_address("203.0.113.63")));
  EXPECT_TRUE(prefix.contains(*parse_address("203.0.113.64")));
  EXPECT_TRUE(prefix.contains(*parse_address("203.0.113.127")));
  EXPECT_FALSE(prefix.contains(*parse_address("203.0.113.128")));
  // All of IPv6 holds no IPv4, however written.
  EXPECT_FALSE(parse_prefix("::/0").prefix->contains(*parse_address("::ffff:203.0.113.64")));
  EXPECT_TRUE(parse_prefix("::/0").prefix->contains(*parse_address("2001:db8::1")));
}

TEST(Address, WrittenAndReadAgainIsTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    Address address{Wide{random()} << 64U | random(), false};
    // Zero groups are what the text leaves out.
    for (unsigned group = 0; group < 8; ++group) {
      if (random() % 2 == 0) address.bits &= ~(Wide{0xFFFF} << (16 * group));
    }
    const std::string text = to_text(address);
    const auto again = parse_address(text);
    ASSERT_TRUE(again) << text;
    ASSERT_EQ(to_text(*again), again->v4 ? to_text(*again) : text);
    if (!again->v4) {
      ASSERT_EQ(*again, address) << text;
    }
  }
}

TEST(Normalizer, CutsIpv6ForTheKeyAndKeepsTheWholeAddress) {
  const Normalizer ip = Normalizer::for_dimension("ip");
  EXPECT_EQ(ip.apply("[2001:db8:1:2:3:4:5:6]:80").text, "2001:db8:1:2::");
  EXPECT_EQ(to_text(*ip.apply("2001:db8:1:2:3:4:5:6").address), "2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(ip.apply("2001:db8:1:2::").text, "2001:db8:1:2::");
  EXPECT_EQ(ip.apply("192.0.2.7:1234").text, "192.0.2.7");
  EXPECT_EQ(ip.apply("unknown").text, "unknown");
  EXPECT_EQ(ip.apply("").text, "");
}

}  // namespace
}  // namespace weir
