#include "weir/sketch/hyperloglog_frame.h"

#include "weir/sketch/encoding.h"

namespace weir {
namespace {

struct Framed {
  HyperLogLogLayout layout;
  std::string_view image;
};

Result<Framed> read(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::hyperloglog);
  if (!payload) return payload.error();
  if (payload->empty() || static_cast<unsigned char>(payload->front()) > 1) {
    return Error{"HyperLogLog: of no known layout"};
  }
  return Framed{static_cast<HyperLogLogLayout>(payload->front()), payload->substr(1)};
}

}  // namespace

std::string write_hyperloglog_frame(HyperLogLogLayout layout, std::string_view image) {
  std::string payload(1, static_cast<char>(layout));
  payload += image;
  return write_frame(SketchKind::hyperloglog, payload);
}

Result<std::string_view> read_hyperloglog_frame(std::string_view bytes, HyperLogLogLayout layout) {
  const Result<Framed> framed = read(bytes);
  if (!framed) return framed.error();
  if (framed->layout != layout) {
    return Error{layout == HyperLogLogLayout::redis
                     ? "HyperLogLog: in the layout of DataSketches, where Redis's was meant"
                     : "HyperLogLog: in the layout of Redis, where DataSketches' was meant"};
  }
  return framed->image;
}

Result<HyperLogLogLayout> hyperloglog_layout(std::string_view bytes) {
  const Result<Framed> framed = read(bytes);
  if (!framed) return framed.error();
  return framed->layout;
}

}  // namespace weir
