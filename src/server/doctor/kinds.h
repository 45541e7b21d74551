// The cluster's custom resources by how much they are, with who serves them and what is in the way of
// adopting them, so that one sees what is worth adopting.
//
// kube-apiserver's metrics tell which kinds are large, if they can be read; those are then measured. Without
// the metrics, every kind is: one page of a list for each.
#pragma once

#include "annex/base/task.h"
#include "annex/json/value.h"
#include "apiservices.h"
#include "definitions.h"
#include "metrics_text.h"
#include "visit.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace annex::server::doctor {

struct Kind {
  std::string name;  // "widgets.example.com"
  std::int64_t objects = 0;
  std::int64_t bytes = 0;
  bool estimated = false;              // the bytes
  std::string served_by;               // "etcd", "Annex", or another server's Service
  std::vector<std::string> obstacles;  // to its adoption; only of those in etcd
};

struct Ranking {
  std::vector<Kind> kinds;                     // the largest first
  std::size_t left_out = 0;                    // smaller ones
  std::map<std::string, std::int64_t> others;  // objects of kinds that no definition made, if metrics tell
  std::optional<std::int64_t> database_bytes;  // of etcd
};

base::Task<Ranking> RankKinds(Visit& visit, DefinitionsSeen seen, Routing routing);

// The names to measure, those first that are largest as far as the metrics tell; `room` of them at most.
std::vector<std::string> ChooseKinds(std::vector<std::string> names, const StorageMetrics& metrics,
                                     std::size_t room);

void PrintRanking(const Ranking& ranking, std::ostream& out);
// {"kinds":[{"name":…,"objects":…,"bytes":…,"estimated":…,"servedBy":…,"obstacles":[…]}],…}
json::Value RankingToJson(const Ranking& ranking);

}  // namespace annex::server::doctor
