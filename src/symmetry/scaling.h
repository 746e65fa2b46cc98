// Scalings: which units may be multiplied by which factors, and where. See
// rebasin/symmetry.h.

#ifndef REBASIN_SYMMETRY_SCALING_H_
#define REBASIN_SYMMETRY_SCALING_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/symmetry.h"
#include "symmetry/layout.h"

namespace rebasin {

// The scalings of each tensor; empty if there are none. Throws Error(kBadInput)
// if a scaling does not fit the groups and tensors.
std::vector<std::vector<ScalingDegree>> DegreesByTensor(
    const Symmetry& symmetry);

// The dimension of the slot that a scaling acts on, or -1.
int ScaledDim(const Slot& slot, const ScalingDegree& degree,
              const Symmetry& symmetry);

// The factor of each index of a slot. `degrees` are those of the slot's tensor.
// Empty if all factors are one.
std::vector<double> SlotFactors(const Slot& slot,
                                std::span<const ScalingDegree> degrees,
                                const Alignment& alignment);

// Reads and writes the "scalings" of a spec, and the "factors" of an alignment,
// which have one entry for each scaling. `origin` names the file in error
// messages.
nlohmann::ordered_json ScalingsToJson(const Symmetry& symmetry);
std::vector<Scaling> ScalingsFromJson(const nlohmann::json& json,
                                      std::span<const Group> groups,
                                      const std::string& origin);
nlohmann::ordered_json FactorsToJson(const Alignment& alignment);
// ReadFactors requires that CheckFactorSizes did not throw.
void CheckFactorSizes(const nlohmann::json& json, const Symmetry& symmetry,
                      const std::string& origin);
void ReadFactors(const nlohmann::json& json, const std::string& origin,
                 Alignment& alignment);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_SCALING_H_
