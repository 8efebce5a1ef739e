#include "weir/stream/sshd_message.h"

#include <gtest/gtest.h>

#include <string>

namespace weir {
namespace {

using Value = std::optional<std::string_view>;

struct Case {
  std::string_view message;
  Value ip;
  Value user;
};

TEST(SshdMessage, FindsAddressAndName) {
  const Case cases[] = {
      {"Failed password for root from 192.0.2.1 port 22 ssh2", "192.0.2.1", "root"},
      {"Failed password for invalid user admin from 192.0.2.1 port 22 ssh2", "192.0.2.1", "admin"},
      {"Failed password for invalid user  from 192.0.2.1 port 22 ssh2", "192.0.2.1", ""},
      {"Failed none for invalid user a b from 2001:db8::1 port 22 ssh2", "2001:db8::1", "a b"},
      {"Failed keyboard-interactive/pam for root from 192.0.2.1 port 22 ssh2", "192.0.2.1", "root"},
      {"Failed password for root from host.example.com port 22 ssh2", "host.example.com", "root"},
      {"Accepted publickey for ubuntu from 192.0.2.1 port 22 ssh2: RSA SHA256:x", "192.0.2.1", "ubuntu"},
      {"Accepted password for ubuntu from 192.0.2.1", "192.0.2.1", "ubuntu"},
      {"Invalid user admin from 192.0.2.1", "192.0.2.1", "admin"},
      {"Invalid user admin from 192.0.2.1 port 4711", "192.0.2.1", "admin"},
      {"Invalid user  from 192.0.2.1", "192.0.2.1", ""},
      {"error: maximum authentication attempts exceeded for invalid user admin from 192.0.2.1 port 1 ssh2 "
       "[preauth]",
       "192.0.2.1", "admin"},
      {"pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.1  "
       "user=root",
       "192.0.2.1", "root"},
      {"pam_unix(sshd:auth): authentication failure; logname= uid=0 tty=ssh ruser=x rhost=192.0.2.1 ",
       "192.0.2.1",
       {}},
      {"PAM 2 more authentication failures; rhost= user=root", {}, "root"},
      {"Received disconnect from 192.0.2.1: 11: Bye Bye [preauth]", "192.0.2.1", {}},
      {"Received disconnect from 2001:db8::1: 11: bye from 192.0.2.66", "2001:db8::1", {}},
      {"Connection from 192.0.2.1 port 5 on 198.51.100.1 port 22", "192.0.2.1", {}},
      {"Did not receive identification string from 192.0.2.1", "192.0.2.1", {}},
      {"Connection closed by 192.0.2.1 port 22 [preauth]", {}, {}},
      {"Started Daily update from cron.", {}, {}},
      {"restored from backup", {}, {}},
      {"from 192.0.2.1", {}, {}},
      {"", {}, {}},
      {"Failed", {}, {}},
      {"Failed password for", {}, {}},
      {"Failed password for root", {}, {}},
      {"Invalid user ", {}, {}},
      {"Invalid user x from ", {}, "x"},
  };
  for (const Case& each : cases) {
    const SshdParts parts = read_sshd_message(each.message);
    EXPECT_EQ(parts.ip, each.ip) << each.message;
    EXPECT_EQ(parts.user, each.user) << each.message;
  }
}

TEST(SshdMessage, IsNotFooledByANameThatReadsLikeAnAddress) {
  const Case cases[] = {
      {"Invalid user root from 192.0.2.66 from 192.0.2.1", "192.0.2.1", "root from 192.0.2.66"},
      {"Failed password for invalid user x from 192.0.2.66 port 1 ssh2 from 192.0.2.1 port 9 ssh2",
       "192.0.2.1", "x from 192.0.2.66 port 1 ssh2"},
      {"Bad protocol version identification 'GET / from 192.0.2.66' from 192.0.2.1 port 4", "192.0.2.1", {}},
      {"Received disconnect from 192.0.2.1 port 22:11: from 192.0.2.66", "192.0.2.1", {}},
  };
  for (const Case& each : cases) {
    const SshdParts parts = read_sshd_message(each.message);
    EXPECT_EQ(parts.ip, each.ip) << each.message;
    EXPECT_EQ(parts.user, each.user) << each.message;
  }
}

}  // namespace
}  // namespace weir
