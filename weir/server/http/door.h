// HttpDoor: requests in, answers out, for all connections of one thread. Knows no sockets.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/server/decider.h"
#include "weir/server/http/answer.h"
#include "weir/server/http/check_reader.h"
#include "weir/server/http/head.h"
#include "weir/server/options.h"

namespace weir::server {

/// What the door needs of the server around it.
struct HttpServices {
  /// The text of /metrics; called on the door's thread.
  std::function<std::string()> metrics;
  /// No more is taken in.
  const std::atomic<bool>* draining = nullptr;
  /// Bytes that HttpDoor::take_room() gave to the connections of all threads.
  std::atomic<std::size_t>* buffered = nullptr;
};

class HttpDoor {
 public:
  /// Whatever happens, an exception above all: what is gathered ends with the scope, so that no other
  /// connection gets to see it.
  class Forgetting {
   public:
    explicit Forgetting(HttpDoor& door) : door_(door) {}
    ~Forgetting() { door_.forget(); }
    Forgetting(const Forgetting&) = delete;
    Forgetting& operator=(const Forgetting&) = delete;

   private:
    HttpDoor& door_;
  };

  HttpDoor(const HttpOptions& options, Decider& decider, HttpServices services);

  /// Takes a request. Its answer stands in `out` after flush() at the latest: checks are gathered, to be
  /// decided together. Until then the request's bytes must stay. `last`: nothing more is read from this
  /// connection.
  void take(const HttpRequest& request, std::string_view peer, bool last, std::string& out);
  /// Decides what is gathered and writes the answers, all to `out`: one connection's at a time.
  void flush(std::string& out);
  /// Forgets what is gathered, unanswered. See Forgetting.
  void forget();
  /// Answers what could not be read, and will be the last.
  void refuse(int status, std::string_view sentence, std::string& out);

  /// Whether a connection may have this much more room for a request; if so, it gives it back.
  bool take_room(std::size_t bytes);
  void give_back_room(std::size_t bytes) { services_.buffered->fetch_sub(bytes, std::memory_order_relaxed); }

  bool draining() const { return services_.draining->load(std::memory_order_relaxed); }
  const HttpOptions& options() const { return options_; }
  HttpCounters& counters() { return decider_.counters().http; }
  /// Room for the fields of the request that is being taken.
  std::vector<HttpField>& fields() { return fields_; }

 private:
  /// An answer that waits for its decisions.
  struct Pending {
    enum class Kind : std::uint8_t { check, array, auth };
    Kind kind = Kind::check;
    AnswerShape shape;
    /// The status of a denial.
    int deny_status = 429;
    /// Into queue_.requests.
    std::size_t first = 0;
    std::size_t count = 0;
  };

  void take_check(const HttpRequest& request, AnswerShape shape, std::string& out);
  void take_auth(const HttpRequest& request, std::string_view peer, AnswerShape shape, std::string& out);
  void take_page(PathClass path, const HttpRequest& request, AnswerShape shape, std::string& out);
  void tell(PathClass path, int status, std::string_view content_type, std::string_view fields,
            std::string_view body, AnswerShape shape, std::string& out);
  void tell_problem(PathClass path, int status, std::string_view detail, AnswerShape shape, std::string& out,
                    std::string_view fields = {});
  void decide();
  void write(const Pending& pending, std::string& out);
  void write_array(const Pending& pending, std::string& out);

  const HttpOptions& options_;
  Decider& decider_;
  HttpServices services_;
  CheckReader reader_;
  RequestQueue queue_;
  std::vector<Pending> pending_;
  std::vector<Request> requests_;
  std::vector<Told> told_;
  std::vector<HttpField> fields_;
  HttpDate date_;
  std::string body_;
  std::string limit_fields_;
};

}  // namespace weir::server
