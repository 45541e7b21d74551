// Headers of an HTTP message, in the order received. Names are lower-case tokens; a name may occur several
// times.
//
// Thread rule: a value type.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annex::base {

struct Header {
  std::string name;
  std::string value;
};

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> headers) : headers_(headers) {}

  // REQUIRES: `name` is lower-case.
  void Add(std::string name, std::string value) { headers_.push_back({std::move(name), std::move(value)}); }

  // The first value of `name`; "" if there is none.
  std::string_view First(std::string_view name) const {
    for (const Header& header : headers_) {
      if (header.name == name) return header.value;
    }
    return {};
  }
  bool Has(std::string_view name) const {
    for (const Header& header : headers_) {
      if (header.name == name) return true;
    }
    return false;
  }
  std::vector<std::string_view> All(std::string_view name) const {
    std::vector<std::string_view> values;
    for (const Header& header : headers_) {
      if (header.name == name) values.push_back(header.value);
    }
    return values;
  }

  auto begin() const { return headers_.begin(); }
  auto end() const { return headers_.end(); }
  std::size_t size() const { return headers_.size(); }

 private:
  std::vector<Header> headers_;
};

}  // namespace annex::base
