// Structured log lines on stderr, in the shape that klog users know:
//
//   I1121 10:00:00.000000 Serving securely address="127.0.0.1:8443"
//
// or as one JSON object per line with --logging-format=json. Secrets (tokens, keys, bodies, Authorization
// headers) never go into a line.
//
// Thread rule: all functions are thread-safe; SetUpLogging is called once, before other threads start.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace annex::base {

enum class LogFormat : std::uint8_t { kText, kJson };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view field_key, std::string field_value)
      : key(field_key), value(std::move(field_value)) {}
  LogField(std::string_view field_key, std::string_view field_value) : key(field_key), value(field_value) {}
  LogField(std::string_view field_key, const char* field_value) : key(field_key), value(field_value) {}
  LogField(std::string_view field_key, std::int64_t field_value)
      : key(field_key), value(std::to_string(field_value)) {}
  LogField(std::string_view field_key, std::uint64_t field_value)
      : key(field_key), value(std::to_string(field_value)) {}
  LogField(std::string_view field_key, int field_value)
      : key(field_key), value(std::to_string(field_value)) {}
};
using LogFields = std::initializer_list<LogField>;

// Lines below `level` are dropped. The default is text at kInfo.
void SetUpLogging(LogFormat format, LogLevel level);

bool LogEnabled(LogLevel level);
void Log(LogLevel level, std::string_view message, LogFields fields = {});

inline void LogDebug(std::string_view message, LogFields fields = {}) {
  Log(LogLevel::kDebug, message, fields);
}
inline void LogInfo(std::string_view message, LogFields fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarning(std::string_view message, LogFields fields = {}) {
  Log(LogLevel::kWarning, message, fields);
}
inline void LogError(std::string_view message, LogFields fields = {}) {
  Log(LogLevel::kError, message, fields);
}

}  // namespace annex::base
