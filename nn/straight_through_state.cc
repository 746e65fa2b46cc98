#include "nn/straight_through_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAlignments = "rebasin:alignments";
constexpr const char* kDuals = "rebasin:duals";
constexpr const char* kHistory = "rebasin:history";
constexpr size_t kHistoryColumns = 5;

template <typename T>
Tensor Pack(const char* name, DType dtype, const std::vector<T>& values) {
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(bytes->data(), values.data(), bytes->size());
  }
  return {.name = name,
          .dtype = dtype,
          .shape = {static_cast<int64_t>(values.size())},
          .bytes = *bytes,
          .owner = bytes};
}

// Returns nothing if there is no such tensor.
template <typename T>
std::vector<T> Unpack(const StateNotes& notes, const char* name, DType dtype) {
  for (const Tensor& tensor : notes.tensors) {
    if (tensor.name != name || tensor.dtype != dtype) continue;
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  return {};
}

template <typename Visit>
void ForPermutations(const Symmetry& symmetry, const Visit& visit) {
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const int group = static_cast<int>(g);
    for (int64_t c = 0; c < symmetry.Copies(group); ++c) visit(group, c);
  }
}

void Append(const Alignment& alignment, std::vector<int32_t>& values) {
  ForPermutations(alignment.symmetry(), [&](int group, int64_t copy) {
    const auto units = alignment.permutation(group, copy);
    values.insert(values.end(), units.begin(), units.end());
  });
}

bool IsPermutation(std::span<const int32_t> units) {
  std::vector<int32_t> sorted(units.begin(), units.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int32_t>(i)) return false;
  }
  return true;
}

// Reads the alignment from the front of `values`; returns false if it is
// invalid.
bool Take(std::span<const int32_t>& values, Alignment& alignment) {
  bool sound = true;
  ForPermutations(alignment.symmetry(), [&](int group, int64_t copy) {
    const auto units = alignment.mutable_permutation(group, copy);
    sound = sound && values.size() >= units.size();
    if (!sound) return;
    const auto mine = values.first(units.size());
    sound = IsPermutation(mine);
    std::copy(mine.begin(), mine.end(), units.begin());
    values = values.subspan(units.size());
  });
  return sound;
}

// Returns an empty history if the tensor is damaged.
std::vector<StraightThroughPoint> TakeHistory(const StateNotes& notes) {
  const auto values = Unpack<double>(notes, kHistory, DType::kF64);
  std::vector<StraightThroughPoint> history;
  if (values.size() % kHistoryColumns != 0) return history;
  for (size_t i = 0; i < values.size(); i += kHistoryColumns) {
    history.push_back({.step = static_cast<int64_t>(values[i]),
                       .train_loss = values[i + 1],
                       .loss = values[i + 2],
                       .accuracy = values[i + 3],
                       .units_moved = static_cast<int64_t>(values[i + 4])});
  }
  return history;
}

// The text contains the number of duals of each tree.
bool TakeProjector(const StateNotes& notes, int64_t trees,
                   ProjectorState& projector) {
  const auto values = Unpack<double>(notes, kDuals, DType::kF64);
  const Json json = Json::parse(notes.text, nullptr, false);
  std::vector<size_t> sizes;
  try {
    sizes = json.at("duals").get<std::vector<size_t>>();
    projector.credit = json.at("credit");
    projector.next = json.at("next");
  } catch (const Json::exception&) {
    return false;
  }
  size_t all = 0;
  for (size_t size : sizes) {
    if (size > values.size()) return false;
    all += 2 * size;
  }
  if (static_cast<int64_t>(sizes.size()) != trees || all != values.size() ||
      projector.next < 0 || projector.next >= std::max<int64_t>(trees, 1) ||
      !std::all_of(values.begin(), values.end(),
                   [](double value) { return std::isfinite(value); })) {
    return false;
  }
  auto from = values.begin();
  for (size_t size : sizes) {
    const auto half = static_cast<std::ptrdiff_t>(size);
    projector.duals.push_back({.rows = {from, from + half},
                               .columns = {from + half, from + 2 * half}});
    from += 2 * half;
  }
  return true;
}

size_t HashOf(const Weights& weights) {
  const at::Tensor& flat = weights.flat();
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(flat.data_ptr<float>()), flat.nbytes()});
}

}  // namespace

StateNotes ToNotes(const StraightThroughState& state) {
  std::vector<int32_t> units;
  for (const Alignment* alignment :
       {&state.now, &state.points.last(), &state.points.best()}) {
    Append(*alignment, units);
  }
  std::vector<double> history;
  for (const StraightThroughPoint& point : state.points.history()) {
    history.insert(history.end(), {static_cast<double>(point.step),
                                   point.train_loss, point.loss, point.accuracy,
                                   static_cast<double>(point.units_moved)});
  }
  std::vector<double> duals;
  std::vector<size_t> sizes;
  for (const AssignmentDuals& tree : state.projector.duals) {
    duals.insert(duals.end(), tree.rows.begin(), tree.rows.end());
    duals.insert(duals.end(), tree.columns.begin(), tree.columns.end());
    sizes.push_back(tree.rows.size());
  }
  const Json json{{"credit", state.projector.credit},
                  {"next", state.projector.next},
                  {"duals", sizes}};
  return {.tensors = {Pack(kAlignments, DType::kI32, units),
                      Pack(kDuals, DType::kF64, duals),
                      Pack(kHistory, DType::kF64, history)},
          .text = json.dump()};
}

StraightThroughState FromNotes(const StateNotes& notes,
                               const std::shared_ptr<const Symmetry>& symmetry,
                               int64_t trees,
                               const std::filesystem::path& path) {
  const auto units = Unpack<int32_t>(notes, kAlignments, DType::kI32);
  std::span<const int32_t> rest(units);
  Alignment now(symmetry), last(symmetry), best(symmetry);
  ProjectorState projector;
  std::vector<StraightThroughPoint> history = TakeHistory(notes);
  const bool sound = Take(rest, now) && Take(rest, last) && Take(rest, best) &&
                     rest.empty() && !history.empty() &&
                     TakeProjector(notes, trees, projector);
  if (!sound) {
    throw Error(ErrorCode::kBadInput,
                Quoted(path.string()) +
                    " is not a complete state of matching: it is damaged");
  }
  return {
      .now = std::move(now),
      .points = BestPoint(std::move(last), std::move(best), std::move(history)),
      .projector = std::move(projector)};
}

std::string DescribeStraightThrough(const StraightThroughOptions& options,
                                    const Weights& a, const Weights& b,
                                    const Alignment& start,
                                    const std::string& training) {
  std::vector<int32_t> units;
  Append(start, units);
  return Json{{"method", "straight-through"},
              {"training", training},
              {"latent", static_cast<int>(options.latent)},
              {"projection", static_cast<int>(options.projection)},
              {"latent_start", static_cast<int>(options.latent_start)},
              {"lambda", {options.lambda_low, options.lambda_high}},
              {"held_back", options.held_out},
              {"evaluate_every", options.evaluate_every},
              {"patience", options.patience},
              {"projection_share", options.projection_share},
              {"models", {HashOf(a), HashOf(b)}},
              {"symmetry", std::hash<std::string>()(start.symmetry().ToJson())},
              {"start", std::hash<std::string>()(Json(units).dump())}}
      .dump();
}

}  // namespace rebasin::nn
