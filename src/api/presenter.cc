#include "presenter.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "annex/schema/types.h"
#include "table.h"

namespace annex::api {
namespace {

using json::Value;

// The end of the JSON value that begins at `position`.
std::size_t SkipValue(std::string_view json, std::size_t position) {
  std::size_t depth = 0;
  for (; position < json.size(); ++position) {
    switch (json[position]) {
      case '"':
        for (++position; json[position] != '"'; ++position) {
          if (json[position] == '\\') ++position;
        }
        if (depth == 0) return position + 1;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return position;
        if (--depth == 0) return position + 1;
        break;
      case ',':
        if (depth == 0) return position;
        break;
      default:
        break;
    }
  }
  return position;
}

// What kube-apiserver calls the Go type of an object or a list: "core.NamespaceList".
std::string GoType(const Strategy& strategy, const std::string& kind, const char* unstructured) {
  if (!strategy.builtin()) return unstructured;
  return (strategy.group().empty() ? "core" : strategy.group().substr(0, strategy.group().find('.'))) + "." +
         kind;
}

}  // namespace

std::optional<MemberText> FindMemberText(std::string_view json, std::string_view key) {
  std::size_t position = 1;
  while (position < json.size() && json[position] == '"') {
    const std::size_t key_end = SkipValue(json, position);
    const std::string_view found = json.substr(position + 1, key_end - position - 2);
    const std::size_t begin = key_end + 1;
    const std::size_t end = SkipValue(json, begin);
    if (found == key) return MemberText{begin, end};
    position = end + 1;
  }
  return std::nullopt;
}

Presenter::Presenter(StrategyPtr strategy, OutputFormat format, IncludeObject include,
                     const base::Clock& clock)
    : strategy_(std::move(strategy)), format_(std::move(format)), include_(include), clock_(clock) {
  if (format_.form == Form::kTable) columns_ = strategy_->Columns();
}

base::Result<void> Presenter::CheckObjectForm() const {
  if (format_.form != Form::kPartialObjectMetadataList) return {};
  if (!strategy_->builtin()) return base::Error(Unspecified("content is not a list"));
  return base::Error(base::Reason::kNotAcceptable,
                     "you requested PartialObjectMetadataList, but the requested object is not a list (*" +
                         GoType(*strategy_, strategy_->kind(), "unstructured.Unstructured") + ")");
}

base::Result<void> Presenter::CheckListForm() const {
  if (format_.form != Form::kPartialObjectMetadata) return {};
  return base::Error(base::Reason::kNotAcceptable,
                     "you requested PartialObjectMetadata, but the requested object is a list (*" +
                         GoType(*strategy_, strategy_->list_kind(), "unstructured.UnstructuredList") + ")");
}

std::string Presenter::Finish(std::string json) const {
  if (format_.encoding == Encoding::kYaml) {
    // What this program wrote can be read again.
    return json::ToYaml(json::Parse(json).value());
  }
  if (format_.pretty) json = json::Indent(json);
  // A newline ends a body, but not an indented one.
  if (!format_.pretty) json += '\n';
  return json;
}

base::Result<std::string> Presenter::Document(const store::Row& row) const {
  ANNEX_RETURN_IF_ERROR(CheckObjectForm());
  ANNEX_TRY(std::string json, EventObject(row, true));
  return Finish(std::move(json));
}

base::Result<std::string> Presenter::Document(const Value& object) const {
  ANNEX_RETURN_IF_ERROR(CheckObjectForm());
  return Finish(EventObject(object, true));
}

std::string Presenter::EventObject(const Value& object, bool columns) const {
  std::string json;
  if (format_.form == Form::kTable) {
    AppendTableRow(json, object);
    return TableAround(json, json::TextAt(object, {"metadata", "resourceVersion"}), columns);
  }
  if (format_.form == Form::kObject) {
    api::AppendObject(json, object, *strategy_);
  } else {
    AppendPartial(json, object);
  }
  return json;
}

base::Result<std::string> Presenter::EventObject(const store::Row& row, bool columns) const {
  std::string json;
  if (format_.form == Form::kTable) {
    ANNEX_RETURN_IF_ERROR(AppendTableRow(json, row));
    return TableAround(json, std::to_string(row.revision), columns);
  }
  if (format_.form == Form::kObject) {
    ANNEX_RETURN_IF_ERROR(AppendObject(json, row));
  } else {
    ANNEX_RETURN_IF_ERROR(AppendPartial(json, row));
  }
  return json;
}

// The bytes as they are stored. Tables depend on the moment; other versions and metadata are asked for seldom
// enough.
bool Presenter::EventsAreShared(std::uint64_t format) const {
  return format_.form == Form::kObject && strategy_->ServesAsStored(format);
}

base::Result<void> Presenter::AppendObject(std::string& out, const store::Row& row) const {
  if (strategy_->ServesAsStored(row.format)) {
    store::AppendBody(out, row.body, row.revision_at, row.revision);
    return {};
  }
  ANNEX_TRY(const Value object, ReadShown(*strategy_, row));
  api::AppendObject(out, object, *strategy_);
  return {};
}

base::Result<void> Presenter::AppendPartial(std::string& out, const store::Row& row) const {
  if (!strategy_->ServesAsStored(row.format)) {
    ANNEX_TRY(const Value object, ReadShown(*strategy_, row));
    AppendPartial(out, object);
    return {};
  }
  const auto metadata = FindMemberText(row.body, "metadata");
  if (!metadata) return base::Error(InternalError("the stored object has no metadata"));
  out.append("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"")
      .append(MetaApiVersion())
      .append("\",\"metadata\":");
  store::AppendBody(out, row.body.substr(metadata->begin, metadata->end - metadata->begin),
                    row.revision_at - static_cast<std::uint32_t>(metadata->begin), row.revision);
  out += '}';
  return {};
}

void Presenter::AppendPartial(std::string& out, const Value& object) const {
  out.append("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"")
      .append(MetaApiVersion())
      .append("\",\"metadata\":");
  const Value* metadata = json::Find(object, "metadata");
  schema::AppendTyped(out, metadata == nullptr ? Value::object() : *metadata, schema::ObjectMetaType());
  out += '}';
}

base::Result<void> Presenter::AppendTableRow(std::string& out, const store::Row& row) const {
  ANNEX_TRY(const Value object, ReadShown(*strategy_, row));
  AppendTableRow(out, object);
  return {};
}

void Presenter::AppendTableRow(std::string& out, const Value& object) const {
  out += "{\"cells\":" + CellsJson(object, columns_, clock_.Now()) + ",\"object\":";
  switch (include_) {
    case IncludeObject::kNone:
      out += "null";
      break;
    case IncludeObject::kObject:
      api::AppendObject(out, object, *strategy_);
      break;
    case IncludeObject::kMetadata:
      AppendPartial(out, object);
      break;
  }
  out += '}';
}

std::string Presenter::TableAround(std::string_view row, const std::string& resource_version,
                                   bool columns) const {
  std::string table = "{\"kind\":\"Table\",\"apiVersion\":\"" + MetaApiVersion() + "\",\"metadata\":{";
  if (!resource_version.empty()) table += "\"resourceVersion\":\"" + resource_version + "\"";
  table += "},\"columnDefinitions\":";
  table += columns ? ColumnDefinitionsJson(columns_) : "null";
  table.append(",\"rows\":[").append(row).append("]}");
  return table;
}

void Presenter::BeginList(std::string& out) const {
  switch (format_.form) {
    case Form::kTable:
      out += "{\"kind\":\"Table\",\"apiVersion\":\"" + MetaApiVersion() +
             "\",\"columnDefinitions\":" + ColumnDefinitionsJson(columns_) + ",\"rows\":[";
      return;
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      out +=
          "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"" + MetaApiVersion() + "\",\"items\":[";
      return;
    case Form::kObject:
      out += "{\"apiVersion\":\"" + strategy_->ApiVersion() + "\",\"items\":[";
      return;
  }
}

base::Result<void> Presenter::AppendItem(std::string& out, const store::Row& row, bool first) const {
  if (!first) out += ',';
  switch (format_.form) {
    case Form::kTable:
      return AppendTableRow(out, row);
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      return AppendPartial(out, row);
    case Form::kObject:
      return AppendObject(out, row);
  }
  return {};
}

void Presenter::AppendItem(std::string& out, const Value& object, bool first) const {
  if (!first) out += ',';
  switch (format_.form) {
    case Form::kTable:
      AppendTableRow(out, object);
      return;
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      AppendPartial(out, object);
      return;
    case Form::kObject:
      api::AppendObject(out, object, *strategy_);
      return;
  }
}

void Presenter::EndList(std::string& out, const ListMeta& meta, bool empty) const {
  const bool partial =
      format_.form == Form::kPartialObjectMetadataList || format_.form == Form::kPartialObjectMetadata;
  if (empty && partial) {
    // Go's typed list has no items at all then.
    out.resize(out.size() - 1);
    out += "null";
  } else {
    out += ']';
  }
  if (format_.form == Form::kObject) {
    out += ",\"kind\":";
    json::AppendJsonString(out, strategy_->list_kind());
  }
  out += ",\"metadata\":{";
  // The list of custom resources always says where it continues, if only "".
  const bool always_continue = format_.form == Form::kObject && !strategy_->builtin();
  if (!meta.continue_token.empty() || always_continue) {
    out += "\"continue\":";
    json::AppendJsonString(out, meta.continue_token);
    out += ',';
  }
  if (meta.remaining) out += "\"remainingItemCount\":" + std::to_string(*meta.remaining) + ",";
  out += "\"resourceVersion\":\"" + std::to_string(meta.resource_version) + "\"}}";
}

}  // namespace annex::api
