// The decisions and words of Kubernetes' own code (test/unit/testdata/generate_ownership.go), case by case.
#include "annex/json/read.h"
#include "annex/json/write.h"
#include "annex/ownership/field_manager.h"
#include "annex/ownership/fields_v1.h"
#include "annex/ownership/scale_fields.h"
#include "annex/schema/schema.h"
#include "annex/schema/types.h"
#include "support/test_files.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::ownership {
namespace {

using json::Value;

constexpr const char* kGroup = "example.com/";
constexpr const char* kTimePrefix = "2026-01-01T00:00:";

std::vector<Value> Lines(const std::string& member) {
  std::ifstream file(test::TestFile("unit/testdata/ownership_cases.jsonl"));
  std::vector<Value> lines;
  for (std::string line; std::getline(file, line);) {
    auto parsed = json::Parse(line);
    REQUIRE(parsed);
    if (json::Find(*parsed, member) != nullptr) lines.push_back(*std::move(parsed));
  }
  return lines;
}

// A definition without conversion: only the apiVersion differs from version to version.
class Definition final : public Versions {
 public:
  explicit Definition(const Value& line) : has_status(json::FlagAt(line, {"status"})) {
    for (const auto& [name, text] : line.at("versions").items()) {
      Value schema_value = text;
      REQUIRE(schema::ReadTyped(schema_value, schema::JsonSchemaPropsType(), ""));
      Version version;
      version.schema = schema::Schema::Compile(schema_value).value();
      version.type = std::make_unique<ObjectType>(version.schema->root());
      versions_.emplace(kGroup + name, std::move(version));
    }
  }

  const ObjectType* TypeOf(std::string_view api_version) const override {
    const auto found = versions_.find(api_version);
    return found == versions_.end() ? nullptr : found->second.type.get();
  }
  base::Result<Value> Convert(const Value& object, std::string_view api_version) const override {
    Value converted = object;
    converted["apiVersion"] = api_version;
    return converted;
  }
  const schema::Schema& SchemaOf(std::string_view api_version) const {
    return *versions_.find(api_version)->second.schema;
  }

  const bool has_status;

 private:
  struct Version {
    std::shared_ptr<const schema::Schema> schema;
    std::unique_ptr<const ObjectType> type;
  };
  std::map<std::string, Version, std::less<>> versions_;
};

Value TakeManaged(Value& object) {
  Value* metadata = json::Find(object, "metadata");
  Value* managed = metadata == nullptr ? nullptr : json::Find(*metadata, "managedFields");
  if (managed == nullptr) return nullptr;
  Value taken = std::move(*managed);
  metadata->erase("managedFields");
  return taken;
}

// [manager, operation, version, subresource, time, fields]
Value Shorten(const Value& managed) {
  Value entries = Value::array();
  for (const Value& entry : managed) {
    Value line = Value::array();
    for (const char* field : {"manager", "operation", "apiVersion", "subresource", "time"}) {
      std::string text = json::TextAt(entry, {field});
      for (const std::string prefix : {kGroup, kTimePrefix}) {
        if (text.starts_with(prefix)) text.erase(0, prefix.size());
      }
      line.push_back(text);
    }
    line.push_back(entry.at("fieldsV1"));
    entries.push_back(std::move(line));
  }
  return entries;
}

void MakeNumbersFloat(Value& value) {
  if (value.is_number_integer()) value = static_cast<double>(value.get<std::int64_t>());
  if (value.is_structured()) {
    for (Value& inner : value) MakeNumbersFloat(inner);
  }
}

// One object and the writes to it.
class Sequence {
 public:
  explicit Sequence(const Definition& definition) : definition_(definition) {}

  void Run(const Value& step, int index) {
    INFO("step " << index << ": " << json::ToJson(step));
    api_version_ = kGroup + step[0].get<std::string>();
    operation_ = step[1].get<std::string>();
    writer_ = {step[2].get<std::string>(),
               kTimePrefix + std::string(index < 10 ? "0" : "") + std::to_string(index) + "Z"};
    live_["apiVersion"] = api_version_;
    live_["kind"] = "Widget";
    if (operation_ == "update" || operation_ == "status") {
      Update(ObjectOf(step[3]), step[4]);
    } else {
      Apply(ObjectOf(step[3]), step);
    }
  }

 private:
  bool IsStatus() const { return operation_.ends_with("status"); }
  bool Exists() const { return !json::TextAt(live_, {"metadata", "uid"}).empty(); }

  FieldManager Manager() const {
    FieldManager::Options options;
    options.api_version = api_version_;
    options.kind = "Widget";
    if (IsStatus()) options.subresource = "status";
    if (IsStatus() || definition_.has_status)
      options.reset_fields = FieldSet::Of({{IsStatus() ? "spec" : "status"}});
    options.new_object = {{"apiVersion", api_version_}, {"kind", "Widget"}};
    return {definition_, options};
  }

  Value ObjectOf(const Value& document) const {
    Value object = document;
    if (json::Find(document, "apiVersion") == nullptr) {
      object["apiVersion"] = api_version_;
      object["kind"] = "Widget";
    }
    object["metadata"]["name"] = "a";
    return object;
  }

  void Update(Value object, const Value& wanted) {
    if (Exists()) object["metadata"]["uid"] = "uid";
    const Value given = TakeManaged(object);
    const Value managed = Manager().Update(live_, managed_, object, given, writer_);
    CHECK(json::ToJson(Shorten(managed)) == json::ToJson(wanted));
    Store(std::move(object), managed);
  }

  void Apply(Value applied, const Value& step) {
    MakeNumbersFloat(applied);
    auto result = Manager().Apply(live_, managed_, applied, writer_, operation_ == "force");
    if (!result) {
      CheckRefused(result.error(), step);
      return;
    }
    INFO(json::ToJson(result->object));
    REQUIRE(step.size() == 6);
    CHECK(json::ToJson(Shorten(result->managed_fields)) == json::ToJson(step[4]));
    if (result->changed) definition_.SchemaOf(api_version_).Default(result->object);
    TakeManaged(result->object);
    Store(std::move(result->object), result->managed_fields);
    CHECK(json::ToJson(Shown()) == json::ToJson(step[5]));
  }

  static void CheckRefused(const base::Status& status, const Value& step) {
    INFO(status.message);
    if (step[4].is_string()) {
      CHECK(status.message == step[4].get<std::string>());
      return;
    }
    REQUIRE(step[4][0].is_string());
    std::vector<std::string> causes;
    for (const base::Cause& cause : status.details.causes) {
      CHECK(cause.reason == "FieldManagerConflict");
      causes.push_back(cause.message + ": " + cause.field);
    }
    std::sort(causes.begin(), causes.end());
    CHECK(Value(causes) == step[4]);
    CHECK(status.message.size() == step[5].get<std::size_t>());
  }

  // What the strategies do behind field management.
  void Store(Value object, Value managed) {
    const bool existed = Exists();
    Value* from = &live_;
    if (existed && IsStatus()) {
      Value updated = live_;
      from = &object;
      KeepStatus(*from, updated);
      live_ = std::move(updated);
    } else {
      if (definition_.has_status) KeepStatus(*from, object);
      live_ = std::move(object);
    }
    live_["metadata"]["uid"] = "uid";
    managed_ = std::move(managed);
  }
  static void KeepStatus(const Value& from, Value& to) {
    const Value* status = json::Find(from, "status");
    if (status != nullptr) {
      to["status"] = *status;
    } else {
      to.erase("status");
    }
  }

  Value Shown() const {
    Value shown = live_;
    for (const char* field : {"apiVersion", "kind"}) shown.erase(field);
    for (const char* field : {"name", "uid"}) shown["metadata"].erase(field);
    if (shown["metadata"].empty()) shown.erase("metadata");
    return shown;
  }

  const Definition& definition_;
  Value live_ = Value::object();
  Value managed_;
  std::string api_version_;
  std::string operation_;
  FieldManager::Writer writer_;
};

}  // namespace

TEST_CASE("updates and applies lead to the owners, objects and errors of kube-apiserver",
          "[ownership][upstream]") {
  std::map<std::string, Definition> definitions;
  for (const Value& line : Lines("schema"))
    definitions.try_emplace(line.at("schema").get<std::string>(), line);
  const auto cases = Lines("steps");
  REQUIRE(cases.size() >= 150);
  for (const Value& line : cases) {
    INFO(json::ToJson(line));
    Sequence sequence(definitions.at(line.at("of").get<std::string>()));
    int index = 0;
    for (const Value& step : line.at("steps")) sequence.Run(step, index++);
  }
}

TEST_CASE("FieldsV1 are read and written as structured-merge-diff does it", "[ownership][upstream]") {
  for (const Value& line : Lines("fields")) {
    const Value& test_case = line.at("fields");
    INFO(json::ToJson(test_case));
    const auto fields = json::Parse(test_case[0].get<std::string>());
    REQUIRE(fields);
    const auto set = ReadFieldsV1(*fields);
    CHECK(set.has_value() == !test_case[1].is_null());
    if (set) CHECK(json::ToJson(WriteFieldsV1(*set)) == json::ToJson(test_case[1]));
  }
}

TEST_CASE("sets of fields are combined as structured-merge-diff does it", "[ownership][upstream]") {
  for (const Value& line : Lines("sets")) {
    const Value& test_case = line.at("sets");
    INFO(json::ToJson(test_case));
    const FieldSet a = ReadFieldsV1(test_case[0]).value();
    const FieldSet b = ReadFieldsV1(test_case[1]).value();
    CHECK(json::ToJson(WriteFieldsV1(a.Union(b))) == json::ToJson(test_case[2]));
    CHECK(json::ToJson(WriteFieldsV1(a.Intersection(b))) == json::ToJson(test_case[3]));
    CHECK(json::ToJson(WriteFieldsV1(a.Difference(b))) == json::ToJson(test_case[4]));
    CHECK(json::ToJson(WriteFieldsV1(a.RecursiveDifference(b))) == json::ToJson(test_case[5]));
  }
}

TEST_CASE("owners of replicas come and go through the scale subresource", "[ownership][upstream]") {
  const ReplicasPaths paths = {{"example.com/v1", {"spec", "count"}}, {"example.com/v2", {}}};
  for (const Value& line : Lines("scale")) {
    const Value& test_case = line.at("scale");
    INFO(json::ToJson(test_case));
    const auto shown = ScaleManagedFields(test_case[0], paths);
    CHECK(shown.has_value() == (test_case.size() > 2));
    if (shown) CHECK(json::ToJson(*shown) == json::ToJson(test_case[1]));
    for (std::size_t i = 2; i < test_case.size(); ++i) {
      INFO(json::ToJson(test_case[i]));
      const auto after = ManagedFieldsFromScale(test_case[0], test_case[i][0], paths, "example.com/v1");
      REQUIRE(after);
      CHECK(json::ToJson(*after) == json::ToJson(test_case[i][1]));
    }
  }
}

}  // namespace annex::ownership
