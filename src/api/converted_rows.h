// ConvertedRows: the objects that a list selects, where the webhook of the definition may have to convert
// them: batch by batch, with one call for each. Labels and fields are those of the converted objects.
//
// Thread rule: used on one executor. Lifetime: the parts, strategy and selection must outlive it.
#pragma once

#include "annex/base/executor.h"
#include "annex/base/result.h"
#include "annex/base/task.h"
#include "context.h"
#include "list_query.h"
#include "presenter.h"
#include "strategy.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace annex::api {

class ConvertedRows {
 public:
  ConvertedRows(Parts& parts, const Strategy& strategy, const Selection& selection, PagePlan plan,
                base::Executor& executor);

  struct Item {
    std::string key;
    json::Value object;  // with its resourceVersion
  };
  struct Batch {
    std::vector<Item> items;
    store::Revision at = 0;  // the revision that all batches show
    bool last = false;
    // With the last batch: the limit ended the list, and this many objects follow, if that is known.
    bool more = false;
    std::optional<std::int64_t> remaining;
  };
  // The next batch; after the last there is none. Errors: as store::Store::List; without a reason, if an
  // object cannot be read or converted.
  base::Task<base::Result<Batch>> Next();

 private:
  struct Loaded {
    std::vector<store::ObjectPtr> rows;
    std::vector<bool> judged;  // whether a row is known to match
    store::Page page;
  };
  base::Result<Loaded> Load();
  std::size_t MaxRows() const;
  // Takes the rows that match, as far as the limit reaches.
  void Take(const Loaded& loaded, std::vector<json::Value> objects, Batch& batch);
  bool Unconditional() const { return selection_.query.Empty() && selection_.fields.empty(); }

  Parts& parts_;
  const Strategy& strategy_;
  const Selection& selection_;
  base::Executor& executor_;
  selector::Query keys_;  // the selection's conditions on keys alone
  PagePlan plan_;
  std::shared_ptr<void> pin_;
  std::string last_key_;
  std::int64_t given_ = 0;
};

// A whole list as it is answered, and the keys of its objects.
struct ConvertedList {
  std::string text;
  std::vector<std::string> keys;
};
base::Task<base::Result<ConvertedList>> ListConverted(Context& context, const Presenter& presenter,
                                                      const Selection& selection, PagePlan plan);

}  // namespace annex::api
