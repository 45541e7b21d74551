#include "annex/base/names.h"

#include "annex/base/strings.h"

#include <algorithm>

namespace annex::base {
namespace {

bool IsLowerAlnum(char character) {
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}
bool IsAlnum(char character) {
  return IsLowerAlnum(character) || (character >= 'A' && character <= 'Z');
}

// "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
bool IsLabelText(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char character) { return character == '-' || IsLowerAlnum(character); });
}

bool IsSubdomainText(std::string_view text) {
  const auto labels = Split(text, '.');
  return std::all_of(labels.begin(), labels.end(), IsLabelText);
}

// "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
bool IsQualifiedText(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char character) {
           return character == '-' || character == '_' || character == '.' || IsAlnum(character);
         });
}

std::string TooLong(std::size_t length) {
  return "must be no more than " + std::to_string(length) + " characters";
}

constexpr std::string_view kQualifiedNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

}  // namespace

NameProblems CheckDns1123Subdomain(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxSubdomainLength) problems.push_back(TooLong(kMaxSubdomainLength));
  if (!IsSubdomainText(name)) {
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
        "must start "
        "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

NameProblems CheckDns1123Label(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxLabelLength) problems.push_back(TooLong(kMaxLabelLength));
  if (IsLabelText(name)) return problems;
  if (IsSubdomainText(name)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
        "start and end "
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

NameProblems CheckDns1035Label(std::string_view name) {
  NameProblems problems;
  if (name.size() > kMaxLabelLength) problems.push_back(TooLong(kMaxLabelLength));
  if (!IsLabelText(name) || (name.front() >= '0' && name.front() <= '9')) {
    problems.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, "
        "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
        "'[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

NameProblems CheckQualifiedName(std::string_view name) {
  NameProblems problems;
  const auto parts = Split(name, '/');
  if (parts.size() > 2) {
    problems.push_back("a qualified name " + std::string(kQualifiedNameRule) +
                       " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return problems;
  }
  if (parts.size() == 2 && parts[0].empty()) {
    problems.emplace_back("prefix part must be non-empty");
  } else if (parts.size() == 2) {
    for (const std::string& problem : CheckDns1123Subdomain(parts[0]))
      problems.push_back("prefix part " + problem);
  }
  const std::string_view last = parts.back();
  if (last.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (last.size() > kMaxLabelLength) {
    problems.push_back("name part " + TooLong(kMaxLabelLength));
  }
  if (!IsQualifiedText(last)) problems.push_back("name part " + std::string(kQualifiedNameRule));
  return problems;
}

NameProblems CheckLabelValue(std::string_view value) {
  NameProblems problems;
  if (value.size() > kMaxLabelLength) problems.push_back(TooLong(kMaxLabelLength));
  if (!value.empty() && !IsQualifiedText(value)) {
    problems.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
        "must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation "
        "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return problems;
}

NameProblems CheckPathSegment(std::string_view name) {
  NameProblems problems;
  if (name == "." || name == "..") problems.push_back("may not be '" + std::string(name) + "'");
  for (const char character : {'/', '%'}) {
    if (name.find(character) != std::string_view::npos) {
      problems.push_back(std::string("may not contain '") + character + "'");
    }
  }
  return problems;
}

}  // namespace annex::base
