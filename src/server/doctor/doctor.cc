#include "annex/server/doctor.h"

#include "annex/json/write.h"
#include "apiservices.h"
#include "cluster_session.h"
#include "control_plane.h"
#include "definitions.h"
#include "findings.h"
#include "installation.h"
#include "kinds.h"
#include "rights.h"
#include "visit.h"

#include <ostream>
#include <string>
#include <utility>

namespace annex::server {
namespace {

// Where manifests/base puts it.
constexpr const char* kUsualNamespace = "annex-system";

std::string NamespaceOf(const DoctorOptions& options, const kube::Config& config) {
  if (!options.service_namespace.empty()) return options.service_namespace;
  return config.in_pod ? config.namespace_name : kUsualNamespace;
}

base::Task<doctor::Ranking> Examine(doctor::Visit& visit) {
  if (!co_await doctor::ExamineControlPlane(visit)) co_return doctor::Ranking();
  const auto installation = co_await doctor::ExamineInstallation(visit);
  const auto routing = co_await doctor::ExamineApiServices(visit, installation);
  const auto seen = co_await doctor::ExamineDefinitions(visit, installation, routing);
  co_await doctor::ExamineRights(visit, installation, seen.asking);
  co_return co_await doctor::RankKinds(visit, seen, routing);
}

void Print(const doctor::Findings& findings, const doctor::Ranking& ranking, DoctorOptions::Format format,
           std::ostream& out) {
  if (format == DoctorOptions::Format::kJson) {
    json::Value report = doctor::RankingToJson(ranking);
    report["checks"] = findings.ToJson();
    out << json::ToJson(report) << '\n';
    return;
  }
  findings.Print(out);
  out << '\n';
  doctor::PrintRanking(ranking, out);
}

}  // namespace

base::Result<bool> Doctor(const DoctorOptions& options, std::ostream& out) {
  ANNEX_TRY(auto session, ClusterSession::Open(options.access));
  doctor::Findings findings;
  doctor::Visit visit{session->client(),        session->executor(),
                      session->clock(),         findings,
                      session->config().server, NamespaceOf(options, session->config()),
                      options.service_name,     session->config().in_pod};
  const auto ranking = session->Run(Examine(visit));
  session.reset();
  if (!ranking) return base::Error(base::Reason::kTimeout, "interrupted");
  Print(findings, *ranking, options.format, out);
  return !findings.HasError();
}

}  // namespace annex::server
