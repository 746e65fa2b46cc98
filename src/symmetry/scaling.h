// Scalings: which units may be multiplied by what, and where. See
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

// The scalings' places, by tensor; empty if there are none. Throws
// Error(kBadInput) where a scaling does not fit the groups and tensors.
std::vector<std::vector<ScalingDegree>> DegreesByTensor(
    const Symmetry& symmetry);

// Which dimension of the slot a scaling acts on; -1: none.
int ScaledDim(const Slot& slot, const ScalingDegree& degree,
              const Symmetry& symmetry);

// What each index of a slot is multiplied by, `degrees` being those of the
// slot's tensor. Empty: by nothing.
std::vector<double> SlotFactors(const Slot& slot,
                                std::span<const ScalingDegree> degrees,
                                const Alignment& alignment);

// The "scalings" of a spec, and the "factors" of an alignment, one entry for
// each scaling. `origin` names the file in errors.
nlohmann::ordered_json ScalingsToJson(const Symmetry& symmetry);
std::vector<Scaling> ScalingsFromJson(const nlohmann::json& json,
                                      std::span<const Group> groups,
                                      const std::string& origin);
nlohmann::ordered_json FactorsToJson(const Alignment& alignment);
// ReadFactors requires what CheckFactorSizes lets pass.
void CheckFactorSizes(const nlohmann::json& json, const Symmetry& symmetry,
                      const std::string& origin);
void ReadFactors(const nlohmann::json& json, const std::string& origin,
                 Alignment& alignment);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_SCALING_H_
