// HttpSession: what one connection says over HTTP/1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/server/http/door.h"
#include "weir/server/http/parser.h"
#include "weir/server/session.h"

namespace weir::server {

class HttpSession : public Session {
 public:
  /// `peer`: the address of who connects.
  HttpSession(HttpDoor& door, std::string peer) : door_(door), peer_(std::move(peer)) {}

  ~HttpSession() override {
    give_back(room_taken_);
    give_back(output_room_);
  }

  std::span<char> room() override;
  void received(std::size_t count, bool more_came) override;
  void resume() override { run(); }
  std::string_view output() const override { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t count) override;
  bool is_held_up() const override { return held_up_; }
  bool is_closing() const override { return closing_; }
  bool is_within_request() const override { return filled_ > 0 && !closing_; }
  std::uint64_t begun() const override { return begun_; }
  void time_out() override;

 private:
  static constexpr std::size_t kLeastBuffer = 4096;
  /// What an idle connection may keep.
  static constexpr std::size_t kIdleBuffer = std::size_t{16} << 10U;

  void run();
  bool step();
  bool begin_request();
  void finish_request();
  void refuse(int status, std::string_view sentence);
  void tidy();
  std::size_t next_capacity() const;
  bool may_grow();
  bool may_keep_output();
  void give_back(std::size_t& room);
  void grow();

  HttpDoor& door_;
  std::string peer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  /// What of it the door has given, which knows of all connections. Small buffers are not asked for.
  std::size_t room_taken_ = 0;
  /// The request that is being read begins at begin_; what has come ends at filled_.
  std::size_t begin_ = 0;
  std::size_t filled_ = 0;
  std::vector<FieldAt> fields_;
  std::optional<HttpParser> parser_;
  std::string output_;
  std::size_t sent_ = 0;
  /// What of the output the door has given room for: single answers may be large.
  std::size_t output_room_ = 0;
  bool more_came_ = false;
  std::uint64_t begun_ = 0;
  bool closing_ = false;
  bool held_up_ = false;
};

}  // namespace weir::server
