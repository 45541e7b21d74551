#include "findings.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace annex::server::doctor {
namespace {

const char* LevelText(Level level) {
  switch (level) {
    case Level::kOk:
      return "ok";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      break;
  }
  return "error";
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

}  // namespace

void Findings::Ok(std::string check, std::string message) {
  findings_.push_back({Level::kOk, std::move(check), std::move(message), ""});
}

void Findings::Warn(std::string check, std::string message, std::string remedy) {
  findings_.push_back({Level::kWarning, std::move(check), std::move(message), std::move(remedy)});
}

void Findings::Fail(std::string check, std::string message, std::string remedy) {
  findings_.push_back({Level::kError, std::move(check), std::move(message), std::move(remedy)});
}

void Findings::CannotSee(std::string check, const base::Status& why) {
  Warn(std::move(check), "this cannot be seen: " + why.message,
       "run annex doctor with the kubeconfig of an administrator");
}

bool Findings::HasError() const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [](const Finding& finding) { return finding.level == Level::kError; });
}

void Findings::Print(std::ostream& out) const {
  constexpr std::size_t kLevelWidth = 10;
  std::size_t check_width = 0;
  for (const Finding& finding : findings_) check_width = std::max(check_width, finding.check.size() + 3);
  for (const Finding& finding : findings_) {
    out << Padded(LevelText(finding.level), kLevelWidth) << Padded(finding.check, check_width)
        << finding.message << '\n';
    if (!finding.remedy.empty())
      out << std::string(kLevelWidth + check_width, ' ') << "-> " << finding.remedy << '\n';
  }
}

json::Value Findings::ToJson() const {
  json::Value list = json::Value::array();
  for (const Finding& finding : findings_) {
    list.push_back({{"level", LevelText(finding.level)},
                    {"check", finding.check},
                    {"message", finding.message},
                    {"remedy", finding.remedy}});
  }
  return list;
}

}  // namespace annex::server::doctor
