// A program of somebody else's: matches two small models with the installed
// library and prints the version it was built against.

#include <rebasin/checkpoint.h>
#include <rebasin/error.h>
#include <rebasin/match.h>
#include <rebasin/onnx.h>
#include <rebasin/symmetry.h>
#include <rebasin/tensor.h>
#include <rebasin/version.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

using Floats = std::vector<float>;

rebasin::Checkpoint Model(const Floats& first, const Floats& second) {
  return rebasin::Checkpoint({rebasin::MakeTensor("0.weight", {2, 3}, first),
                              rebasin::MakeTensor("2.weight", {1, 2}, second)});
}

// The second model is the first with its two hidden units swapped.
bool FindsSwap() {
  const auto a = Model({1, 2, 3, 4, 5, 6}, {7, 8});
  const auto b = Model({4, 5, 6, 1, 2, 3}, {8, 7});
  const auto symmetry =
      std::make_shared<const rebasin::Symmetry>(rebasin::InferMlp(a));
  const auto result = rebasin::MatchWeights(a, b, symmetry, {.threads = 1});
  return result.alignment.UnitsMoved(0) == 2;
}

// Exceptions cross the border of the library with their type.
bool CatchesError() {
  try {
    rebasin::Symmetry::FromJson("{}", "nothing");
  } catch (const rebasin::Error& error) {
    return error.code() == rebasin::ErrorCode::kBadInput;
  }
  return false;
}

// What the library needs for ONNX is found without being named.
bool KnowsOnnx() {
  try {
    rebasin::ReadOnnx("absent.onnx");
  } catch (const rebasin::Error& error) {
    return error.code() == rebasin::ErrorCode::kIo;
  }
  return false;
}

}  // namespace

int main() {
  std::puts(REBASIN_VERSION);
  return FindsSwap() && CatchesError() && KnowsOnnx() ? 0 : 1;
}
