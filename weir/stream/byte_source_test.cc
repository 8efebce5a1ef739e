#include "weir/stream/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

/// A pipe whose reading end stands where a file name is expected.
class PipeForTest {
 public:
  PipeForTest() { EXPECT_EQ(::pipe(ends_), 0); }
  PipeForTest(const PipeForTest&) = delete;
  PipeForTest& operator=(const PipeForTest&) = delete;
  ~PipeForTest() {
    ::close(ends_[0]);
    close_writer();
  }

  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::string open_error(const std::string& path) {
  const Result<LogStream> stream = LogStream::open({path}, {});
  return stream.ok() ? "" : stream.error().message;
}

TEST(FileSource, NamesWhatCanNotBeOpened) {
  EXPECT_EQ(open_error("/nowhere/a.log"), "/nowhere/a.log: can't be opened: No such file or directory");
  EXPECT_EQ(open_error(::testing::TempDir()),
            ::testing::TempDir() + ": is a directory; name the files in it");
  const FileForTest file("x");
  EXPECT_EQ(open_error(file.path()), "");
}

TEST(FileSource, NamesWhatMayNotBeRead) {
  const FileForTest file("x");
  ASSERT_EQ(::chmod(file.path().c_str(), 0), 0);
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  EXPECT_EQ(open_error(file.path()), file.path() + ": can't be opened: Permission denied");
}

TEST(FileSource, AMissingFileIsFoundBeforeTheFirstIsRead) {
  const FileForTest file("x\n");
  EXPECT_FALSE(LogStream::open({file.path(), "/nowhere/a.log"}, {}).ok());
}

TEST(FileSource, KnowsFilesFromPipes) {
  const FileForTest file("x\n");
  const PipeForTest pipe;
  const std::atomic<bool> stop = false;
  const Result<FileSource> regular = FileSource::open(file.path(), &stop);
  ASSERT_TRUE(regular.ok());
  EXPECT_TRUE(regular->is_regular());
  EXPECT_EQ(regular->size(), 2);
  EXPECT_TRUE(regular->modified().has_value());
  const Result<FileSource> stream = FileSource::open(pipe.path(), &stop);
  ASSERT_TRUE(stream.ok());
  EXPECT_FALSE(stream->is_regular());
  EXPECT_EQ(stream->modified(), std::nullopt);
}

TEST(FileSource, AStreamIsOnlyFilesWhenAllOfItIs) {
  const FileForTest file("x\n");
  const FileForTest other("yy\n");
  const PipeForTest pipe;
  pipe.write("z\n");
  const Result<LogStream> files = LogStream::open({file.path(), other.path()}, {.format = "lines"});
  ASSERT_TRUE(files.ok());
  EXPECT_TRUE(files->only_files());
  EXPECT_EQ(files->counts().total_bytes, 5);
  const Result<LogStream> mixed = LogStream::open({file.path(), pipe.path()}, {.format = "lines"});
  ASSERT_TRUE(mixed.ok());
  EXPECT_FALSE(mixed->only_files());
  EXPECT_EQ(mixed->counts().total_bytes, 0);
}

TEST(FileSource, APipeGivesLinesAsTheyCome) {
  for (const std::string format : {"lines", "auto"}) {
    PipeForTest pipe;
    pipe.write("first\nsec");
    // Were the stream to wait for more than is there, this test would never end.
    Result<LogStream> stream = LogStream::open({pipe.path()}, {.format = format});
    ASSERT_TRUE(stream.ok());
    Record record;
    ASSERT_TRUE(stream->next(record));
    EXPECT_EQ(record.line, "first");
    pipe.write("ond\n\x1F");
    ASSERT_TRUE(stream->next(record));
    EXPECT_EQ(record.line, "second");
    pipe.close_writer();
    ASSERT_TRUE(stream->next(record));
    EXPECT_EQ(record.line, "\x1F");
    EXPECT_FALSE(stream->next(record));
    EXPECT_TRUE(stream->status().ok());
  }
}

TEST(FileSource, AFlagThatIsSetEndsTheStream) {
  PipeForTest pipe;
  pipe.write("first\nhalf");
  std::atomic<bool> stop = false;
  Result<LogStream> stream = LogStream::open({pipe.path()}, {.format = "lines", .stop = &stop});
  ASSERT_TRUE(stream.ok());
  Record record;
  ASSERT_TRUE(stream->next(record));
  stop = true;
  EXPECT_FALSE(stream->next(record)) << "half a line is none";
  EXPECT_FALSE(stream->next(record));
  EXPECT_TRUE(stream->status().ok());
  EXPECT_EQ(stream->counts().records, 1);
}

TEST(FileSource, AFlagThatIsSetWhileAPipeIsWaitedForEndsTheStream) {
  const PipeForTest pipe;
  std::atomic<bool> stop = false;
  Result<LogStream> stream = LogStream::open({pipe.path()}, {.format = "lines", .stop = &stop});
  ASSERT_TRUE(stream.ok());
  std::thread other([&stop] { stop = true; });
  Record record;
  EXPECT_FALSE(stream->next(record));
  other.join();
  EXPECT_TRUE(stream->status().ok());
}

std::atomic<bool> signalled = false;

TEST(FileSource, ASignalInterruptsABlockedRead) {
  struct sigaction handle {};
  struct sigaction before {};
  handle.sa_handler = [](int) { signalled = true; };
  ASSERT_EQ(::sigaction(SIGUSR1, &handle, &before), 0);
  const PipeForTest pipe;
  Result<LogStream> stream = LogStream::open({pipe.path()}, {.format = "lines", .stop = &signalled});
  ASSERT_TRUE(stream.ok());
  const pthread_t reader = ::pthread_self();
  std::thread other([reader] { ::pthread_kill(reader, SIGUSR1); });
  Record record;
  EXPECT_FALSE(stream->next(record));
  other.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(stream->status().ok());
}

TEST(FileSource, AReadErrorNamesTheFile) {
  // Reading the memory of this process from address 0 fails.
  const Rows read = read_rows(LogStream::open({"/proc/self/mem"}, {.format = "lines"}), {});
  EXPECT_THAT(read.problem, HasSubstr("/proc/self/mem: can't be read: "));
}

TEST(MemorySource, GivesPieces) {
  MemorySource source("abcde", 2);
  char buffer[4];
  ASSERT_EQ(source.read(buffer)->count, 2);
  ASSERT_EQ(source.read(buffer)->count, 2);
  ASSERT_EQ(source.read(buffer)->count, 1);
  EXPECT_EQ(source.consumed(), 5);
  ASSERT_EQ(source.read(buffer)->count, 0);
  EXPECT_TRUE(source.rewind());
  EXPECT_EQ(source.read(buffer)->count, 2);
}

}  // namespace
}  // namespace weir
