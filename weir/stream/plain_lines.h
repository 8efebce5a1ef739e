// Every line is a record, and that is all that is known of it.
#pragma once

#include "weir/stream/format.h"

namespace weir {

class PlainLines final : public Format {
 public:
  std::string_view name() const override { return "lines"; }

  Status want(std::string_view name, std::size_t /*slot*/) override {
    return find_name("lines", name, {}).error();
  }

  Parsed parse(std::string_view /*text*/, Parts& /*parts*/) override { return Parsed::kRecord; }
};

}  // namespace weir
