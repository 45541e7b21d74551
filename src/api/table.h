// The Table form: what kubectl prints (meta.k8s.io, KEP-1080).
//
// Thread rule: free functions and immutable values.
#pragma once

#include "annex/json/value.h"
#include "strategy.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace annex::api {

// The column that a definition without columns gets.
TableColumn AgeColumn();

// `[{"name":"Name","type":"string",…}, …]`: the Name column and the given ones.
std::string ColumnDefinitionsJson(const std::vector<TableColumn>& columns);

// `["a","red",3]`: an object's cells.
std::string CellsJson(const json::Value& object, const std::vector<TableColumn>& columns,
                      std::chrono::system_clock::time_point now);

// "5m", "3h12m", "2d": a duration as kubectl shows ages (k8s.io/apimachinery/pkg/util/duration).
std::string HumanDuration(std::chrono::seconds duration);

}  // namespace annex::api
