#include "annex/base/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace annex::base {
namespace {

std::atomic<LogFormat> log_format{LogFormat::kText};

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("annex", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%L%m%d %H:%M:%S.%f %v");
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// Control characters are escaped, so that a client's bytes in a value cannot forge a line.
void AppendQuoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      line += '\\';
      line += character;
    } else if (character == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      line += escape.data();
    } else {
      line += character;
    }
  }
  line += '"';
}

std::string TextLine(std::string_view message, LogFields fields) {
  std::string line(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=");
    AppendQuoted(line, field.value);
  }
  return line;
}

std::string JsonLine(std::string_view message, LogFields fields) {
  std::string line = "\"msg\":";
  AppendQuoted(line, message);
  for (const LogField& field : fields) {
    line += ',';
    AppendQuoted(line, field.key);
    line += ':';
    AppendQuoted(line, field.value);
  }
  return line;
}

}  // namespace

void SetUpLogging(LogFormat format, LogLevel level) {
  log_format = format;
  Logger().set_level(SpdlogLevel(level));
  if (format == LogFormat::kJson) {
    Logger().set_pattern(R"({"ts":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  }
}

bool LogEnabled(LogLevel level) {
  return Logger().should_log(SpdlogLevel(level));
}

void Log(LogLevel level, std::string_view message, LogFields fields) {
  if (!LogEnabled(level)) return;
  const std::string line =
      log_format == LogFormat::kJson ? JsonLine(message, fields) : TextLine(message, fields);
  // As data, not as a format string: a brace in a value means nothing.
  Logger().log(spdlog::source_loc{}, SpdlogLevel(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace annex::base
