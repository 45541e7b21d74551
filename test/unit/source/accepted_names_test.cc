#include "source/accepted_names.h"

#include <catch2/catch.hpp>

namespace annex::source {
namespace {

definition::Names Widgets() {
  definition::Names names;
  names.plural = "widgets";
  names.singular = "widget";
  names.short_names = {"wd"};
  names.kind = "Widget";
  names.list_kind = "WidgetList";
  return names;
}

TEST_CASE("names that nobody has are accepted", "[source][names]") {
  const auto accepted = AcceptNames(Widgets(), {}, {});
  CHECK(accepted.all);
  CHECK(accepted.names == Widgets());
}

TEST_CASE("a name that is in use is refused, the others are accepted", "[source][names]") {
  UsedNames used;
  definition::Names other;
  other.plural = "gadgets";
  other.singular = "widget";
  other.kind = "Gadget";
  used.Add(other);
  const auto accepted = AcceptNames(Widgets(), {}, used);
  CHECK_FALSE(accepted.all);
  CHECK(accepted.reason == "SingularConflict");
  CHECK(accepted.message == "\"widget\" is already in use");
  CHECK(accepted.names.plural == "widgets");
  CHECK(accepted.names.singular.empty());
  CHECK(accepted.names.kind == "Widget");
}

TEST_CASE("a name that was accepted stays so when another definition has it too", "[source][names]") {
  UsedNames used;
  used.Add(Widgets());
  CHECK(AcceptNames(Widgets(), Widgets(), used).all);
}

TEST_CASE("short names are accepted all or not at all", "[source][names]") {
  UsedNames used;
  definition::Names other;
  other.short_names = {"a", "b"};
  used.Add(other);
  definition::Names wanted = Widgets();
  wanted.short_names = {"wd", "a", "b"};
  const auto accepted = AcceptNames(wanted, {}, used);
  CHECK(accepted.reason == "ShortNamesConflict");
  CHECK(accepted.message == "[\"a\" is already in use, \"b\" is already in use]");
  CHECK(accepted.names.short_names.empty());
}

TEST_CASE("kinds and resources are different names", "[source][names]") {
  UsedNames used;
  definition::Names other;
  other.kind = "widgets";
  used.Add(other);
  CHECK(AcceptNames(Widgets(), {}, used).all);
}

}  // namespace
}  // namespace annex::source
