// From the options of a list or watch to a query of the store.
#pragma once

#include "annex/base/result.h"
#include "context.h"
#include "options.h"

#include <memory>
#include <string>

namespace annex::api {

// What a request selects: where, and under which conditions.
struct Selection {
  std::string prefix;  // of keys: "NAMESPACE/" or ""
  selector::Query query;
  // The conditions on fields in their own words, for objects whose terms do not tell.
  std::vector<selector::FieldRequirement> fields;
  bool single = false;  // at most one object, by its name and namespace

  // Whether an object that the store left unjudged matches. Errors: InternalError (it cannot be read).
  base::Result<bool> Judge(const Strategy& strategy, const store::Row& row) const;
  // Whether an object of the strategy's version matches; its key does.
  bool Matches(const Strategy& strategy, const json::Value& object) const;
  // Whether a state of an object matches, for watches.
  base::Result<bool> Matches(const Strategy& strategy, const store::Object& object) const;

  // Whether nothing but the key decides.
  bool KeysAlone() const { return query.terms.empty() && fields.empty(); }
};

// Errors: BadRequest ("field label not supported: …", a name in the selector that is not the URL's).
base::Result<Selection> Select(const Context& context, const ListOptions& options);

// Where a page of a list goes on.
struct ContinuePoint {
  store::Revision revision = 0;  // -1: at the newest state, not consistent with the pages before
  std::string start;             // first key
};
// `prefix` is what the list's keys begin with. Errors: BadRequest ("invalid continue token: …").
base::Result<ContinuePoint> DecodeContinue(const std::string& token, const std::string& prefix);
std::string EncodeContinue(const ContinuePoint& point, const std::string& prefix);

// A page of a list: which revision it shows, from where, and how much.
struct PagePlan {
  store::Revision at = 0;  // 0: the newest
  std::string start;
  std::int64_t limit = 0;  // 0: all
};
// Resolves resourceVersion, resourceVersionMatch, limit and continue (the table of the API's documentation).
// Errors: BadRequest, Timeout (a revision that was not reached yet).
base::Result<PagePlan> PlanPage(const Parts& parts, const ListOptions& options, const Selection& selection);

// The failure of a list whose revision the store no longer has.
base::Status ListExpired(const ListOptions& options, const std::string& start, const std::string& prefix);

}  // namespace annex::api
