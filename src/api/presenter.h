// Presenter: objects in the form that a request asked for: as they are, as Table rows or as metadata alone;
// in JSON or YAML.
//
// In the plain form an object that is stored as it is served is never parsed: its bytes are copied, with the
// resourceVersion put in.
//
// Thread rule: immutable after construction, but used by one request or watch.
#pragma once

#include "annex/base/clock.h"
#include "annex/base/result.h"
#include "negotiation.h"
#include "options.h"
#include "strategy.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

struct ListMeta {
  store::Revision resource_version = 0;
  std::string continue_token;
  std::optional<std::int64_t> remaining;
};

class Presenter {
 public:
  Presenter(StrategyPtr strategy, OutputFormat format, IncludeObject include, const base::Clock& clock);

  const Strategy& strategy() const { return *strategy_; }
  const OutputFormat& format() const { return format_; }

  // A whole answer with one object, ended by a newline. Errors: NotAcceptable (a list form was asked for),
  // InternalError.
  base::Result<std::string> Document(const store::Row& row) const;
  base::Result<std::string> Document(const json::Value& object) const;

  // A list, piece by piece: compact JSON, or the fields of a protobuf message. Finish turns the whole text
  // into what was asked for. REQUIRES: `out` is empty.
  void BeginList(std::string& out) const;
  // REQUIRES: `first` for the first item only.
  base::Result<void> AppendItem(std::string& out, const store::Row& row, bool first) const;
  void AppendItem(std::string& out, const json::Value& object, bool first) const;
  // Writes the metadata and ends the list. REQUIRES: `out` holds the list from its beginning.
  void EndList(std::string& out, const ListMeta& meta, bool empty) const;
  // The two halves of EndList, for a list whose beginning is sent before its end is known. Metadata come
  // first in what is a struct in Go (Tables, lists of metadata, of built-in types): they must be put while
  // `out` holds the beginning. In lists of custom resources they come last, and CloseList writes them.
  void PutListMeta(std::string& out, const ListMeta& meta) const;
  void CloseList(std::string& out, const ListMeta& meta, bool empty) const;
  // An error if the form that was asked for is one of single objects.
  base::Result<void> CheckListForm() const;
  // Whether a list's pieces can go out as they are made. `limited`: the end decides what the metadata say.
  bool Streams(bool limited) const {
    return format_.encoding == Encoding::kJson && !format_.pretty && !(limited && !metadata_last());
  }
  // Compact JSON (or a protobuf message) -> the body that was asked for.
  std::string Finish(std::string text) const;

  // The object of a watch event, as JSON. `columns`: whether a Table says its columns (in a watch only the
  // first does).
  base::Result<std::string> EventObject(const store::Row& row, bool columns) const;
  std::string EventObject(const json::Value& object, bool columns) const;
  // Whether the EventObject of a row stored under `format` is the same for every request that can say so.
  bool EventsAreShared(std::uint64_t format) const;

 private:
  base::Result<void> CheckObjectForm() const;
  base::Result<void> AppendObject(std::string& out, const store::Row& row) const;
  base::Result<void> AppendPartial(std::string& out, const store::Row& row) const;
  base::Result<void> AppendTableRow(std::string& out, const store::Row& row) const;
  void AppendPartial(std::string& out, const json::Value& object) const;
  void AppendTableRow(std::string& out, const json::Value& object) const;
  std::string TableAround(std::string_view row, const std::string& resource_version, bool columns) const;
  std::string MetaApiVersion() const { return "meta.k8s.io/" + format_.form_version; }
  // `{"kind":"Table","apiVersion":"meta.k8s.io/v1",`: what comes before a list's metadata if they come first.
  std::string ListHead() const;
  // Items of a list that is a struct in Go do not repeat what it says of their kind. `begin`: of the item.
  void DropTypeMeta(std::string& out, std::size_t begin) const;
  bool metadata_last() const { return format_.form == Form::kObject && !strategy_->builtin(); }
  bool partial() const {
    return format_.form == Form::kPartialObjectMetadata || format_.form == Form::kPartialObjectMetadataList;
  }

  const StrategyPtr strategy_;
  const OutputFormat format_;
  const IncludeObject include_;
  const base::Clock& clock_;
  std::vector<TableColumn> columns_;
};

}  // namespace annex::api
