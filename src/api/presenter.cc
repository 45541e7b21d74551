#include "presenter.h"

#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "annex/schema/types.h"
#include "member_text.h"
#include "protobuf_write.h"
#include "table.h"

namespace annex::api {
namespace {

using json::Value;

// metav1.PartialObjectMetadataList in protobuf.
constexpr std::uint32_t kListMetadata = 1;
constexpr std::uint32_t kListItems = 2;

// What kube-apiserver calls the Go type of an object or a list: "core.NamespaceList".
std::string GoType(const Strategy& strategy, const std::string& kind, const char* unstructured) {
  if (!strategy.builtin()) return unstructured;
  return (strategy.group().empty() ? "core" : strategy.group().substr(0, strategy.group().find('.'))) + "." +
         kind;
}

}  // namespace

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
  if (format_.encoding == Encoding::kProtobuf) {
    const bool list = format_.form == Form::kPartialObjectMetadataList;
    std::string body;
    AppendProtobufDocument(body, MetaApiVersion(),
                           list ? "PartialObjectMetadataList" : "PartialObjectMetadata", json);
    return body;
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
  const auto place = FindMemberText(row.body, "metadata");
  if (!place) return base::Error(InternalError("the stored object has no metadata"));
  const std::string_view metadata = row.body.substr(place->begin, place->end - place->begin);
  if (format_.encoding == Encoding::kProtobuf) {
    ANNEX_TRY(Value object, json::Parse("{\"metadata\":" + std::string(metadata) + "}"));
    object["metadata"]["resourceVersion"] = std::to_string(row.revision);
    AppendPartial(out, object);
    return {};
  }
  out.append("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"")
      .append(MetaApiVersion())
      .append("\",\"metadata\":");
  AppendMetadataInOrder(out, metadata, row.revision);
  out += '}';
  return {};
}

void Presenter::AppendPartial(std::string& out, const Value& object) const {
  if (format_.encoding == Encoding::kProtobuf) {
    const Value* metadata = json::Find(object, "metadata");
    const std::string message = PartialMetadataMessage(metadata == nullptr ? Value::object() : *metadata);
    if (format_.form == Form::kPartialObjectMetadataList) {
      AppendProtobufField(out, kListItems, message);
    } else {
      out += message;
    }
    return;
  }
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

std::string Presenter::ListHead() const {
  if (format_.form == Form::kObject)
    return R"({"kind":")" + strategy_->list_kind() + R"(","apiVersion":")" + strategy_->ApiVersion() +
           R"(",)";
  const char* kind = format_.form == Form::kTable ? "Table" : "PartialObjectMetadataList";
  return "{\"kind\":\"" + std::string(kind) + "\",\"apiVersion\":\"" + MetaApiVersion() + "\",";
}

void Presenter::BeginList(std::string& out) const {
  if (format_.encoding == Encoding::kProtobuf) return;
  if (metadata_last()) {
    out += "{\"apiVersion\":\"" + strategy_->ApiVersion() + "\",\"items\":[";
  } else if (format_.form == Form::kTable) {
    out += ListHead() + "\"columnDefinitions\":" + ColumnDefinitionsJson(columns_) + ",\"rows\":[";
  } else {
    out += ListHead() + "\"items\":[";
  }
}

base::Result<void> Presenter::AppendItem(std::string& out, const store::Row& row, bool first) const {
  if (!first && format_.encoding != Encoding::kProtobuf) out += ',';
  switch (format_.form) {
    case Form::kTable:
      return AppendTableRow(out, row);
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      return AppendPartial(out, row);
    case Form::kObject:
      break;
  }
  const std::size_t begin = out.size();
  ANNEX_RETURN_IF_ERROR(AppendObject(out, row));
  DropTypeMeta(out, begin);
  return {};
}

void Presenter::DropTypeMeta(std::string& out, std::size_t begin) const {
  if (!strategy_->builtin()) return;
  const std::string text =
      R"("kind":")" + strategy_->kind() + R"(","apiVersion":")" + strategy_->ApiVersion() + R"(",)";
  if (out.compare(begin + 1, text.size(), text) == 0) out.erase(begin + 1, text.size());
}

void Presenter::AppendItem(std::string& out, const Value& object, bool first) const {
  if (!first && format_.encoding != Encoding::kProtobuf) out += ',';
  switch (format_.form) {
    case Form::kTable:
      AppendTableRow(out, object);
      return;
    case Form::kPartialObjectMetadata:
    case Form::kPartialObjectMetadataList:
      AppendPartial(out, object);
      return;
    case Form::kObject:
      break;
  }
  const std::size_t begin = out.size();
  api::AppendObject(out, object, *strategy_);
  DropTypeMeta(out, begin);
}

void Presenter::EndList(std::string& out, const ListMeta& meta, bool empty) const {
  PutListMeta(out, meta);
  CloseList(out, meta, empty);
}

void Presenter::PutListMeta(std::string& out, const ListMeta& meta) const {
  if (metadata_last()) return;
  if (format_.encoding == Encoding::kProtobuf) {
    Value value = {{"resourceVersion", std::to_string(meta.resource_version)},
                   {"continue", meta.continue_token}};
    if (meta.remaining) value["remainingItemCount"] = *meta.remaining;
    std::string field;
    AppendProtobufField(field, kListMetadata, WriteProtobufMessage(value, schema::ListMetaType()));
    out.insert(0, field);
    return;
  }
  std::string text = "\"metadata\":{\"resourceVersion\":\"" + std::to_string(meta.resource_version) + "\"";
  if (!meta.continue_token.empty()) {
    text += ",\"continue\":";
    json::AppendJsonString(text, meta.continue_token);
  }
  if (meta.remaining) text += ",\"remainingItemCount\":" + std::to_string(*meta.remaining);
  out.insert(ListHead().size(), text + "},");
}

void Presenter::CloseList(std::string& out, const ListMeta& meta, bool empty) const {
  if (format_.encoding == Encoding::kProtobuf) return;
  if (empty && partial()) {
    // Go's typed list has no items at all then.
    out.resize(out.size() - 1);
    out += "null}";
    return;
  }
  out += ']';
  if (!metadata_last()) {
    out += '}';
    return;
  }
  out += ",\"kind\":";
  json::AppendJsonString(out, strategy_->list_kind());
  // The list of custom resources always says where it continues, if only "".
  out += ",\"metadata\":{\"continue\":";
  json::AppendJsonString(out, meta.continue_token);
  out += ',';
  if (meta.remaining) out += "\"remainingItemCount\":" + std::to_string(*meta.remaining) + ",";
  out += "\"resourceVersion\":\"" + std::to_string(meta.resource_version) + "\"}}";
}

}  // namespace annex::api
