// Building blocks for operator rows: facts that many operators share, and With,
// which replaces some of them.

#ifndef REBASIN_GRAPH_OPS_ROWS_H_
#define REBASIN_GRAPH_OPS_ROWS_H_

#include <span>
#include <string_view>

#include "graph/facts.h"

namespace rebasin {

// Wraps Facts::implied_attribute, so that With can tell it apart.
struct ImpliedAttribute {
  std::string_view name;
};

constexpr void Set(Facts& facts, OperatorClass is) { facts.is = is; }
constexpr void Set(Facts& facts, std::span<const OperatorInput> inputs) {
  facts.inputs = inputs;
}
constexpr void Set(Facts& facts, SymmetryLaw law) { facts.symmetry = law; }
constexpr void Set(Facts& facts, DegreeLaw law) { facts.degrees = law; }
constexpr void Set(Facts& facts, WeightInit init) { facts.init = init; }
constexpr void Set(Facts& facts, CountFunction count) { facts.count = count; }
constexpr void Set(Facts& facts, View view) { facts.view = view; }
constexpr void Set(Facts& facts, Kept kept) { facts.kept = kept; }
constexpr void Set(Facts& facts, SizeMarks marks) { facts.marks = marks; }
constexpr void Set(Facts& facts, WrittenSizes written) {
  facts.written = written;
}
constexpr void Set(Facts& facts, ZeroLaw law) { facts.zeros = law; }
constexpr void Set(Facts& facts, DistinctLaw law) { facts.distinct = law; }
constexpr void Set(Facts& facts, PositionOutputs outputs) {
  facts.positions = outputs;
}
constexpr void Set(Facts& facts, Commutes commutes) {
  facts.commutes = commutes;
}
constexpr void Set(Facts& facts, LoweredBy lowered) { facts.lowered = lowered; }
constexpr void Set(Facts& facts, std::span<const AttributeDefault> defaults) {
  facts.defaults = defaults;
}
constexpr void Set(Facts& facts, ImpliedAttribute attribute) {
  facts.implied_attribute = attribute.name;
}

// Replaces facts: With(kComputes, kOnlyData, DegreeLaw::kOdd). The type of an
// argument determines which fact it replaces.
template <typename... Fact>
constexpr Facts With(Facts facts, const Fact&... changed) {
  (Set(facts, changed), ...);
  return facts;
}

// An operator that computes new numbers and has no special properties. Inputs,
// laws and lowering are not set; each row sets them.
inline constexpr Facts kComputes = {.is = OperatorClass::kOther,
                                    .init = WeightInit::kNone,
                                    .count = NoMultiplications,
                                    .view = View::kNone,
                                    .kept = Kept{},
                                    .marks = SizeMarks::kAll,
                                    .written = WrittenSizes::kNone,
                                    .zeros = ZeroLaw::kMayBeZero,
                                    .distinct = DistinctLaw::kMayTie,
                                    .positions = PositionOutputs::kNone,
                                    .commutes = Commutes::kNo};

// The usual case: with a rule and a lowering.
inline constexpr Facts kUsual =
    With(kComputes, SymmetryLaw::kRule, LoweredBy::kTensors);

inline constexpr auto kWithoutGradient = LoweredBy::kTensorsWithoutGradient;

inline constexpr OperatorInput kData = {.role = InputRole::kData};
inline constexpr OperatorInput kSetting = {.role = InputRole::kSetting};

inline constexpr OperatorInput kOnlyData[] = {kData};
// Data, and settings for what to do with it.
inline constexpr OperatorInput kDataAndSettings[] = {kData, kSetting};

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_ROWS_H_
