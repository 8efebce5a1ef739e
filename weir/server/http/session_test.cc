// The byte machine without sockets: what is answered, and that it does not depend on how the bytes come.
#include "weir/server/http/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "weir/server/http/test_door.h"

namespace weir::server {
namespace {

constexpr std::string_view kChat = R"({"dimensions":{"account":"42","endpoint":"chat"}})";

std::string post(std::string_view body, std::string_view path = "/v1/check", std::string_view fields = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: weir\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}

std::string get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: weir\r\n" + std::string(fields) + "\r\n";
}

/// kChat in three chunks, with an extension and a trailer.
std::string chunked_chat() {
  const auto chunk = [](std::string_view data, std::string_view extension) {
    std::ostringstream text;
    text << std::hex << data.size() << extension << "\r\n" << data << "\r\n";
    return text.str();
  };
  return "POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n" +
         chunk(kChat.substr(0, 5), ";a=b") + chunk(kChat.substr(5, 1), "") + chunk(kChat.substr(6), "") +
         "0\r\nX: y\r\n\r\n";
}

/// "200 429 429": the statuses of answers one behind the other.
std::string statuses(std::string_view answers) {
  std::string found;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 ", at)) != std::string_view::npos; ++at) {
    if (answers[at + 9] < '0' || answers[at + 9] > '9') continue;
    found += (found.empty() ? "" : " ") + std::string(answers.substr(at + 9, 3));
  }
  return found;
}

class HttpSessionTest : public ::testing::Test {
 protected:
  /// All answers to `bytes`, which come in one piece.
  std::string answer(std::string_view bytes) { return TestDoor(options_).talk(bytes, {}).output; }
  std::string status(std::string_view bytes) { return statuses(answer(bytes)); }

  HttpOptions options_;
};

TEST_F(HttpSessionTest, AdmitsAndThenDenies) {
  const std::string answers = answer(post(kChat) + post(kChat) + post(kChat));
  EXPECT_EQ(statuses(answers), "200 200 429");
  EXPECT_NE(answers.find("RateLimit-Policy: \"chat\";q=1;w=10\r\nRateLimit: \"chat\";r=1;t=10\r\n"),
            std::string::npos)
      << answers;
  EXPECT_NE(answers.find("Retry-After: 10\r\n"), std::string::npos);
  EXPECT_NE(answers.find("\"violated-policies\":[\"chat\"],\"allowed\":false"), std::string::npos);
}

TEST_F(HttpSessionTest, TellsADenialWith200WhereAsked) {
  const std::string never = R"({"dimensions":{"account":"42","endpoint":"chat"},"cost":3})";
  const std::string answers = answer(post(never, "/v1/check?status=200"));
  EXPECT_EQ(statuses(answers), "200");
  EXPECT_NE(answers.find("\"allowed\":false"), std::string::npos);
  EXPECT_NE(answers.find("\"retry_after\":null"), std::string::npos);
  EXPECT_EQ(answers.find("Retry-After"), std::string::npos);
  EXPECT_EQ(answers.find(";t="), std::string::npos);
}

TEST_F(HttpSessionTest, AnswersInOrderWhateverIsAsked) {
  const std::string bytes = get("/healthz") + post(kChat) + get("/nowhere") + post("[]") + post("x") +
                            post(kChat) + get("/readyz") + post(kChat);
  EXPECT_EQ(status(bytes), "200 200 404 200 400 200 200 429");
}

TEST_F(HttpSessionTest, RefusesWhatTwoServersCouldReadDifferently) {
  const auto head = [](std::string_view fields) {
    return "POST /v1/check HTTP/1.1\r\nHost: weir\r\n" + std::string(fields) + "\r\n";
  };
  const std::string both = head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n");
  const std::string cases[] = {
      both,
      head("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"),
      head("Content-Length: 3\r\nContent-Length: 3\r\n"),
      head("Content-Length: 3\r\nContent-Length: 4\r\n"),
      head("Content-Length: 3, 3\r\n"),
      head("Content-Length: +3\r\n"),
      head("Content-Length: -3\r\n"),
      head("Content-Length: 0x3\r\n"),
      head("Content-Length: 99999999999999999999\r\n"),
      head("Content-Length : 3\r\n"),
      head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
      head("X: a\r\n b\r\n"),
      head("X: a\r\n\tb\r\n"),
      head(" X: a\r\n"),
      head("Transfer-Encoding:\r\n\tchunked\r\n"),
      head("Content-Length:\r\n 24\r\n"),
      head("Content-Length: \r\n 24\r\n"),
      head("X-Forwarded-For:\r\n 203.0.113.9\r\n"),
      head("X: a\r\n \r\n"),
      "POST /v1/check HTTP/1.1\r\nHost:\r\n x\r\n\r\n",
      head("X\r\n"),
      head("X: a\nY: b\r\n"),
      head("X: a\rb\r\n"),
      head(std::string("X: a\0b\r\n", 8)),
      head("Host: other\r\n"),
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x:y:z\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x:99999\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: %zz\r\n\r\n",
      "GET / HTTP/1.1\nHost: weir\n\n",
      "GET / HTTP/1.1\n",
      "GET  / HTTP/1.1\r\nHost: weir\r\n\r\n",
      "GET / HTTP/1.1 \r\nHost: weir\r\n\r\n",
      "GET /\r\n\r\n",
      "GET nowhere HTTP/1.1\r\nHost: weir\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "\x16\x03\x01",
      " GET / HTTP/1.1\r\nHost: weir\r\n\r\n",
  };
  for (const std::string& bytes : cases) {
    const auto talk = TestDoor(options_).talk(bytes + get("/healthz"), {});
    EXPECT_EQ(statuses(talk.output), "400") << bytes << "\n" << talk.output;
    EXPECT_TRUE(talk.closing) << bytes;
  }
}

TEST_F(HttpSessionTest, TakesTheHostsThatThereAre) {
  for (const std::string host :
       {"", "weir", "weir:80", "weir:", "a-b.c_d:65535", "[::1]", "[2001:db8::1]:80", "%41"}) {
    EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), "200") << host;
  }
}

TEST_F(HttpSessionTest, SaysThatALengthIsNoNumber) {
  for (const std::string length : {"+24", "", "x", "0x3"}) {
    const std::string said =
        answer("POST / HTTP/1.1\r\nHost: weir\r\nContent-Length: " + length + "\r\n\r\n");
    EXPECT_NE(said.find("Content-Length is not a number"), std::string::npos) << said;
  }
}

TEST_F(HttpSessionTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(status("GET / HTTP/2.0\r\nHost: weir\r\n\r\n"), "505");
  EXPECT_EQ(status("GET /a b HTTP/1.1\r\nHost: weir\r\n\r\n"), "400");
  EXPECT_EQ(status(get("/healthz", "Expect: more\r\n")), "417");
  EXPECT_EQ(status("POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
            "501");
}

TEST_F(HttpSessionTest, ReadsChunkedBodies) {
  const std::string head = "POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status(chunked_chat() + get("/healthz")), "200 200");
  for (const std::string_view bad :
       {"x\r\n", "5\r\n{\"dimX\r\n", "5\n{\"dim", "FFFFFFFFFFFFFFFFF\r\n", "-1\r\n"}) {
    EXPECT_EQ(status(head + std::string(bad) + std::string(64, 'a') + "\r\n\r\n"), "400") << bad;
  }
}

TEST_F(HttpSessionTest, RefusesLinesThatOthersCouldEndElsewhere) {
  const std::string head = "POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string bodies[] = {
      std::string("2;a=\"\n\"\r\n[]\r\n0\r\n\r\n"),       std::string("2;a=\"\0\"\r\n[]\r\n0\r\n\r\n", 18),
      std::string("2\r\n[]\r\n0;a=\"\x7f\"\r\n\r\n"),     std::string("2\r\n[]\r\n0\r\nX:\r\n y\r\n\r\n"),
      std::string("2\r\n[]\r\n0\r\nX: y\r\n\tz\r\n\r\n"),
  };
  for (const std::string& body : bodies) EXPECT_EQ(status(head + body + get("/healthz")), "400") << body;
  EXPECT_EQ(status(head + "2;a=\"b c\"\r\n[]\r\n0\r\nX:\r\nY: z\r\n\r\n" + get("/healthz", "X:\r\n")),
            "200 200");
}

TEST_F(HttpSessionTest, WhatFailsInOneConnectionIsNotToldToTheNext) {
  TestDoor door(options_);
  door.fail_next_reading_of_the_clock();
  EXPECT_THROW(door.talk(post(kChat), {}), std::bad_alloc);
  EXPECT_EQ(statuses(door.talk(get("/healthz"), {}).output), "200");
  EXPECT_EQ(statuses(door.talk(post(kChat), {}).output), "200");
}

TEST_F(HttpSessionTest, LargeRequestsShareTheirRoom) {
  options_.max_buffered = std::size_t{64} << 10U;
  TestDoor door(options_);
  const std::string large = post(std::string(40000, ' ') + "[]");
  EXPECT_EQ(statuses(door.talk(large + large, {}).output), "200 200");
  EXPECT_EQ(door.buffered(), 0U);
  HttpSession half(door.door(), "192.0.2.2");
  for (std::size_t at = 0; at < large.size() - 1;) {
    const auto room = half.room();
    const std::size_t count = std::min(room.size(), large.size() - 1 - at);
    std::memcpy(room.data(), large.data() + at, count);
    at += count;
    half.received(count, false);
  }
  EXPECT_EQ(door.buffered(), std::size_t{64} << 10U);
  EXPECT_EQ(statuses(door.talk(large, {}).output), "503");
  EXPECT_EQ(statuses(door.talk(post(kChat), {}).output), "200");
}

TEST_F(HttpSessionTest, LargeAnswersShareThatRoomToo) {
  options_.max_pending = 10;
  EXPECT_EQ(status(get("/healthz")), "200");
  options_.max_buffered = 20;
  TestDoor door(options_);
  const auto talk = door.talk(get("/healthz"), {});
  EXPECT_TRUE(talk.closing);
  EXPECT_EQ(talk.output, "");
  EXPECT_EQ(door.buffered(), 0U);
}

TEST_F(HttpSessionTest, AnswersAllThatCameBeforeTheEnd) {
  TestDoor door(options_);
  door.draining() = true;
  const auto talk = door.talk(get("/healthz") + get("/readyz") + get("/healthz") + "GET /healthz HT", {});
  EXPECT_EQ(statuses(talk.output), "200 503 200");
  EXPECT_FALSE(talk.closing);
  EXPECT_EQ(talk.output.find("Connection: close"), std::string::npos);
  const auto last = door.talk(get("/healthz") + get("/healthz"), {});
  EXPECT_EQ(statuses(last.output), "200 200");
  EXPECT_TRUE(last.closing);
  EXPECT_GT(last.output.find("Connection: close"), last.output.size() / 2);
}

TEST_F(HttpSessionTest, BoundsWhatFramesChunks) {
  options_.max_head = 1000;
  const std::string chunked = "POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string bytes = "1\r\n[\r\n";
  for (int i = 0; i < 3000; ++i) bytes += "1\r\n \r\n";
  bytes += "1\r\n]\r\n0\r\n\r\n";
  EXPECT_EQ(status(chunked + bytes), "200");
  std::string framed;
  for (int i = 0; i < 10; ++i) framed += "1;" + std::string(300, 'a') + "\r\n \r\n";
  EXPECT_EQ(status(chunked + framed), "400");
}

TEST_F(HttpSessionTest, TrailersHaveNoSay) {
  const std::string bytes =
      "POST /v1/auth?account=X-A HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nX-A: 42\r\nX-Original-URI: /chat\r\n\r\n";
  EXPECT_NE(answer(bytes).find("Content-Length: 0\r\n\r\n"), std::string::npos);  // no rule applies
}

TEST_F(HttpSessionTest, HoldsItsLimits) {
  options_.max_head = 256;
  options_.max_body = 64;
  EXPECT_EQ(status(get("/" + std::string(300, 'a'))), "414");
  EXPECT_EQ(status(get("/healthz", "X: " + std::string(300, 'a') + "\r\n")), "431");
  const std::string fits =
      get("/healthz", "X: " + std::string(256 - get("/healthz", "X: \r\n").size(), 'a') + "\r\n");
  EXPECT_EQ(fits.size(), 256U);
  EXPECT_EQ(status(fits), "200");
  EXPECT_EQ(status(post(std::string(65, ' '))), "413");
  EXPECT_EQ(status(post(kChat)), "200");
  const std::string chunked = "POST /v1/check HTTP/1.1\r\nHost: weir\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status(chunked + "40\r\n" + std::string(64, ' ') + "\r\n1\r\n \r\n0\r\n\r\n"), "413");
  EXPECT_EQ(status(chunked + "1;" + std::string(300, 'a')), "431");
  EXPECT_EQ(status(chunked + "0\r\nX: " + std::string(300, 'a')), "431");
}

TEST_F(HttpSessionTest, StopsWhenAnswersWait) {
  options_.max_pending = 1000;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += get("/healthz");
  TestDoor door(options_);
  const auto talk = door.talk(bytes, {}, false);
  EXPECT_TRUE(talk.held_up);
  EXPECT_LT(talk.output.size(), 2000U);
  EXPECT_EQ(status(bytes).size(), 100U * 4 - 1);
}

TEST_F(HttpSessionTest, KnowsHowLongAConnectionLasts) {
  const auto closes = [&](std::string_view bytes) { return TestDoor(options_).talk(bytes, {}).closing; };
  EXPECT_FALSE(closes(get("/healthz")));
  EXPECT_TRUE(closes(get("/healthz", "Connection: close\r\n")));
  EXPECT_TRUE(closes("GET /healthz HTTP/1.0\r\n\r\n"));
  EXPECT_FALSE(closes("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_NE(answer("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").find("Connection: keep-alive"),
            std::string::npos);
  EXPECT_EQ(status(get("/healthz", "Connection: close\r\n") + get("/healthz")), "200");
}

TEST_F(HttpSessionTest, GivesLeaveToSendABody) {
  const std::string head =
      "POST /v1/check HTTP/1.1\r\nHost: weir\r\nExpect: 100-continue\r\nContent-Length: " +
      std::to_string(kChat.size()) + "\r\n\r\n";
  EXPECT_EQ(status(head), "100");
  EXPECT_EQ(status(post(kChat) + head + std::string(kChat)), "200 200");
  EXPECT_EQ(statuses(TestDoor(options_).talk(head + std::string(kChat), {head.size()}).output), "100 200");
}

TEST_F(HttpSessionTest, AnswersHeadWithoutABody) {
  const std::string answers = answer("HEAD /healthz HTTP/1.1\r\nHost: weir\r\n\r\n");
  EXPECT_TRUE(answers.ends_with("\r\n\r\n")) << answers;
  EXPECT_NE(answers.find("Content-Length: 3\r\n"), std::string::npos);
}

TEST_F(HttpSessionTest, TakesOtherFormsOfTarget) {
  EXPECT_EQ(status("GET http://weir/healthz HTTP/1.1\r\nHost: weir\r\n\r\n"), "200");
  EXPECT_EQ(status("GET HTTP://[::1]:80/healthz HTTP/1.1\r\nHost: weir\r\n\r\n"), "200");
  EXPECT_EQ(status("GET http://weir?x HTTP/1.1\r\nHost: weir\r\n\r\n"), "404");
  for (const char* bad : {"http:///healthz", "http://a:b:c/healthz", "http://u:p@x/healthz",
                          "http://:80/healthz", "ftp://weir/healthz", "http:weir", "http:"}) {
    EXPECT_EQ(status("GET " + std::string(bad) + " HTTP/1.1\r\nHost: weir\r\n\r\n"), "400") << bad;
  }
  EXPECT_EQ(status("OPTIONS * HTTP/1.1\r\nHost: weir\r\n\r\n"), "404");
  EXPECT_EQ(status("\r\n\r\n" + get("/healthz")), "200");
}

TEST_F(HttpSessionTest, AnswersTheSameHoweverTheBytesCome) {
  options_.max_head = 512;
  options_.max_body = 200;
  const std::string chunked = chunked_chat();
  const std::string whole[] = {
      post(kChat) + chunked + get("/healthz") + post("[" + std::string(kChat) + "]") + chunked + post("{}") +
          get("/v1/auth?account=X-A", "X-A: 7\r\nX-Original-URI: chat\r\n") + "\r\n" + get("/x"),
      chunked + get("/healthz", "X: " + std::string(600, 'a') + "\r\n"),
      chunked + post(std::string(201, 'x')),
      chunked + "GET / HTTP/1.1\r\nA : b\r\n\r\n",
  };
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
  for (const std::string& bytes : whole) {
    const std::string expected = answer(bytes);
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
      ASSERT_EQ(TestDoor(options_).talk(bytes, {at}).output, expected) << at;
    }
    for (int round = 0; round < 200; ++round) {
      std::vector<std::size_t> cuts;
      for (int i = 0; i < 12; ++i) cuts.push_back(random() % (bytes.size() + 1));
      std::sort(cuts.begin(), cuts.end());
      ASSERT_EQ(TestDoor(options_).talk(bytes, cuts).output, expected);
    }
  }
}

TEST_F(HttpSessionTest, SaysThatTheRestDidNotCome) {
  TestDoor door(options_);
  HttpSession session(door.door(), "192.0.2.1");
  const std::string bytes = "GET /healthz HTTP/1.1\r\n";
  std::copy(bytes.begin(), bytes.end(), session.room().begin());
  session.received(bytes.size(), false);
  EXPECT_TRUE(session.is_within_request());
  session.time_out();
  EXPECT_EQ(statuses(session.output()), "408");
  EXPECT_TRUE(session.is_closing());
}

}  // namespace
}  // namespace weir::server
