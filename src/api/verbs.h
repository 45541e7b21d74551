// The verbs of the API on objects, one file each.
//
// Thread rule: each runs on its request's executor. `context` outlives the task.
// Failure: the Status that the client gets.
#pragma once

#include "annex/base/task.h"
#include "context.h"

namespace annex::api {

base::Task<VerbResult> Get(Context& context);
base::Task<VerbResult> List(Context& context);
base::Task<VerbResult> Watch(Context& context);
base::Task<VerbResult> Create(Context& context);
base::Task<VerbResult> Update(Context& context);
base::Task<VerbResult> Patch(Context& context);
base::Task<VerbResult> Delete(Context& context);
base::Task<VerbResult> DeleteCollection(Context& context);

// …/scale
base::Task<VerbResult> GetScale(Context& context);
base::Task<VerbResult> UpdateScale(Context& context);
base::Task<VerbResult> PatchScale(Context& context);

}  // namespace annex::api
