// A program of somebody else's: matches two small models with the installed
// library and prints the version it was built against.

#include <rebasin/align.h>
#include <rebasin/checkpoint.h>
#include <rebasin/error.h>
#include <rebasin/match.h>
#include <rebasin/symmetry.h>
#include <rebasin/tensor.h>
#include <rebasin/version.h>

#include <cstdio>
#include <filesystem>
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
  const auto result = rebasin::MatchWeights(a, b, symmetry, {}, {.threads = 1});
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

rebasin::Checkpoint Network(const Floats& first, const Floats& first_bias,
                            const Floats& second) {
  return rebasin::Checkpoint({rebasin::MakeTensor("fc1.weight", {2, 3}, first),
                              rebasin::MakeTensor("fc1.bias", {2}, first_bias),
                              rebasin::MakeTensor("fc2.weight", {1, 2}, second),
                              rebasin::MakeTensor("fc2.bias", {1}, Floats{1})});
}

// The lines that README shows; run.sh compares them.
void MergeFiles() {
  const std::vector<std::filesystem::path> paths = {"a.safetensors",
                                                    "b.safetensors"};
  const auto models = rebasin::OpenModels(paths);
  const rebasin::MergePlan plan = rebasin::PlanMerge(models);
  rebasin::MergeToFile(plan.Inputs(), "merged.safetensors", plan.Settings());
}

// Merges a network with itself, two units swapped.
bool MergesFiles() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "rebasin-consumer";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  const auto a = Network({1, 2, 3, 4, 5, 6}, {9, 10}, {7, 8});
  const auto b = Network({4, 5, 6, 1, 2, 3}, {10, 9}, {8, 7});
  rebasin::SaveCheckpoint(a, "a.safetensors");
  rebasin::SaveCheckpoint(b, "b.safetensors");
  MergeFiles();
  return rebasin::SameContent(rebasin::Checkpoint::Open("merged.safetensors"),
                              a);
}

bool KnowsOnnx() {
  try {
    rebasin::OpenModels(std::vector<std::filesystem::path>{"absent.onnx"});
  } catch (const rebasin::Error& error) {
    return error.code() == rebasin::ErrorCode::kIo;
  }
  return false;
}

}  // namespace

int main() {
  std::puts(REBASIN_VERSION);
  return FindsSwap() && MergesFiles() && CatchesError() && KnowsOnnx() ? 0 : 1;
}
