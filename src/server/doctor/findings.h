// Findings: what the doctor sees, each as fine, a warning or an error, with what to do about it.
//
// Thread rule: used by one thread at a time.
#pragma once

#include "annex/base/status.h"
#include "annex/json/value.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace annex::server::doctor {

// A warning is worth knowing; with an error something does not work.
enum class Level : std::uint8_t { kOk, kWarning, kError };

struct Finding {
  Level level = Level::kOk;
  std::string check;  // what was looked at, a word
  std::string message;
  std::string remedy;  // empty if it is fine
};

class Findings {
 public:
  void Ok(std::string check, std::string message);
  void Warn(std::string check, std::string message, std::string remedy);
  void Fail(std::string check, std::string message, std::string remedy);
  // Something that could not be read.
  void CannotSee(std::string check, const base::Status& why);

  const std::vector<Finding>& all() const { return findings_; }
  bool HasError() const;

  // A line for each, and one for its remedy.
  void Print(std::ostream& out) const;
  // [{"level":"ok","check":…,"message":…,"remedy":…}]
  json::Value ToJson() const;

 private:
  std::vector<Finding> findings_;
};

}  // namespace annex::server::doctor
