// The spec's JSON object, which spec files and alignment files share.

#ifndef REBASIN_SYMMETRY_SPEC_JSON_H_
#define REBASIN_SYMMETRY_SPEC_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rebasin/symmetry.h"

namespace rebasin {

nlohmann::ordered_json SpecToJson(const Symmetry& symmetry);
// `origin` is the printable name of the file for error messages.
Symmetry SpecFromJson(const nlohmann::json& json, const std::string& origin);

// Checks the fields "format" and "version" with which every file of this
// program starts. Returns the version, which is at most `newest`.
int CheckFormat(const nlohmann::json& json, const std::string& format,
                const std::string& origin, int newest = 1);

// The value of `key`, which must be an object. `origin` names the file in error
// messages.
const nlohmann::json& ObjectField(const nlohmann::json& json,
                                  std::string_view key,
                                  const std::string& origin);

// JSON text with one line for each entry of the outer objects, so that files
// are readable and diff well.
std::string PrettyText(const nlohmann::ordered_json& json);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_SPEC_JSON_H_
