// Objects go from the store to etcd.
#include "source/object_return.h"

#include "annex/definition/validate.h"
#include "annex/json/write.h"
#include "annex/json/yaml.h"
#include "fake_etcd.h"
#include "support/manual_clock.h"
#include "support/simulated_disk.h"
#include "support/simulated_store.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::source {
namespace {

using json::Value;

constexpr const char* kOld = "2026-01-01T00:00:00Z";
constexpr const char* kLater = "2026-02-01T00:00:00Z";
constexpr const char* kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, uid: d}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

Value Widget(const std::string& name, const std::string& uid, int size) {
  return {{"apiVersion", "example.com/v1"},
          {"kind", "Widget"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"uid", uid},
            {"creationTimestamp", kOld},
            {"generation", 4}}},
          {"spec", {{"size", size}}}};
}

Value Owned(Value object, const std::string& uid) {
  object["metadata"]["ownerReferences"] =
      Value::array({{{"apiVersion", "example.com/v1"}, {"kind", "Widget"}, {"name", "owner"}, {"uid", uid}}});
  return object;
}

// A store with widgets, etcd, and what goes between them.
class Way {
 public:
  Way() {
    REQUIRE(store_.Open());
    definition_ = json::ParseYaml(kDefinition).value();
    definition::SetDefaults(definition_);
    definition::Resource::Options options;
    options.names = definition::ReadNames(definition_["spec"]["names"]);
    options.collection = store_.OpenCollection("widgets").value().id;
    resource_ = definition::Resource::Compile(definition_, options).value();
    Begin();
  }

  // As a process that starts.
  void Begin() {
    owners = std::make_unique<OwnerUids>();
    objects = std::make_unique<ObjectReturn>(
        ObjectReturn::Parts{etcd.call(), store_.store(), *owners, *executor_, tasks_}, resource_,
        definition_);
  }

  void Put(const std::string& name, std::optional<Value> object) {
    store::Mutation mutation;
    mutation.collection = resource_->collection();
    mutation.key = "default/" + name;
    mutation.seen = store_.store().Load(mutation.collection, mutation.key).value();
    if (object) {
      (*object)["metadata"]["resourceVersion"] = "";
      store::Mutation::State state;
      state.body.bytes = json::ToJson(*object);
      const std::string place = "\"resourceVersion\":\"";
      state.body.revision_at = static_cast<std::uint32_t>(state.body.bytes.find(place) + place.size());
      mutation.next = std::move(state);
    }
    REQUIRE(store_.Commit(std::move(mutation)));
  }
  // Both have it, as after an adoption.
  void PutBoth(const Value& object) {
    const std::string name = json::TextAt(object, {"metadata", "name"});
    Put(name, object);
    Value copy = object;
    copy["metadata"]["resourceVersion"] = "7";
    etcd.objects["default/" + name] = std::move(copy);
  }

  template <typename T>
  T Run(base::Task<T> task) {
    std::optional<T> result;
    tasks_.Spawn<T>(std::move(task), [&result](T value) { result.emplace(std::move(value)); });
    while (!result && store_.scheduler.Step()) {
    }
    REQUIRE(result);
    return *std::move(result);
  }
  base::Result<void> Copy() {
    ProgressMeter meter("copied", 0, tell_, clock_);
    return Run(objects->Copy(meter));
  }

  const Value& Etcd(const std::string& name) { return etcd.objects.at("default/" + name); }

  test::FakeEtcd etcd;
  std::unique_ptr<OwnerUids> owners;
  std::unique_ptr<ObjectReturn> objects;

 private:
  static base::Task<void> Nobody(std::string) { co_return; }

  test::SimulatedDisk disk_{1};
  test::SimulatedStore store_{disk_};
  test::ManualClock clock_;
  const ProgressMeter::Tell tell_ = Nobody;
  const std::unique_ptr<base::Executor> executor_ = store_.scheduler.NewExecutor("control");
  Value definition_;
  std::shared_ptr<const definition::Resource> resource_;
  base::TaskScope tasks_;
};

}  // namespace

TEST_CASE("etcd gets what changed, came and went, and nothing else is written", "[source][release]") {
  Way way;
  for (const char* name : {"same", "changed", "gone", "same-2", "same-3"}) way.PutBoth(Widget(name, name, 1));
  way.Put("changed", Widget("changed", "changed", 2));
  way.Put("gone", std::nullopt);
  way.Put("new", Widget("new", "n", 3));
  REQUIRE(way.Copy());
  CHECK(way.etcd.objects.size() == 5);
  CHECK(way.Etcd("changed")["spec"]["size"] == 2);
  CHECK(way.Etcd("changed")["metadata"]["uid"] == "changed");
  CHECK(way.Etcd("changed")["metadata"]["creationTimestamp"] == kOld);
  CHECK(way.Etcd("same")["metadata"]["resourceVersion"] == "7");
  CHECK(way.Etcd("new")["spec"]["size"] == 3);
  CHECK(way.Etcd("new")["metadata"]["uid"] == "etcd-1");
  CHECK(way.Run(way.objects->Verify()));
  CHECK(way.Run(way.objects->CompareCounts()));
  CHECK(way.objects->numbers().objects == 5);
  CHECK(way.objects->numbers().kept_uid == 4);

  const int before = way.etcd.writes;
  way.Begin();
  REQUIRE(way.Copy());
  CHECK(way.etcd.writes == before);
}

TEST_CASE("what changes while etcd is filled is brought over later, once", "[source][release]") {
  Way way;
  way.PutBoth(Widget("a", "a", 1));
  REQUIRE(way.Copy());
  for (int size = 2; size < 9; ++size) way.Put("a", Widget("a", "a", size));
  way.Put("b", Widget("b", "b", 1));
  way.Put("b", std::nullopt);
  CHECK(way.Run(way.objects->CatchUp()) == 2);
  CHECK(way.Etcd("a")["spec"]["size"] == 8);
  CHECK(way.etcd.objects.size() == 1);
  CHECK(way.Run(way.objects->CatchUp()) == 0);
  CHECK(way.Run(way.objects->Verify()));
}

TEST_CASE("owners of fields are those of the original", "[source][release]") {
  Way way;
  Value widget = Widget("a", "a", 1);
  const Value owners = Value::array({{{"manager", "kubectl"}, {"apiVersion", "example.com/v1"}}});
  widget["metadata"]["managedFields"] = owners;
  way.Put("a", widget);
  way.PutBoth(Widget("b", "b", 1));
  widget["metadata"]["name"] = "b";
  widget["metadata"]["uid"] = "b";
  way.Put("b", widget);
  way.Put("none", Widget("none", "none", 1));
  REQUIRE(way.Copy());
  CHECK(way.Etcd("a")["metadata"]["managedFields"] == owners);
  CHECK(way.Etcd("b")["metadata"]["managedFields"] == owners);
  CHECK_FALSE(way.Etcd("none")["metadata"].contains("managedFields"));
}

TEST_CASE("an object that was made anew under an old name is another one", "[source][release]") {
  Way way;
  Value before = Widget("a", "first", 1);
  before["metadata"]["finalizers"] = {"example.com/keep"};
  way.PutBoth(before);
  Value after = Widget("a", "second", 2);
  after["metadata"]["creationTimestamp"] = kLater;
  way.Put("a", after);
  REQUIRE(way.Copy());
  CHECK(way.Etcd("a")["metadata"]["uid"] == "etcd-1");
  CHECK(way.Etcd("a")["spec"]["size"] == 2);
  CHECK_FALSE(way.Etcd("a")["metadata"].contains("finalizers"));
  // A process that starts knows its own copy again.
  after["spec"]["size"] = 3;
  way.Put("a", after);
  way.Begin();
  REQUIRE(way.Copy());
  CHECK(way.Etcd("a")["metadata"]["uid"] == "etcd-1");
  CHECK(way.Etcd("a")["spec"]["size"] == 3);
}

TEST_CASE("what is being deleted is being deleted there", "[source][release]") {
  Way way;
  Value leaving = Widget("known", "known", 1);
  leaving["metadata"]["finalizers"] = {"example.com/keep"};
  way.PutBoth(leaving);
  leaving["metadata"]["deletionTimestamp"] = kLater;
  way.Put("known", leaving);
  leaving["metadata"]["name"] = leaving["metadata"]["uid"] = "new";
  way.Put("new", leaving);
  REQUIRE(way.Copy());
  for (const char* name : {"known", "new"}) {
    CHECK(way.Etcd(name)["metadata"].contains("deletionTimestamp"));
    CHECK(way.Etcd(name)["metadata"]["finalizers"].size() == 1);
  }
  CHECK(way.Run(way.objects->Verify()));
}

TEST_CASE("owners that get another uid are named by it, whoever comes first", "[source][release]") {
  Way way;
  way.PutBoth(Owned(Widget("a-first", "a", 1), "o"));
  way.Put("owner", Widget("owner", "o", 1));
  way.Put("z-last", Owned(Widget("z-last", "z", 1), "o"));
  REQUIRE(way.Copy());
  REQUIRE(way.Run(way.objects->CatchUp()));
  const Value owner = way.Etcd("owner")["metadata"]["uid"];
  CHECK(owner != "o");
  CHECK(way.Etcd("a-first")["metadata"]["ownerReferences"][0]["uid"] == owner);
  CHECK(way.Etcd("z-last")["metadata"]["ownerReferences"][0]["uid"] == owner);
  CHECK(way.Run(way.objects->CatchUp()) == 0);

  SECTION("and by whoever else names them") {
    Value metadata = Owned(Widget("other", "x", 1), "o")["metadata"];
    CHECK(way.owners->Rename(metadata));
    CHECK(metadata["ownerReferences"][0]["uid"] == owner);
    CHECK_FALSE(way.owners->Rename(metadata));
  }
  SECTION("also if a process that starts only asks") {
    way.Begin();
    REQUIRE(way.Run(way.objects->LearnUids()));
    Value metadata = Owned(Widget("other", "x", 1), "o")["metadata"];
    CHECK(way.owners->Rename(metadata));
    CHECK(metadata["ownerReferences"][0]["uid"] == owner);
  }
}

TEST_CASE("a write that is not answered ends a try, and the next one goes on", "[source][release]") {
  Way way;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "w" + std::to_string(100 + i);
    way.Put(name, Widget(name, name, i));
  }
  way.etcd.fail_at_write = 10;
  int tries = 0;
  do {
    way.etcd.writes = 0;
    way.Begin();
    ++tries;
  } while (!way.Copy() && tries < 100);
  CHECK(tries > 5);
  CHECK(tries < 100);
  CHECK(way.etcd.objects.size() == 40);
  CHECK(way.Run(way.objects->Verify()));
  CHECK(way.Run(way.objects->CompareCounts()));
}

TEST_CASE("what somebody else does to the copies is found", "[source][release]") {
  Way way;
  way.PutBoth(Widget("a", "a", 1));
  REQUIRE(way.Copy());
  SECTION("a change") {
    way.etcd.objects["default/a"]["spec"]["size"] = 5;
    CHECK_FALSE(way.Run(way.objects->Verify()));
  }
  SECTION("a new object") {
    way.etcd.objects["default/b"] = Widget("b", "b", 1);
    CHECK_FALSE(way.Run(way.objects->Verify()));
    CHECK_FALSE(way.Run(way.objects->CompareCounts()));
  }
}

}  // namespace annex::source
