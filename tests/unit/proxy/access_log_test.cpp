#include "proxy/access_log.hpp"

#include "base/config_loader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;

ExchangeRecord sample() {
  ExchangeRecord record;
  record.id = "0abc12";
  record.time = WallTime{std::chrono::seconds{784111777}} + 42ms;
  record.client = "127.0.0.1";
  record.method = "GET";
  record.url = "http://example.org/a";
  record.query = "?q=secret";
  record.host = "example.org";
  record.protocol = "HTTP/1.1";
  record.status = 200;
  record.bytes_out = 1234;
  record.cache = "miss";
  record.user_agent = "Mozilla/5.0 (X11)";
  record.referer = "http://example.org/from?token=secret";
  record.timings.total = 12345us;
  return record;
}

std::string line(const ExchangeRecord& record, AccessLogFormat format, bool with_query = false) {
  std::string out;
  append_log_line(out, record, format, with_query);
  return out;
}

TEST(AccessLogLine, CommonFormat) {
  EXPECT_EQ(
      line(sample(), AccessLogFormat::common),
      "127.0.0.1 - - [06/Nov/1994:08:49:37 +0000] \"GET http://example.org/a HTTP/1.1\" 200 1234 miss 12.345 0abc12\n");
}

TEST(AccessLogLine, CombinedFormat) {
  ExchangeRecord record = sample();
  record.user = "ann";
  EXPECT_EQ(line(record, AccessLogFormat::combined),
            "127.0.0.1 - ann [06/Nov/1994:08:49:37 +0000] \"GET http://example.org/a HTTP/1.1\" 200 1234 "
            "\"http://example.org/from\" \"Mozilla/5.0 (X11)\" miss 12.345 0abc12\n");
}

TEST(AccessLogLine, EmptyFieldsAreDashes) {
  const std::string text = line(ExchangeRecord{}, AccessLogFormat::combined);
  EXPECT_EQ(text, "- - - [01/Jan/1970:00:00:00 +0000] \"- - -\" 0 0 \"-\" \"-\" - 0.000 -\n");
}

TEST(AccessLogLine, JsonHasEverything) {
  ExchangeRecord record = sample();
  record.bytes_in = 5;
  record.error = "dns_error";
  record.reused_connection = true;
  record.timings.queue = 1ms;
  record.timings.first_byte = 2500us;
  const std::string text = line(record, AccessLogFormat::json);
  const boost::json::object object = boost::json::parse(text).as_object();
  EXPECT_EQ(object.at("time").as_string(), "1994-11-06T08:49:37.042Z");
  EXPECT_EQ(object.at("id").as_string(), "0abc12");
  EXPECT_EQ(object.at("status").as_int64(), 200);
  EXPECT_EQ(object.at("bytes_in").as_int64(), 5);
  EXPECT_EQ(object.at("cache").as_string(), "miss");
  EXPECT_EQ(object.at("error").as_string(), "dns_error");
  EXPECT_TRUE(object.at("reused").as_bool());
  EXPECT_DOUBLE_EQ(object.at("ms").at("queue").as_double(), 1.0);
  EXPECT_DOUBLE_EQ(object.at("ms").at("first_byte").as_double(), 2.5);
  EXPECT_DOUBLE_EQ(object.at("ms").at("total").as_double(), 12.345);
  EXPECT_FALSE(object.at("ms").as_object().contains("dns"));
  EXPECT_FALSE(object.contains("user"));
}

TEST(AccessLogLine, QueryStringsAreDroppedUnlessAskedFor) {
  ExchangeRecord record = sample();
  for (const auto format : {AccessLogFormat::common, AccessLogFormat::combined, AccessLogFormat::json}) {
    EXPECT_EQ(line(record, format).find("secret"), std::string::npos);
    EXPECT_NE(line(record, format, true).find("?q=secret"), std::string::npos);
  }
  record.url += "?q=secret";  // a caller's mistake
  record.query.clear();
  for (const auto format : {AccessLogFormat::common, AccessLogFormat::combined, AccessLogFormat::json})
    EXPECT_EQ(line(record, format).find("secret"), std::string::npos);
}

TEST(AccessLogLine, OffWritesNothing) {
  EXPECT_EQ(line(sample(), AccessLogFormat::off), "");
}

// Nobody can forge a line or a field: not by any byte in any text.
TEST(AccessLogLine, HostileBytesStayInsideTheirField) {
  ExchangeRecord record = sample();
  for (int byte = 0; byte < 256; ++byte) {
    const std::string hostile = std::string("a") + static_cast<char>(byte) + "b";
    for (std::string ExchangeRecord::*member :
         {&ExchangeRecord::id, &ExchangeRecord::client, &ExchangeRecord::user, &ExchangeRecord::method,
          &ExchangeRecord::url, &ExchangeRecord::query, &ExchangeRecord::host, &ExchangeRecord::protocol,
          &ExchangeRecord::request_type, &ExchangeRecord::response_type, &ExchangeRecord::cache, &ExchangeRecord::error,
          &ExchangeRecord::user_agent, &ExchangeRecord::referer})
      record.*member = hostile;
    const std::string json = line(record, AccessLogFormat::json, true);
    EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 1);
    boost::json::error_code bad;
    boost::json::parse(json, bad);
    EXPECT_FALSE(bad) << byte << ": " << json;

    const std::string text = line(record, AccessLogFormat::combined, true);
    EXPECT_EQ(text.find('\n'), text.size() - 1) << byte;
    for (const char c : text.substr(0, text.size() - 1)) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << byte;
      EXPECT_NE(c, '\x7f');
    }
    // Six bare quotes delimit three fields.
    int quotes = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        ++quotes;
    }
    EXPECT_EQ(quotes, 6) << byte << ": " << text;
    const std::string before_time = text.substr(0, text.find('['));
    if (byte == '[') continue;
    EXPECT_EQ(std::count(before_time.begin(), before_time.end(), ' '), 3) << byte << ": " << text;
  }
}

class AccessLogFile : public testing::Test {
 protected:
  AccessLogFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "outrider-log-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~AccessLogFile() override { std::filesystem::remove_all(folder); }

  AccessLogSettings settings(AccessLogFormat format = AccessLogFormat::common) const {
    AccessLogSettings s;
    s.format = format;
    s.file = path("access.log");
    return s;
  }
  std::string path(const char* name) const { return (folder / name).string(); }
  static std::vector<std::string> lines(const std::string& file) {
    std::ifstream in{file};
    std::vector<std::string> found;
    for (std::string text; std::getline(in, text);) found.push_back(text);
    return found;
  }
  static ExchangeRecord named(const std::string& id) {
    ExchangeRecord record = sample();
    record.id = id;
    return record;
  }

  std::filesystem::path folder;
};

TEST_F(AccessLogFile, OffByDefaultAndThenNothingHappens) {
  AccessLog log;
  EXPECT_FALSE(log.wanted());
  EXPECT_TRUE(log.apply(AccessLogSettings{}));
  EXPECT_FALSE(log.wanted());
  log.write(sample());
  log.stop();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(AccessLogFile, StopWritesWhatIsWaiting) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  EXPECT_TRUE(log.wanted());
  for (int i = 0; i < 1000; ++i) log.write(named(std::to_string(i)));
  log.stop();
  EXPECT_FALSE(log.wanted());
  const auto found = lines(path("access.log"));
  ASSERT_EQ(found.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(found[static_cast<std::size_t>(i)].ends_with(" " + std::to_string(i)));
  EXPECT_EQ(log.written(), 1000u);
  EXPECT_EQ(log.dropped(), 0u);
}

TEST_F(AccessLogFile, LinesArriveWithoutBeingAskedFor) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  log.write(sample());
  while (log.written() == 0) std::this_thread::sleep_for(10ms);  // bounded by the test's own time-out
  EXPECT_EQ(lines(path("access.log")).size(), 1u);
}

TEST_F(AccessLogFile, BelongsToItsOwnerAlone) {
  const mode_t before = ::umask(0);
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(path("access.log").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(AccessLogFile, AppendsToWhatIsThere) {
  std::ofstream{path("access.log")} << "before\n";
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  log.write(sample());
  log.stop();
  EXPECT_EQ(lines(path("access.log")).size(), 2u);
}

TEST_F(AccessLogFile, RotationLosesAndRepeatsNothing) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  std::atomic<bool> done{false};
  std::thread traffic{[&] {
    for (int i = 0; i < 3000; ++i) log.write(named(std::to_string(i)));
    done = true;
  }};
  int rotations = 0;
  while (!done || rotations == 0) {
    std::filesystem::rename(path("access.log"), path(("old." + std::to_string(rotations)).c_str()));
    ++rotations;
    ASSERT_TRUE(log.apply(settings()));
  }
  traffic.join();
  log.stop();
  std::vector<std::string> all;
  for (int i = 0; i < rotations; ++i)
    for (auto& text : lines(path(("old." + std::to_string(i)).c_str()))) all.push_back(text);
  for (auto& text : lines(path("access.log"))) all.push_back(text);
  ASSERT_EQ(all.size(), 3000u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(all[i].ends_with(" " + std::to_string(i))) << all[i];
}

TEST_F(AccessLogFile, AfterRotationTheOldFileIsComplete) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  log.write(named("old"));
  std::filesystem::rename(path("access.log"), path("old"));
  ASSERT_TRUE(log.apply(settings()));
  EXPECT_EQ(lines(path("old")).size(), 1u);
  log.write(named("new"));
  log.stop();
  EXPECT_EQ(lines(path("old")).size(), 1u);
  EXPECT_EQ(lines(path("access.log")).size(), 1u);
}

TEST_F(AccessLogFile, FailedReloadLeavesTheLogAsItWas) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  AccessLogSettings bad = settings(AccessLogFormat::json);
  bad.file = path("no/such/folder/access.log");
  const Result<void> result = log.apply(bad);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  log.write(sample());
  log.stop();
  EXPECT_EQ(lines(path("access.log")),
            std::vector<std::string>{
                line(sample(), AccessLogFormat::common).substr(0, line(sample(), AccessLogFormat::common).size() - 1)});
}

TEST_F(AccessLogFile, FormatCanBeChangedAndSwitchedOff) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings()));
  log.write(sample());
  ASSERT_TRUE(log.apply(settings(AccessLogFormat::json)));
  log.write(sample());
  ASSERT_TRUE(log.apply(AccessLogSettings{}));
  EXPECT_FALSE(log.wanted());
  log.write(sample());
  const auto found = lines(path("access.log"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].starts_with("127.0.0.1"));
  EXPECT_TRUE(found[1].starts_with("{"));
}

TEST_F(AccessLogFile, FullDiskIsCountedAndDoesNotStopAnything) {
  AccessLogSettings full = settings();
  full.file = "/dev/full";
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "skipped: no /dev/full";
  AccessLog log;
  ASSERT_TRUE(log.apply(full));
  for (int i = 0; i < 100; ++i) log.write(sample());
  log.stop();
  EXPECT_EQ(log.written(), 0u);
  EXPECT_EQ(log.dropped(), 100u);
}

// A reader that does not read: the writer waits, the buffer fills, write() still returns at once and counts.
TEST_F(AccessLogFile, OverflowIsCountedNotWaitedFor) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  AccessLogSettings stuck = settings();
  stuck.file = pipe;
  AccessLog log;
  ASSERT_TRUE(log.apply(stuck));
  ExchangeRecord large = sample();
  large.user_agent.assign(1000, 'x');
  stuck.format = AccessLogFormat::combined;
  ASSERT_TRUE(log.apply(stuck));
  constexpr std::uint64_t kLines = AccessLog::kMostWaiting / 1000 * 5 / 4;
  for (std::uint64_t i = 0; i < kLines; ++i) log.write(large);
  EXPECT_GT(log.dropped(), 0u);
  log.stop();
  EXPECT_EQ(log.written() + log.dropped(), kLines);
  ::close(reader);
}

TEST_F(AccessLogFile, PipeWithoutReaderIsRefusedInsteadOfWaitedFor) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  AccessLogSettings nobody = settings();
  nobody.file = path("pipe");
  AccessLog log;
  EXPECT_FALSE(log.apply(nobody));
  EXPECT_FALSE(log.wanted());
}

TEST_F(AccessLogFile, ManyThreadsWriteWholeLines) {
  AccessLog log;
  ASSERT_TRUE(log.apply(settings(AccessLogFormat::json)));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log] {
      for (int i = 0; i < 1000; ++i) log.write(sample());
    });
  for (std::thread& thread : threads) thread.join();
  log.stop();
  const auto found = lines(path("access.log"));
  EXPECT_EQ(found.size() + log.dropped(), 4000u);
  for (const std::string& text : found) EXPECT_EQ(text + "\n", line(sample(), AccessLogFormat::json));
}

TEST(AccessLogSettings, AreChecked) {
  ConfigSchema schema;
  schema.add<AccessLogSettings>();
  EXPECT_TRUE(load_config_text(schema, "", "test"));
  EXPECT_TRUE(load_config_text(schema, "[access_log]\nformat = \"json\"\nfile = \"/var/log/a\"", "test"));
  EXPECT_TRUE(load_config_text(schema, "[access_log]\nformat = \"combined\"\nfile = \"-\"", "test"));
  EXPECT_FALSE(load_config_text(schema, "[access_log]\nformat = \"json\"", "test")) << "no file";
  EXPECT_FALSE(load_config_text(schema, "[access_log]\nfile = \"relative.log\"", "test"));
  EXPECT_FALSE(load_config_text(schema, "[access_log]\nformat = \"squid\"", "test"));
  const ConfigResult config = load_config_text(schema, "", "test");
  EXPECT_EQ(config->get<AccessLogSettings>().format, AccessLogFormat::off);
  EXPECT_FALSE(config->get<AccessLogSettings>().with_query);
}

}  // namespace
}  // namespace outrider
