#include "annex/server/hand_over.h"

#include "adoption_obstacles.h"
#include "annex/base/strings.h"
#include "annex/source/adoption_check.h"
#include "annex/source/adoption_names.h"
#include "annex/source/cluster_call.h"
#include "annex/source/definition_facts.h"
#include "cluster_session.h"
#include "group_definitions.h"
#include "group_follower.h"
#include "kind_size.h"
#include "progress_lines.h"
#include "text_table.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

namespace annex::server {
namespace {

using json::Value;
using source::DefinitionsByName;

// By a condition that holds while Annex has the objects, and says besides if a way back is asked for.
bool IsServed(const ConditionState& state) {
  return state.is_true;
}
bool IsAdopted(const ConditionState& state) {
  return state.is_true && (state.reason == "Served" || state.reason == "PolicySkipped");
}
bool IsPurged(const ConditionState& state) {
  return state.is_true;
}
bool IsReleased(const ConditionState& state) {
  return state.present && !state.is_true && state.reason == "Released";
}

// What one of the commands asks for, and how it knows that it is done.
struct Course {
  Value metadata;         // what is put on each definition
  const char* asked;      // the same in words
  const char* condition;  // by which it is told
  bool (*reached)(const ConditionState&);
  bool of_served_groups;  // else of any
  const char* already;
  const char* done;
  const char* question;  // before something that cannot be undone; else nullptr
};

// A purge that was asked for at an earlier time does not concern what is moved now.
Value MoveMetadata(const char* serve) {
  return {{"labels", {{source::kServeLabel, serve}}}, {"annotations", {{source::kPurgeAnnotation, nullptr}}}};
}

Course CourseOf(Handover what) {
  switch (what) {
    case Handover::kAdopt:
      return {MoveMetadata("true"),
              "labelled annex.dev/serve=true",
              source::kAdoptedCondition,
              IsAdopted,
              false,
              " is served by Annex already",
              " is served by Annex",
              nullptr};
    case Handover::kRelease:
      return {MoveMetadata("false"),
              "labelled annex.dev/serve=false",
              source::kAdoptedCondition,
              IsReleased,
              true,
              " was given back already",
              " is served by kube-apiserver again",
              nullptr};
    case Handover::kPurge:
      break;
  }
  return {
      {{"annotations", {{source::kPurgeAnnotation, source::kPurgeOldCopies}}}},
      "annotated annex.dev/purge=old-copies",
      source::kPurgedCondition,
      IsPurged,
      true,
      " has no old copies in etcd any more",
      " is in Annex alone: its old copies are gone from etcd",
      "This removes the objects that etcd still has of the group. Annex's are not touched, but from then on "
      "there is no other copy of them than your backups."};
}

bool AllDefinitions(const DefinitionsByName& definitions, const char* condition,
                    bool (*is)(const ConditionState&)) {
  return std::all_of(definitions.begin(), definitions.end(),
                     [&](const auto& entry) { return is(ReadCondition(entry.second, condition)); });
}

// One run of a command, in two steps: a look, and the deed.
class GroupHandover {
 public:
  GroupHandover(const HandOverOptions& options, GroupName group, ClusterSession& session, std::ostream& out)
      : options_(options),
        course_(CourseOf(options.what)),
        group_(std::move(group)),
        session_(session),
        out_(out) {}

  const Course& course() const { return course_; }
  // Whether the cluster was asked to begin.
  bool asked() const { return asked_; }

  // Says what there is to move and what is in the way. False if everything is done already. Errors: also
  // Conflict, if something is in the way.
  base::Task<base::Result<bool>> Look();
  // Asks, and follows.
  base::Task<base::Result<void>> Do();

 private:
  base::Task<void> ShowKinds();
  base::Task<base::Result<void>> CheckObstacles();
  base::Task<base::Result<void>> Ask();

  const HandOverOptions& options_;
  const Course course_;
  const GroupName group_;
  ClusterSession& session_;
  std::ostream& out_;
  DefinitionsByName definitions_;
  bool asked_ = false;
};

base::Task<base::Result<bool>> GroupHandover::Look() {
  ANNEX_CO_TRY(definitions_, co_await ReadGroup(session_.client(), group_, session_.executor()));
  if (!group_.version.empty())
    out_ << "All versions of a kind share their objects, so this is about all of " << group_.group << "\n";
  if (AllDefinitions(definitions_, course_.condition, course_.reached)) {
    out_ << group_.group << course_.already << "\n";
    co_return false;
  }
  if (course_.of_served_groups && !AllDefinitions(definitions_, source::kAdoptedCondition, IsServed))
    co_return base::Error(base::Reason::kConflict,
                          group_.group + " is not served by Annex, or not all of it");
  co_await ShowKinds();
  const bool moves =
      options_.what == Handover::kAdopt && !AllDefinitions(definitions_, source::kAdoptedCondition, IsServed);
  if (moves) ANNEX_CO_RETURN_IF_ERROR(co_await CheckObstacles());
  co_return true;
}

base::Task<void> GroupHandover::ShowKinds() {
  TextTable table({{"NAME"}, {"OBJECTS", TextTable::Align::kRight}, {"BYTES", TextTable::Align::kRight}});
  for (const auto& [name, definition] : definitions_) {
    std::string path = ListPath(definition);
    const auto size = co_await MeasureKind(session_.client(), std::move(path), session_.executor());
    table.Add({name, size ? std::to_string(size->objects) : "unknown", size ? SizeText(*size) : "unknown"});
  }
  table.Print(out_);
}

base::Task<base::Result<void>> GroupHandover::CheckObstacles() {
  ANNEX_CO_TRY(const auto obstacles,
               co_await ObstaclesOf(session_.client(), group_.group, definitions_, session_.executor()));
  if (obstacles.empty()) co_return base::Result<void>();
  for (const std::string& obstacle : obstacles) out_ << "in the way: " << obstacle << "\n";
  co_return base::Error(base::Reason::kConflict, group_.group + " cannot be adopted; nothing was changed");
}

base::Task<base::Result<void>> GroupHandover::Ask() {
  asked_ = true;
  for (const auto& [name, definition] : definitions_) {
    kube::Client::Call call;
    call.method = "PATCH";
    call.target = std::string(source::kDefinitionsPath) + "/" + name + "?fieldManager=annex-command";
    call.content_type = "application/merge-patch+json";
    call.body = {{"metadata", course_.metadata}};
    ANNEX_CO_RETURN_IF_ERROR(
        co_await source::CallCluster(session_.client(), std::move(call), session_.executor()));
  }
  out_ << CountText(static_cast<std::int64_t>(definitions_.size()), "definition") << " " << course_.asked
       << std::endl;
  co_return base::Result<void>();
}

base::Task<base::Result<void>> GroupHandover::Do() {
  const auto medium = options_.terminal ? ProgressLines::Medium::kTerminal : ProgressLines::Medium::kFile;
  ProgressLines progress(out_, medium, session_.clock());
  ANNEX_CO_RETURN_IF_ERROR(co_await Ask());
  GroupFollower follower({session_.client(), session_.executor(), session_.clock(), progress},
                         {course_.condition, course_.reached, options_.timeout}, definitions_);
  ANNEX_CO_RETURN_IF_ERROR(co_await follower.Follow());
  out_ << group_.group << course_.done << "\n";
  co_return base::Result<void>();
}

// Whoever ends the command, or waits no longer, has to know what goes on without it.
base::Status AfterAsking(base::Status status) {
  status.message +=
      ". The definitions stay as they are asked for, and Annex goes on with them; run the same command again "
      "to "
      "follow";
  return status;
}

// What the cluster refuses is no mistake of the command line.
base::Status NotUsage(base::Status status) {
  if (status.reason == base::Reason::kInvalid) status.reason = base::Reason::kInternalError;
  return status;
}

}  // namespace

base::Result<void> HandOver(const HandOverOptions& options, std::ostream& out) {
  ANNEX_TRY(auto group, ParseGroupName(options.group));
  ANNEX_TRY(auto session, ClusterSession::Open(options.access));
  GroupHandover handover(options, std::move(group), *session, out);
  const auto looked = session->Run(handover.Look());
  if (!looked) {
    session.reset();  // the look is still under way
    return base::Error(base::Reason::kTimeout, "interrupted; nothing was changed");
  }
  if (!*looked) return base::Error(NotUsage(looked->error()));
  if (!**looked) return {};
  if (options.dry_run) {
    out << "nothing is in the way, and nothing was changed, as this is a dry run\n";
    return {};
  }
  const char* question = handover.course().question;
  if (question != nullptr && !options.confirm(question))
    return base::Error(base::Reason::kConflict, "nothing was changed");
  const auto done = session->Run(handover.Do());
  session.reset();
  if (!done) return base::Error(AfterAsking({base::Reason::kTimeout, "interrupted"}));
  if (!*done) return base::Error(AfterAsking(NotUsage(done->error())));
  return {};
}

}  // namespace annex::server
