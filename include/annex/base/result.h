// Result<T>: a value or the Status that says why there is none.
//
// Functions that can fail return it; absence that is normal is std::optional. Exceptions of libraries are
// caught in the adapter that calls them and turned into a Status there.
#pragma once

#include "annex/base/status.h"

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace annex::base {

template <typename T>
using Result = tl::expected<T, Status>;

// The failing Result of any type: `return base::Error(base::Reason::kNotFound, "…");`
inline tl::unexpected<Status> Error(Status status) {
  return tl::unexpected<Status>(std::move(status));
}
inline tl::unexpected<Status> Error(Reason reason, std::string message) {
  return tl::unexpected<Status>(Status{reason, std::move(message)});
}

}  // namespace annex::base

#define ANNEX_CONCAT_INNER(a, b) a##b
#define ANNEX_CONCAT(a, b) ANNEX_CONCAT_INNER(a, b)

// ANNEX_TRY(auto value, Function()): declares `value` from the result or returns its error from this
// function.
#define ANNEX_TRY(declaration, expression) \
  ANNEX_TRY_IMPL(declaration, expression, return, ANNEX_CONCAT(result_, __LINE__))
// The same inside a coroutine.
#define ANNEX_CO_TRY(declaration, expression) \
  ANNEX_TRY_IMPL(declaration, expression, co_return, ANNEX_CONCAT(result_, __LINE__))
#define ANNEX_TRY_IMPL(declaration, expression, return_keyword, name)      \
  auto name = (expression);                                                \
  if (!name) return_keyword ::annex::base::Error(std::move(name).error()); \
  declaration = *std::move(name)

// ANNEX_RETURN_IF_ERROR(Function()): for Result<void>, or where the value does not matter.
#define ANNEX_RETURN_IF_ERROR(expression)                           \
  do {                                                              \
    if (auto error_result = (expression); !error_result)            \
      return ::annex::base::Error(std::move(error_result).error()); \
  } while (false)
#define ANNEX_CO_RETURN_IF_ERROR(expression)                           \
  do {                                                                 \
    if (auto error_result = (expression); !error_result)               \
      co_return ::annex::base::Error(std::move(error_result).error()); \
  } while (false)
