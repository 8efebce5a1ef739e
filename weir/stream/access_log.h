// Access logs of Apache and nginx: the common log format and the combined one.
#pragma once

#include <array>
#include <vector>

#include "weir/stream/access_time.h"
#include "weir/stream/format.h"
#include "weir/stream/scratch.h"

namespace weir {

/// `[vhost:port] ip ident user [time] "request" status bytes ["referer" "user agent" [anything]]`
///
/// A quote inside a quoted part is written \" by Apache and \x22 by nginx; values are given without such
/// escapes. A lone quote that is not followed by a space does not close its part either. A whole line in
/// quotes, as some exports wrap it, is read without them. The request of a client that does not speak HTTP
/// has no method, path and protocol. An ident or user of "-" is no value; anywhere else "-" is given as it
/// stands.
class AccessLog final : public Format {
 public:
  enum class Kind { kCommon, kCombined };

  explicit AccessLog(Kind kind) : kind_(kind) {}

  std::string_view name() const override { return kind_ == Kind::kCommon ? "common" : "combined"; }
  std::vector<std::string> fields() const override;
  Status want(std::string_view name, std::size_t slot) override;
  Parsed parse(std::string_view text, Parts& parts) override;

 private:
  enum Field : std::size_t {
    kIp,
    kIdent,
    kUser,
    kTime,
    kRequest,
    kMethod,
    kPath,
    kProtocol,
    kStatus,
    kBytes,
    kReferer,
    kUserAgent,
    kFieldCount
  };
  using Cut = std::array<std::optional<std::string_view>, kFieldCount>;

  bool cut(std::string_view line, Cut& cut, std::optional<Nanos>& time);
  bool cut_client(std::string_view& line, Cut& cut, std::optional<Nanos>& time);
  static void cut_request(std::string_view request, Cut& cut);
  bool unwrap(std::string_view& line);

  Kind kind_;
  bool wants_request_parts_ = false;
  std::vector<WantedField> wanted_;
  AccessTime clock_;
  Scratch scratch_;
};

}  // namespace weir
