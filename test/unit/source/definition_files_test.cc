#include "annex/source/definition_files.h"

#include "annex/json/value.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

namespace annex::source {
namespace {

struct Folder {
  test::TemporaryDirectory directory;
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(directory.path() + "/" + name) << text;
  }
  DefinitionFiles Read() const { return ReadDefinitionFiles(directory.path()); }
};

std::string Definition(const std::string& name) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + name +
         "}\n";
}

TEST_CASE_METHOD(Folder, "every document of every definition file is read, in the order of the names",
                 "[source][files]") {
  Write("b.yaml", Definition("c.x.io"));
  Write("a.yml", "# comment\n---\n" + Definition("a.x.io") + "---\n" + Definition("b.x.io"));
  Write(
      "c.json",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"d.x.io"}})");
  Write("d.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: apiextensions.k8s.io/v1, kind: "
        "CustomResourceDefinition, "
        "metadata: {name: e.x.io}}\n");
  Write(".hidden.yaml", "{");
  Write("notes.txt", "{");
  std::filesystem::create_directory(directory.path() + "/sub.yaml");
  const auto files = Read();
  CHECK(files.problems.empty());
  std::string names;
  for (const auto& document : files.definitions)
    names += json::TextAt(document.definition, {"metadata", "name"}) + " ";
  CHECK(names == "a.x.io b.x.io c.x.io d.x.io e.x.io ");
  CHECK(files.definitions[1].line > files.definitions[0].line);
}

TEST_CASE_METHOD(Folder, "a file that cannot be used does not stop the others", "[source][files]") {
  Write("a.yaml", "spec: [unclosed");
  Write("b.yaml", "kind: ConfigMap\napiVersion: v1\n");
  Write("c.yaml", "");
  Write("d.yaml",
        "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1beta1\nmetadata: {name: x}\n");
  Write("e.yaml", "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n");
  Write("f.yaml", Definition("good.x.io"));
  const auto files = Read();
  REQUIRE(files.definitions.size() == 1);
  CHECK(json::TextAt(files.definitions[0].definition, {"metadata", "name"}) == "good.x.io");
  REQUIRE(files.problems.size() == 5);
  CHECK(files.problems[0].file.ends_with("/a.yaml"));
  CHECK(files.problems[1].message.find("ConfigMap") != std::string::npos);
  CHECK(files.problems[3].message.find("v1beta1") != std::string::npos);
  CHECK(files.problems[4].message == "metadata.name: Required value");
}

TEST_CASE("a folder that cannot be read is a problem, not an empty folder", "[source][files]") {
  const auto files = ReadDefinitionFiles("/nonexistent/folder");
  CHECK(files.definitions.empty());
  REQUIRE(files.problems.size() == 1);
  CHECK(files.problems[0].file == "/nonexistent/folder");
}

}  // namespace
}  // namespace annex::source
