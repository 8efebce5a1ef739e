#include "weir/stream/summary_origin.h"

#include "weir/base/text.h"
#include "weir/sketch/bytes.h"

namespace weir {

std::string encode_origin(const SummaryOrigin& origin) {
  ByteWriter out;
  out.put_varint(origin.fields.size());
  for (const std::string& field : origin.fields) out.put_text(field);
  out.put<std::uint8_t>(origin.weight ? 1 : 0);
  if (origin.weight) out.put_text(*origin.weight);
  return write_frame(SketchKind::origin, out.bytes());
}

Result<SummaryOrigin> decode_origin(std::string_view frame) {
  const Result<std::string_view> payload = read_frame(frame, SketchKind::origin);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::origin));
  SummaryOrigin origin;
  const std::uint64_t count = in.get_count(1, "the fields");
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) origin.fields.emplace_back(in.get_text("a field"));
  const auto weighted = in.get<std::uint8_t>("whether there is a weight");
  in.require(weighted <= 1, "whether there is a weight is neither yes nor no");
  if (weighted == 1) origin.weight.emplace(in.get_text("the weight"));
  if (Status end = in.finish(); !end) return end.error();
  return origin;
}

std::string text_of(const SummaryOrigin& origin) {
  const auto quoted = [](const std::string& name) { return '"' + printable(name) + '"'; };
  std::string text;
  for (const std::string& field : origin.fields) text += (text.empty() ? "" : ", ") + quoted(field);
  if (text.empty()) text = "whole records";
  if (origin.weight) text += " weighted by " + quoted(*origin.weight);
  return text;
}

}  // namespace weir
