#include "annex/selector/terms.h"

#include "annex/selector/query.h"

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace annex::selector {
namespace {

using Terms = std::map<std::string, std::string>;

Terms Read(std::string_view encoded) {
  Terms terms;
  TermReader reader(encoded);
  while (const auto term = reader.Next()) terms.emplace(term->name, term->value);
  return terms;
}

}  // namespace

TEST_CASE("a TermSet is encoded as its header shows", "[selector][terms]") {
  const TermSet set(Terms{{LabelTerm("app"), "web"}, {FieldTerm(".spec.size"), "3"}});
  // Sorted by name: fields come before labels.
  CHECK(set.encoded() ==
        "\x0b"
        "F.spec.size"
        "\x01"
        "3"
        "\x04"
        "Lapp"
        "\x03"
        "web");
  CHECK(TermSet().encoded().empty());
  CHECK(TermSet::FromEncoded(set.encoded()) == set);
}

TEST_CASE("terms of every length read back", "[selector][terms]") {
  for (const std::size_t length : {0U, 1U, 127U, 128U, 129U, 16383U, 16384U, 100'000U}) {
    const Terms terms = {{"L" + std::string(length, 'n'), std::string(length, 'v')},
                         {"M", ""},
                         {"N", std::string("\0\xff", 2)}};
    const TermSet set(terms);
    CHECK(Read(set.encoded()) == terms);
    CHECK(FindTerm(set.encoded(), "L" + std::string(length, 'n')) == std::string(length, 'v'));
    CHECK(FindTerm(set.encoded(), "N") == std::string_view("\0\xff", 2));
    CHECK(FindTerm(set.encoded(), "Mm") == std::nullopt);
    CHECK(FindTerm(set.encoded(), "Z") == std::nullopt);
  }
}

TEST_CASE("damaged terms end early and read nothing that is not there", "[selector][terms]") {
  const std::string good = TermSet(Terms{{"La", "1"}, {"Lb", std::string(200, 'x')}, {"Lc", "3"}}).encoded();
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string cut = good.substr(0, length);
    CHECK(Read(cut).size() < 3);
  }
  for (const char* bytes : {"\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                            "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "\x02L", "\x7f"}) {
    CHECK(Read(bytes).empty());
  }
}

TEST_CASE("conditions on the key take it apart", "[selector][query]") {
  using Part = KeyCondition::Part;
  const auto match = [](std::string_view key, KeyCondition condition) { return KeysMatch({condition}, key); };
  CHECK(match("ns/a", {Part::kName, true, "a"}));
  CHECK_FALSE(match("ns/a", {Part::kName, true, "ns"}));
  CHECK(match("ns/a", {Part::kNamespace, true, "ns"}));
  CHECK_FALSE(match("ns/a", {Part::kNamespace, false, "ns"}));
  CHECK(match("a", {Part::kName, true, "a"}));
  CHECK(match("a", {Part::kNamespace, true, ""}));
  CHECK(match("a", {Part::kNamespace, false, "ns"}));
  CHECK(KeysMatch({}, "anything"));
}

TEST_CASE("only conditions on given values are for an index", "[selector][query]") {
  CHECK(TermCondition{"La", Operator::kIn, {"1", "2"}}.Indexable());
  for (const Operator op :
       {Operator::kNotIn, Operator::kExists, Operator::kNotExists, Operator::kGreater, Operator::kLess}) {
    CHECK_FALSE(TermCondition{"La", op, {"1"}}.Indexable());
  }
}

TEST_CASE("an empty query selects everything", "[selector][query]") {
  CHECK(Query().Empty());
  CHECK(Query().Matches("ns/a", ""));
  CHECK_FALSE(Query{{{"La", Operator::kExists, {}}}, {}}.Empty());
}

}  // namespace annex::selector
