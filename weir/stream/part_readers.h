// Threads that take the parts of files apart, some parts ahead of who waits for them in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/log_parts.h"
#include "weir/stream/log_stream.h"
#include "weir/stream/where.h"

namespace weir {

/// What came of a part.
struct ReadPart {
  std::string file{};
  bool first_of_file = false;
  /// Records as RecordCodec writes them, those that the condition keeps.
  std::string records{};
  LogCounts counts{};
  Status status = Done{};
  /// What a thread could not bear, to be thrown on.
  std::exception_ptr thrown{};
};

class PartReaders {
 public:
  struct Task {
    LogOptions log;
    std::vector<std::string> fields;
    Where where;
  };

  /// Starts the threads. `parts` and `task` must outlive this.
  PartReaders(LogParts& parts, const Task& task, unsigned threads);
  /// Waits for the threads, which end with the part that they are at.
  ~PartReaders();
  PartReaders(const PartReaders&) = delete;
  PartReaders& operator=(const PartReaders&) = delete;

  /// The next part in order; nothing after the last.
  std::optional<ReadPart> next();
  /// Gives a buffer back to be used again.
  void recycle(std::string buffer);

 private:
  void work();
  bool wait_for_room();
  std::string take_buffer();
  void hand_over(std::uint64_t number, ReadPart part);
  ReadPart read(const LogPart& part);
  void read_records(LogStream& log, ReadPart& out) const;

  LogParts& parts_;
  const Task& task_;
  std::size_t window_;

  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::map<std::uint64_t, ReadPart> done_;
  std::vector<std::string> buffers_;
  std::uint64_t next_ = 0;
  /// Parts that are being read or wait in done_.
  std::size_t ahead_ = 0;
  std::size_t working_ = 0;
  bool quit_ = false;

  std::vector<std::jthread> threads_;
};

}  // namespace weir
