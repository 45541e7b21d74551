#include "annex/server/check.h"

#include "support/temporary_directory.h"

#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

namespace annex::server {
namespace {

// A definition, with a place for more in the schema of its version (indented by 14).
std::string Definition(const std::string& properties, const std::string& scope = "Namespaced",
                       const std::string& plural = "toys") {
  return R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: )" +
         plural + R"(.example.com
spec:
  group: example.com
  scope: )" +
         scope + R"(
  names: {kind: Toy, plural: )" +
         plural + R"(}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
)" + properties;
}

struct Outcome {
  bool fine;
  std::string text;
};

Outcome Run(const CheckOptions& options) {
  std::ostringstream out;
  const bool fine = Check(options, out);
  return {fine, out.str()};
}

class Files {
 public:
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = directory_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  const std::string& path() const { return directory_.path(); }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("definition files that are right are passed without a word", "[server][check]") {
  Files files;
  files.Write("toys.yaml", Definition("              color: {type: string}\n"));
  const Outcome outcome = Run({{files.path()}, ""});
  CHECK(outcome.fine);
  CHECK(outcome.text.empty());
}

TEST_CASE("what is wrong with a definition is told with file, line and field", "[server][check]") {
  Files files;
  const std::string file = files.Write(
      "toys.yaml",
      "# toys\n" +
          Definition("              color:\n                type: text\n                colour: red\n",
                     "Global"));
  const Outcome outcome = Run({{file}, ""});
  CHECK_FALSE(outcome.fine);
  CHECK(outcome.text.find(file + ":8: spec.scope: Unsupported value: \"Global\"") != std::string::npos);
  CHECK(outcome.text.find(file +
                          ":22: spec.validation.openAPIV3Schema.properties[spec].properties[color].type:") !=
        std::string::npos);
  CHECK(outcome.text.find(
            file + ":23: spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.colour: "
                   "warning: unknown field") != std::string::npos);
}

TEST_CASE("files that hold no definition are told", "[server][check]") {
  Files files;
  const std::string file = files.Write("a.yaml", "---\nkind: ConfigMap\n---\na: [b\n");
  CHECK_FALSE(Run({{file}, ""}).fine);
  CHECK(Run({{file}, ""}).text.starts_with(file + ":"));
}

TEST_CASE("changes that break objects or clients are told", "[server][check]") {
  Files files;
  const std::string before =
      files.Write("before.yaml", Definition("              color: {type: string, enum: [red, blue]}\n"
                                            "              size: {type: integer, maximum: 9}\n"
                                            "              gone: {type: string}\n"));
  const std::string after =
      files.Write("after.yaml", Definition("              color: {type: string, enum: [red]}\n"
                                           "              size: {type: integer, maximum: 5}\n",
                                           "Cluster"));
  const Outcome outcome = Run({{after}, before});
  CHECK_FALSE(outcome.fine);
  CHECK(outcome.text.find(after + ":7: spec.scope: was \"Namespaced\", is \"Cluster\"") != std::string::npos);
  CHECK(outcome.text.find("properties[color].enum: \"blue\" is no longer taken") != std::string::npos);
  CHECK(outcome.text.find("properties[size].maximum: is narrower: 5, was 9") != std::string::npos);
  CHECK(outcome.text.find("properties[gone]: is gone") != std::string::npos);
  CHECK(Run({{before}, before}).fine);
}

TEST_CASE("a version or a definition that is gone is told", "[server][check]") {
  Files files;
  const std::string one = Definition("              color: {type: string}\n");
  const std::string two =
      one + "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
  const std::string before = files.Write("before.yaml", two);
  const std::string after = files.Write("after.yaml", one);
  CHECK(Run({{after}, before}).text.find("spec.versions: version \"v2\" is gone") != std::string::npos);
  CHECK(Run({{before}, after}).fine);
  Files other;
  const std::string empty =
      other.Write("other.yaml", Definition("              color: {type: string}\n", "Namespaced", "cars"));
  CHECK(Run({{empty}, before}).text.find("\"toys.example.com\" is gone") != std::string::npos);
}

}  // namespace
}  // namespace annex::server
