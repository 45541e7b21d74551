#include "openapi_writer.h"

#include "annex/json/write.h"
#include "openapi_data.h"
#include "openapi_paths.h"
#include "openapi_protobuf.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace annex::api {
namespace {

using json::Value;

constexpr const char* kSecurityName = "BearerToken";

// Pairs that OpenAPI v2 and v3 only name differently.
Value SecurityDefinitions() {
  return {{kSecurityName,
           {{"type", "apiKey"},
            {"name", "authorization"},
            {"in", "header"},
            {"description", "Bearer Token authentication"}}}};
}

bool HasScale(const OpenApiDocument& document) {
  return std::any_of(document.resources.begin(), document.resources.end(),
                     [](const auto& served) { return served.version->scale.has_value(); });
}

}  // namespace

bool OpenApiWriter::Next(std::string& out) {
  // Pieces: head, built-in paths, paths of each resource, shared schemas, schemas of each resource, tail.
  const std::size_t count = document_.resources.size();
  const std::size_t piece = position_++;
  if (piece == 0) {
    WriteHead(out);
  } else if (piece == 1) {
    WritePaths(out, BuiltinPaths());
  } else if (piece < count + 2) {
    WritePaths(out, PathsOfResource(document_.resources[piece - 2]));
  } else if (piece == count + 2) {
    if (encoding_ == OpenApiEncoding::kJson)
      out += v2() ? R"(},"definitions":{)" : R"(},"components":{"schemas":{)";
    first_member_ = true;
    WriteSchemas(out, SharedSchemas());
  } else if (piece < 2 * count + 3) {
    WriteSchemas(out, SchemasOfResource(document_.resources[piece - count - 3]));
  } else if (piece == 2 * count + 3) {
    WriteTail(out);
  }
  return piece + 1 < pieces();
}

Value OpenApiWriter::Head() const {
  Value head = {{v2() ? "swagger" : "openapi", v2() ? "2.0" : "3.0.0"}};
  if (v2() || !document_.builtins.empty()) {
    head["info"] = {{"title", "Kubernetes"}, {"version", "1.34"}};
  } else {
    head["info"] = {{"title", "Kubernetes CRD Swagger"}, {"version", "v0.1.0"}};
  }
  return head;
}

Value OpenApiWriter::BuiltinPaths() const {
  Value paths = Value::object();
  for (const std::string& builtin : document_.builtins)
    paths.update(*OpenApiData::Get().BuiltinPaths(builtin));
  return v2() ? paths : PathsV3(paths);
}

Value OpenApiWriter::SharedSchemas() const {
  const OpenApiData& data = OpenApiData::Get();
  Value schemas = Value::object();
  const auto add = [&](const std::string& name, const Value& schema) {
    schemas[name] = v2() ? SharedTypeV2(schema) : schema;
  };
  for (const std::string& builtin : document_.builtins) {
    for (const Value& item : *data.BuiltinTypeNames(builtin)) {
      const auto& name = item.get_ref<const std::string&>();
      const Value* shared = json::Find(data.types(), name);
      add(name, shared != nullptr ? *shared : data.builtin_types().at(name));
    }
  }
  if (!document_.resources.empty()) {
    const bool scale = HasScale(document_);
    for (const auto& [name, schema] : data.types().get_ref<const Value::object_t&>()) {
      if (scale || !name.starts_with(kScaleTypes)) add(name, schema);
    }
  }
  Value* delete_options = json::Find(schemas, std::string(kMetaTypes) + "DeleteOptions");
  if (delete_options != nullptr) {
    const bool builtin = !document_.builtins.empty();
    (*delete_options)["x-kubernetes-group-version-kind"] =
        builtin ? data.builtin_delete_kinds() : data.delete_kinds();
  }
  return schemas;
}

Value OpenApiWriter::PathsOfResource(const definition::Snapshot::Served& served) const {
  Value paths = PathsOf(served);
  return v2() ? paths : PathsV3(paths);
}

Value OpenApiWriter::SchemasOfResource(const definition::Snapshot::Served& served) const {
  const definition::Resource& resource = *served.resource;
  const definition::Version& version = *served.version;
  const definition::Names& names = resource.names();
  return {{OpenApiTypeName(resource.group(), version.name, names.kind),
           PublishedKind(resource, version, document_.form)},
          {OpenApiTypeName(resource.group(), version.name, names.list_kind),
           PublishedList(resource, version, document_.form)}};
}

Value OpenApiWriter::Tail() const {
  const bool empty = document_.builtins.empty() && document_.resources.empty();
  if (v2()) {
    Value tail = {{"securityDefinitions", SecurityDefinitions()},
                  {"security", Value::array({Value{{kSecurityName, Value::array()}}})}};
    if (!empty) tail["parameters"] = OpenApiData::Get().parameters();
    return tail;
  }
  if (document_.builtins.empty()) return Value::object();
  return {{"securitySchemes", SecurityDefinitions()}};
}

void OpenApiWriter::WriteHead(std::string& out) const {
  const Value head = Head();
  if (encoding_ == OpenApiEncoding::kProtobuf) return AppendProtobuf(out, head, document_.form);
  json::AppendJson(out, head);
  out.pop_back();  // the object goes on
  out += R"(,"paths":{)";
}

void OpenApiWriter::WritePaths(std::string& out, const Value& paths) {
  if (encoding_ == OpenApiEncoding::kJson) return WriteMembers(out, paths);
  AppendProtobuf(out, {{"paths", paths}}, document_.form);
}

void OpenApiWriter::WriteSchemas(std::string& out, const Value& schemas) {
  if (encoding_ == OpenApiEncoding::kJson) return WriteMembers(out, schemas);
  if (v2()) return AppendProtobuf(out, {{"definitions", schemas}}, document_.form);
  AppendProtobuf(out, {{"components", {{"schemas", schemas}}}}, document_.form);
}

void OpenApiWriter::WriteTail(std::string& out) const {
  const Value tail = Tail();
  if (encoding_ == OpenApiEncoding::kProtobuf) {
    return AppendProtobuf(out, v2() ? tail : Value{{"components", tail}}, document_.form);
  }
  out += '}';
  if (!tail.empty()) {
    const std::string members = json::ToJson(tail);
    out += ',';
    out.append(members, 1, members.size() - 2);
  }
  out += v2() ? "}" : "}}";
}

void OpenApiWriter::WriteMembers(std::string& out, const Value& members) {
  for (const auto& [name, member] : members.get_ref<const Value::object_t&>()) {
    if (!first_member_) out += ',';
    first_member_ = false;
    json::AppendJsonString(out, name);
    out += ':';
    json::AppendJson(out, member);
  }
}

}  // namespace annex::api
