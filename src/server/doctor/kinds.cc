#include "kinds.h"

#include "adoption_obstacles.h"
#include "annex/base/strings.h"
#include "annex/source/definition_facts.h"
#include "group_definitions.h"
#include "kind_size.h"
#include "text_table.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

namespace annex::server::doctor {
namespace {

using json::Value;

// As many as a person reads.
constexpr std::size_t kShown = 20;
// Without metrics all kinds are measured, up to this many: a cluster has some hundred.
constexpr std::size_t kMeasured = 1000;
constexpr std::size_t kOthersShown = 5;

std::int64_t NumberOf(const std::map<std::string, std::int64_t>& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

// Nothing, if we may not read them.
base::Task<std::optional<StorageMetrics>> ReadMetrics(Visit& visit) {
  kube::Client::Call call;
  call.method = "GET";
  call.target = "/metrics";
  call.accept = "text/plain";
  const auto answer = co_await visit.client.Fetch(std::move(call), visit.executor);
  if (!answer || answer->status != 200) co_return std::nullopt;
  co_return ReadStorageMetrics(answer->text);
}

std::string ServedBy(const std::string& name, const DefinitionsSeen& seen, const Routing& routing) {
  const std::string group = source::GroupOf(name);
  if (seen.served.contains(group) || routing.LeadsToAnnex(group)) return "Annex";
  const auto service = routing.services.find(group);
  return service == routing.services.end() ? "etcd" : service->second;
}

base::Task<std::vector<std::string>> GroupObstacles(Visit& visit, std::string group) {
  GroupName name{group, ""};
  auto definitions = co_await ReadGroup(visit.client, std::move(name), visit.executor);
  std::vector<std::string> failed;
  if (!definitions) {
    failed.push_back(definitions.error().message);
    co_return failed;
  }
  source::DefinitionsByName all = *std::move(definitions);
  auto obstacles = co_await ObstaclesOf(visit.client, std::move(group), std::move(all), visit.executor);
  if (obstacles) co_return *std::move(obstacles);
  failed.push_back(obstacles.error().message);
  co_return failed;
}

// A kind that cannot be listed counts as the metrics have it.
base::Task<Kind> Measure(Visit& visit, std::string name, StorageMetrics metrics) {
  Kind kind;
  kind.name = name;
  kind.objects = NumberOf(metrics.objects, name);
  kind.bytes = NumberOf(metrics.bytes, name);
  kind.estimated = true;
  const auto definition = co_await ReadDefinition(visit.client, name, visit.executor);
  if (!definition) co_return kind;
  std::string path = ListPath(*definition);
  const auto size = co_await MeasureKind(visit.client, std::move(path), visit.executor);
  if (!size) co_return kind;
  kind.objects = size->objects;
  kind.estimated = size->estimated;
  // What kube-apiserver saw of all objects is better than what the first of them say of the rest.
  if (!size->estimated || kind.bytes == 0) kind.bytes = size->bytes;
  co_return kind;
}

bool IsLarger(const Kind& a, const Kind& b) {
  return std::tie(b.bytes, b.objects, a.name) < std::tie(a.bytes, a.objects, b.name);
}

std::string ObstaclesText(const Kind& kind) {
  if (kind.served_by != "etcd") return "";
  return kind.obstacles.empty() ? "nothing" : base::Join(kind.obstacles, "; ");
}

// The largest of the kinds that stay where they are: "events 1200, pods 80".
std::string OthersText(const Ranking& ranking) {
  std::vector<std::pair<std::int64_t, std::string>> others;
  for (const auto& [name, objects] : ranking.others) {
    if (objects > 0) others.emplace_back(-objects, name);
  }
  std::sort(others.begin(), others.end());
  if (others.size() > kOthersShown) others.resize(kOthersShown);
  std::vector<std::string> texts;
  texts.reserve(others.size());
  for (const auto& [negative, name] : others) texts.push_back(name + " " + std::to_string(-negative));
  return base::Join(texts, ", ");
}

}  // namespace

std::vector<std::string> ChooseKinds(std::vector<std::string> names, const StorageMetrics& metrics,
                                     std::size_t room) {
  std::sort(names.begin(), names.end(), [&metrics](const std::string& a, const std::string& b) {
    const auto rank = [&metrics](const std::string& name) {
      return std::pair(NumberOf(metrics.bytes, name), NumberOf(metrics.objects, name));
    };
    return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
  });
  if (names.size() > room) names.resize(room);
  return names;
}

base::Task<Ranking> RankKinds(Visit& visit, DefinitionsSeen seen, Routing routing) {
  Ranking ranking;
  const auto seen_metrics = co_await ReadMetrics(visit);
  const StorageMetrics metrics = seen_metrics.value_or(StorageMetrics());
  const auto chosen = ChooseKinds(seen.names, metrics, seen_metrics ? kShown : kMeasured);
  for (const std::string& name : chosen) ranking.kinds.push_back(co_await Measure(visit, name, metrics));
  std::sort(ranking.kinds.begin(), ranking.kinds.end(), IsLarger);
  if (ranking.kinds.size() > kShown) ranking.kinds.resize(kShown);
  ranking.left_out = seen.names.size() - ranking.kinds.size();
  ranking.database_bytes = metrics.database_bytes;
  ranking.others = metrics.objects;
  for (const std::string& name : seen.names) ranking.others.erase(name);
  std::map<std::string, std::vector<std::string>> obstacles;  // by group
  for (Kind& kind : ranking.kinds) {
    kind.served_by = ServedBy(kind.name, seen, routing);
    if (kind.served_by != "etcd") continue;
    std::string group = source::GroupOf(kind.name);
    auto known = obstacles.find(group);
    if (known == obstacles.end()) {
      std::string asked = group;
      auto found = co_await GroupObstacles(visit, std::move(asked));
      known = obstacles.emplace(std::move(group), std::move(found)).first;
    }
    kind.obstacles = known->second;
  }
  co_return ranking;
}

void PrintRanking(const Ranking& ranking, std::ostream& out) {
  TextTable table({{"KIND"},
                   {"OBJECTS", TextTable::Align::kRight},
                   {"BYTES", TextTable::Align::kRight},
                   {"SERVED BY"},
                   {"IN THE WAY OF ADOPTING ITS GROUP"}});
  for (const Kind& kind : ranking.kinds) {
    table.Add({kind.name, std::to_string(kind.objects), SizeText({kind.objects, kind.bytes, kind.estimated}),
               kind.served_by, ObstaclesText(kind)});
  }
  if (!ranking.kinds.empty()) table.Print(out);
  if (ranking.left_out > 0)
    out << "and " << CountText(static_cast<std::int64_t>(ranking.left_out), "kind") << " more\n";
  if (ranking.database_bytes) out << "etcd's database has " << BytesText(*ranking.database_bytes) << "\n";
  if (const std::string others = OthersText(ranking); !others.empty())
    out << "objects of other kinds, which stay in etcd: " << others << "\n";
}

Value RankingToJson(const Ranking& ranking) {
  Value kinds = Value::array();
  for (const Kind& kind : ranking.kinds) {
    kinds.push_back({{"name", kind.name},
                     {"objects", kind.objects},
                     {"bytes", kind.bytes},
                     {"estimated", kind.estimated},
                     {"servedBy", kind.served_by},
                     {"obstacles", kind.obstacles}});
  }
  Value result = {{"kinds", std::move(kinds)}, {"kindsLeftOut", ranking.left_out}};
  if (ranking.database_bytes) result["etcdBytes"] = *ranking.database_bytes;
  return result;
}

}  // namespace annex::server::doctor
