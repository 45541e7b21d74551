#include "metrics_text.h"

#include <cmath>
#include <cstdlib>

namespace annex::server::doctor {
namespace {

// One line: name{label="value",…} number
struct Series {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

std::optional<Series> ParseLine(std::string_view line) {
  if (line.empty() || line.front() == '#') return std::nullopt;
  const std::size_t name_end = line.find_first_of("{ ");
  if (name_end == std::string_view::npos) return std::nullopt;
  Series series;
  series.name = line.substr(0, name_end);
  std::size_t value_begin = name_end;
  if (line[name_end] == '{') {
    const std::size_t close = line.rfind('}');
    if (close == std::string_view::npos) return std::nullopt;
    series.labels = line.substr(name_end + 1, close - name_end - 1);
    value_begin = close + 1;
  }
  series.value = std::strtod(std::string(line.substr(value_begin)).c_str(), nullptr);
  return series;
}

// The values of the labels asked for are names of groups and resources: nothing in them is escaped.
std::string LabelOf(const Series& series, std::string_view label) {
  const std::string begin = std::string(label) + "=\"";
  std::size_t at = series.labels.find(begin);
  while (at != std::string_view::npos && at > 0 && series.labels[at - 1] != ',')
    at = series.labels.find(begin, at + 1);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = series.labels.substr(at + begin.size());
  return std::string(rest.substr(0, rest.find('"')));
}

std::string ResourceOf(const Series& series) {
  const std::string group = LabelOf(series, "group");
  const std::string resource = LabelOf(series, "resource");
  return group.empty() ? resource : resource + "." + group;
}

}  // namespace

StorageMetrics ReadStorageMetrics(std::string_view text) {
  StorageMetrics metrics;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto series = ParseLine(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!series || !(series->value >= 0)) continue;
    const std::int64_t value = std::llround(series->value);
    // The former is the older name of the latter, and has the group in the label "resource".
    if (series->name == "apiserver_storage_objects" || series->name == "apiserver_resource_objects") {
      metrics.objects[ResourceOf(*series)] = value;
    } else if (series->name == "apiserver_resource_size_estimate_bytes") {
      metrics.bytes[ResourceOf(*series)] = value;
    } else if (series->name == "apiserver_storage_size_bytes") {
      metrics.database_bytes = value;
    }
  }
  return metrics;
}

}  // namespace annex::server::doctor
