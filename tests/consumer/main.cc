// A program of somebody else's: solves a small assignment with the installed
// library and prints the version it was built against.

#include <rebasin/assignment.h>
#include <rebasin/error.h>
#include <rebasin/version.h>

#include <array>
#include <cstdio>
#include <limits>

namespace {

bool SolvesSmallAssignment() {
  const std::array<float, 9> costs = {1, 5, 9, 9, 1, 5, 5, 9, 1};
  const auto solved = rebasin::SolveAssignment(
      {.data = costs.data(), .n = 3, .stride = 3}, {.maximize = true});
  return solved.value == 27 && solved.column_of_row[0] == 2;
}

// Exceptions cross the border of the library with their type.
bool CatchesError() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  try {
    rebasin::SolveAssignment({.data = &nan, .n = 1, .stride = 1});
  } catch (const rebasin::Error& error) {
    return error.code() == rebasin::ErrorCode::kBadInput;
  }
  return false;
}

}  // namespace

int main() {
  std::puts(REBASIN_VERSION);
  return SolvesSmallAssignment() && CatchesError() ? 0 : 1;
}
