// The body of POST /v1/check: JSON, one request or an array of them, taken strictly.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/policy/request.h"
#include "weir/server/http/text_arena.h"

namespace weir::server {

/// A request whose dimensions stand from `first` on in a list.
struct QueuedRequest {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t cost = 1;
  bool peek = false;
};

/// What was read so far, of one body after another.
struct RequestQueue {
  std::vector<Dimension> dimensions;
  std::vector<QueuedRequest> requests;
  TextArena texts;
  /// Room for who fills the queue.
  std::vector<std::string_view> scratch;

  void clear() {
    dimensions.clear();
    requests.clear();
    texts.clear();
  }
};

class CheckReader {
 public:
  /// Bytes that must be readable behind a body.
  static constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

  CheckReader(std::size_t max_batch, std::size_t max_dimensions)
      : max_batch_(max_batch), max_dimensions_(max_dimensions) {}

  /// Puts what the body asks behind what is in the queue, which an error leaves as it was. Says whether it is
  /// an array. Errors name the place as a path and as a byte of the body.
  Result<bool> read(std::string_view body, RequestQueue& queue);

 private:
  using Document = simdjson::ondemand::document;
  using Value = simdjson::ondemand::value;
  using Object = simdjson::ondemand::object;

  Status read_array(RequestQueue& queue);
  template <class Source>
  Status read_request(Source& source, RequestQueue& queue);
  Status read_field(std::string_view name, Value value, RequestQueue& queue, unsigned& seen);
  Status read_dimensions(Value value, RequestQueue& queue);
  Status read_dimension(simdjson::ondemand::field field, RequestQueue& queue);
  Status read_cost(Value value, std::uint64_t& cost);
  Status read_peek(Value value, bool& peek);
  std::ptrdiff_t place();
  Error wrong(std::string_view where, std::string_view what);
  Error not_json(simdjson::error_code problem);

  simdjson::ondemand::parser parser_;
  Document document_;
  std::size_t max_batch_;
  std::size_t max_dimensions_;
  std::string_view body_;
  /// Which request of an array is read; nothing elsewhere.
  std::optional<std::size_t> index_;
};

}  // namespace weir::server
