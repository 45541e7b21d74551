// OpenApiWriter: the text of an OpenAPI document, made piece by piece.
//
// A v2 document of 1,000 definitions has 30 MB. Made in pieces it needs the memory of one piece, and no
// thread is busy with it for more than about a millisecond at a time.
//
// Thread rule: one thread at a time.
#pragma once

#include "annex/json/value.h"
#include "openapi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace annex::api {

enum class OpenApiEncoding : std::uint8_t { kJson, kProtobuf };

class OpenApiWriter {
 public:
  OpenApiWriter(OpenApiDocument document, OpenApiEncoding encoding)
      : document_(std::move(document)), encoding_(encoding) {}

  // Appends the next piece of the document to `out`; false when it is complete.
  bool Next(std::string& out);

  // How many pieces there are.
  std::size_t pieces() const { return 2 * document_.resources.size() + kFixedPieces; }

 private:
  // The head, the paths of built-in types, the schemas of shared types, the tail.
  static constexpr std::size_t kFixedPieces = 4;

  bool v2() const { return document_.form == OpenApiVersion::kV2; }
  json::Value Head() const;
  json::Value BuiltinPaths() const;
  json::Value SharedSchemas() const;
  json::Value PathsOfResource(const definition::Snapshot::Served& served) const;
  json::Value SchemasOfResource(const definition::Snapshot::Served& served) const;
  json::Value Tail() const;

  void WriteHead(std::string& out) const;
  void WritePaths(std::string& out, const json::Value& paths);
  void WriteSchemas(std::string& out, const json::Value& schemas);
  void WriteTail(std::string& out) const;
  void WriteMembers(std::string& out, const json::Value& members);

  OpenApiDocument document_;
  OpenApiEncoding encoding_;
  std::size_t position_ = 0;
  bool first_member_ = true;  // of the JSON object that is being written
};

}  // namespace annex::api
