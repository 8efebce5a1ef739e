#include "weir/server/http/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir::server {

std::span<char> HttpSession::room() {
  if (filled_ == capacity_) grow();
  return {buffer_.get() + filled_, capacity_ - filled_};
}

std::size_t HttpSession::next_capacity() const {
  return std::max(kLeastBuffer, capacity_ * 2);
}

bool HttpSession::may_grow() {
  const std::size_t wanted = next_capacity();
  if (wanted <= kIdleBuffer || wanted <= room_taken_) return true;
  if (!door_.take_room(wanted - room_taken_)) return false;
  room_taken_ = wanted;
  return true;
}

void HttpSession::give_back(std::size_t& room) {
  if (room > 0) door_.give_back_room(std::exchange(room, 0));
}

/// The room that all connections share is asked for what is more than this one may keep by itself.
bool HttpSession::may_keep_output() {
  if (output_.size() <= std::max(2 * door_.options().max_pending, output_room_)) return true;
  if (!door_.take_room(output_.size() - output_room_)) return false;
  output_room_ = output_.size();
  return true;
}

/// As large as what comes wants it to be: a request has to stand in one piece.
void HttpSession::grow() {
  const std::size_t wanted = next_capacity();
  // Behind a body the reader of JSON may look a little further.
  auto larger = std::make_unique_for_overwrite<char[]>(wanted + CheckReader::kPadding);
  if (filled_ > 0) std::memcpy(larger.get(), buffer_.get(), filled_);
  std::memset(larger.get() + wanted, 0, CheckReader::kPadding);
  buffer_ = std::move(larger);
  capacity_ = wanted;
}

void HttpSession::received(std::size_t count, bool more_came) {
  more_came_ = more_came;
  filled_ += count;
  run();
}

void HttpSession::run() {
  const HttpDoor::Forgetting at_the_end(door_);
  held_up_ = false;
  while (!closing_ && !held_up_ && step()) {
    held_up_ = output_.size() - sent_ > door_.options().max_pending;
  }
  door_.flush(output_);
  if (!may_keep_output()) {
    // Which request a 503 would answer could not be told.
    output_ = {};
    sent_ = 0;
    closing_ = true;
  }
  tidy();
  if (closing_ || filled_ < capacity_ || may_grow()) return;
  refuse(503, "too many large requests are being received; send this one again later");
  tidy();
}

/// One more request; false when more bytes are needed for that.
bool HttpSession::step() {
  if (!parser_ && !begin_request()) return false;
  std::size_t size = filled_ - begin_;
  const HttpParser::Step step = parser_->advance(buffer_.get() + begin_, size);
  filled_ = begin_ + size;
  if (step == HttpParser::Step::refused) {
    refuse(parser_->refusal().status, parser_->refusal().sentence);
    return false;
  }
  if (parser_->take_continue()) {
    door_.flush(output_);
    output_ += "HTTP/1.1 100 Continue\r\n\r\n";
  }
  if (step == HttpParser::Step::need_more) return false;
  finish_request();
  return true;
}

bool HttpSession::begin_request() {
  // Old clients send an empty line behind a body (RFC 9112, 2.2).
  while (filled_ - begin_ >= 2 && buffer_[begin_] == '\r' && buffer_[begin_ + 1] == '\n') begin_ += 2;
  if (begin_ == filled_) return false;
  if (filled_ - begin_ == 1 && buffer_[begin_] == '\r') return false;
  parser_.emplace(door_.options(), fields_);
  ++begun_;
  return true;
}

void HttpSession::finish_request() {
  const HttpRequest request = parser_->request(buffer_.get() + begin_, door_.fields());
  begin_ += parser_->end();
  const bool is_last = begin_ == filled_ && !more_came_;
  closing_ = !request.keep_alive || (door_.draining() && is_last);
  parser_.reset();
  door_.take(request, peer_, closing_, output_);
}

void HttpSession::refuse(int status, std::string_view sentence) {
  closing_ = true;
  door_.refuse(status, sentence, output_);
}

void HttpSession::time_out() {
  if (closing_) return;
  refuse(408, "the rest of the request did not come in time");
}

/// Forgets what has been answered, and gives back room that only few requests need.
void HttpSession::tidy() {
  if (closing_) begin_ = filled_;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
  }
  if (filled_ == 0 && capacity_ > kIdleBuffer) {
    buffer_.reset();
    capacity_ = 0;
    give_back(room_taken_);
  }
}

void HttpSession::sent(std::size_t count) {
  sent_ += count;
  if (sent_ < output_.size()) return;
  sent_ = 0;
  output_.clear();
  give_back(output_room_);
  if (output_.capacity() > kIdleBuffer) output_.shrink_to_fit();
}

}  // namespace weir::server
