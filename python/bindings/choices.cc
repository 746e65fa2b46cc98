#include "python/bindings/choices.h"

#include <utility>
#include <vector>

#include "rebasin/error.h"

namespace rebasin::python {
namespace {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

[[noreturn]] void FailChoice(const std::string& option, const std::string& word,
                             const std::string& known) {
  throw Error(ErrorCode::kUsage, option + "=" + Quoted(word) + " is unknown",
              "it can be " + known);
}

template <class T>
T Parse(const std::string& option, const std::string& word,
        const Words<T>& words) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + name;
  }
  FailChoice(option, word, known);
}

}  // namespace

DType ParseType(const std::string& word) {
  return Parse<DType>("dtype", word,
                      {{"F64", DType::kF64},
                       {"F32", DType::kF32},
                       {"F16", DType::kF16},
                       {"BF16", DType::kBF16}});
}

DiscoverOptions ParseSymmetries(const std::string& word) {
  return Parse<DiscoverOptions>(
      "symmetries", word,
      {{"permute", {}},
       {"permute+scale", {.scales = true}},
       {"permute+sign", {.signs = true}},
       {"permute+scale+sign", {.scales = true, .signs = true}},
       {"permute+sign+scale", {.scales = true, .signs = true}}});
}

StructureNeed ParseNeed(const std::string& word) {
  return Parse<StructureNeed>("need", word,
                              {{"nothing", StructureNeed::kNothing},
                               {"if_known", StructureNeed::kIfKnown},
                               {"symmetry", StructureNeed::kSymmetry},
                               {"graph", StructureNeed::kGraph}});
}

MatchStart ParseStart(const std::string& word) {
  return Parse<MatchStart>("start", word,
                           {{"anchored", MatchStart::kAnchored},
                            {"annealed", MatchStart::kAnnealed},
                            {"best", MatchStart::kBest},
                            {"identity", MatchStart::kIdentity}});
}

bool ParseRandomOrder(const std::string& word) {
  return Parse<bool>("order", word, {{"evidence", false}, {"random", true}});
}

ManyMethod ParseMany(const std::string& word) {
  return Parse<ManyMethod>("many", word,
                           {{"mergemany", ManyMethod::kMergeMany},
                            {"consistent", ManyMethod::kConsistent},
                            {"frank-wolfe", ManyMethod::kFrankWolfe}});
}

ThreeWay ParseThreeWay(const std::string& word) {
  return Parse<ThreeWay>("three_way", word,
                         {{"auto", ThreeWay::kAuto},
                          {"delta", ThreeWay::kDelta},
                          {"mean", ThreeWay::kMean}});
}

Interpolation ParseInterpolation(const std::string& word) {
  return Parse<Interpolation>("interpolation", word,
                              {{"linear", {}},
                               {"slerp", {.method = MergeMethod::kSlerp}},
                               {"many", {.jointly = true}}});
}

void CheckMethod(const std::string& option, const std::string& word) {
  const AlignMethod* method = FindAlignMethod(word);
  if (method == nullptr) {
    std::string known;
    for (const AlignMethod& row : AlignMethods()) {
      if (!row.needs_data)
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    FailChoice(option, word, known);
  }
  if (!method->needs_data) return;
  throw Error(ErrorCode::kUsage,
              option + "=" + Quoted(word) +
                  " needs data, which this package "
                  "does not read",
              "`rebasin match --method " + word +
                  " --data FOLDER` of a build with LibTorch does it");
}

}  // namespace rebasin::python
