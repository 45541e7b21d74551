#include "table.h"

#include "annex/json/write.h"
#include "annex/schema/go_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace annex::api {
namespace {

using json::Value;

constexpr std::int64_t kDaysPerYear = 365;

constexpr std::string_view kNameDescription =
    "Name must be unique within a namespace. Is required when creating resources, although some resources "
    "may allow a client to "
    "request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and "
    "configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

constexpr std::string_view kAgeDescription =
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
    "guaranteed to be set "
    "in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in RFC3339 form and "
    "is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

void AppendColumn(std::string& out, std::string_view name, std::string_view type, std::string_view format,
                  std::string_view description, std::int64_t priority) {
  out += "{\"name\":";
  json::AppendJsonString(out, name);
  out += ",\"type\":";
  json::AppendJsonString(out, type);
  out += ",\"format\":";
  json::AppendJsonString(out, format);
  out += ",\"description\":";
  json::AppendJsonString(out, description);
  out += ",\"priority\":" + std::to_string(priority) + "}";
}

// As far as Go's time.Since reaches: 2^63 ns.
constexpr std::int64_t kMaxAge = INT64_MAX / 1'000'000'000;

// "" is the zero time, as metav1.Time reads it.
std::string DateText(const std::string& text, const TableColumn& column,
                     std::chrono::system_clock::time_point now) {
  if (text.empty()) return "<unknown>";
  const auto moment = schema::ParseTime(text, schema::TimeLayout::kRfc3339);
  if (!moment) return "<invalid>";
  if (schema::IsZeroTime(*moment)) return "<unknown>";
  if (column.time == TableColumn::Time::kExact)
    return schema::FormatTime(*moment, schema::TimeLayout::kRfc3339);
  const std::int64_t present = std::chrono::system_clock::to_time_t(now);
  return HumanDuration(std::chrono::seconds(std::clamp(present - moment->seconds, -kMaxAge, kMaxAge)));
}

std::string DateCell(const Value& value, const TableColumn& column,
                     std::chrono::system_clock::time_point now) {
  if (!value.is_string()) return "null";
  std::string cell;
  json::AppendJsonString(cell, DateText(value.get_ref<const std::string&>(), column, now));
  return cell;
}

std::string Cell(const Value& value, const TableColumn& column, std::chrono::system_clock::time_point now) {
  std::string cell;
  if (column.type == "date" || column.time != TableColumn::Time::kByType) {
    cell = DateCell(value, column, now);
  } else if (column.type == "string") {
    json::AppendJsonString(cell, json::PrintResult(value));
  } else if (column.type == "boolean" ? value.is_boolean()
                                      : column.type == "integer" && value.is_number_integer()) {
    json::AppendJson(cell, value);
  } else if (column.type == "number" && value.is_number()) {
    json::AppendJsonNumber(cell, value.get<double>());
  } else if (column.type == "integer" && value.is_number()) {
    const double number = value.get<double>();
    cell = std::to_string(json::IsWholeNumber(std::trunc(number)) ? static_cast<std::int64_t>(number)
                                                                  : INT64_MIN);
  } else {
    cell = "null";
  }
  return cell;
}

std::string Two(std::int64_t first, const char* first_unit, std::int64_t second, const char* second_unit) {
  std::string text = std::to_string(first) + first_unit;
  if (second != 0) text += std::to_string(second) + second_unit;
  return text;
}

}  // namespace

TableColumn AgeColumn() {
  static const json::JsonPath kPath = json::JsonPath::Compile(".metadata.creationTimestamp").value();
  return {"Age", "date", "", std::string(kAgeDescription), 0, kPath};
}

std::string ColumnDefinitionsJson(const std::vector<TableColumn>& columns) {
  std::string out = "[";
  AppendColumn(out, "Name", "string", "name", kNameDescription, 0);
  for (const TableColumn& column : columns) {
    out += ',';
    AppendColumn(out, column.name, column.type, column.format, column.description, column.priority);
  }
  out += ']';
  return out;
}

std::string CellsJson(const Value& object, const std::vector<TableColumn>& columns,
                      std::chrono::system_clock::time_point now) {
  std::string out = "[";
  json::AppendJsonString(out, json::TextAt(object, {"metadata", "name"}));
  for (const TableColumn& column : columns) {
    out += ',';
    const auto results = column.path.Find(object);
    out += results && !results->empty() ? Cell(*results->front(), column, now) : "null";
  }
  out += ']';
  return out;
}

std::string HumanDuration(std::chrono::seconds duration) {
  const std::int64_t seconds = duration.count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return Two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return Two(hours, "h", minutes % 60, "m");
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return Two(days, "d", hours % 24, "h");
  if (days < 2 * kDaysPerYear) return std::to_string(days) + "d";
  if (days < 8 * kDaysPerYear) return Two(days / kDaysPerYear, "y", days % kDaysPerYear, "d");
  return std::to_string(days / kDaysPerYear) + "y";
}

}  // namespace annex::api
