// The system log: RFC 3164, RFC 5424, and the lines that rsyslog writes with RFC 3339 stamps.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weir/stream/format.h"
#include "weir/stream/syslog_year.h"

namespace weir {

/// Any of these, each with or without `<PRI>` before it:
///   Mar 27 13:06:56 host program[pid]: message
///   2024-03-27T13:06:56.123456+09:00 host program[pid]: message
///   1 2024-03-27T13:06:56.123456Z host program pid msgid [structured data] message
///
/// "message repeated 5 times: [ text]" is the message `text` with weight 5. `ip` and `user` are read from
/// what sshd and PAM say.
class Syslog final : public Format {
 public:
  Syslog(Nanos now, std::optional<int> first_year) : years_(now, first_year) {}

  std::string_view name() const override { return "syslog"; }
  std::vector<std::string> fields() const override;
  Status want(std::string_view name, std::size_t slot) override;
  bool needs_survey() const override { return years_.needs_survey(); }
  void survey(std::string_view line) override;
  void begin_file(std::optional<Nanos> modified) override { years_.begin(modified); }
  Parsed parse(std::string_view text, Parts& parts) override;

 private:
  enum Field : std::size_t { kHost, kProgram, kPid, kMessage, kIp, kUser, kTime, kFieldCount };
  using Cut = std::array<std::optional<std::string_view>, kFieldCount>;

  bool cut(std::string_view text, Cut& cut, std::optional<Nanos>& time);
  static bool cut_rfc5424(std::string_view text, Cut& cut, std::optional<Nanos>& time);
  static void cut_host_and_tag(std::string_view rest, Cut& cut);

  SyslogYears years_;
  std::vector<WantedField> wanted_;
  bool wants_sshd_parts_ = false;
};

}  // namespace weir
