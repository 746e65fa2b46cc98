// The spec's JSON object, shared by the spec file and the alignment file that
// embeds it.

#ifndef REBASIN_SYMMETRY_SPEC_JSON_H_
#define REBASIN_SYMMETRY_SPEC_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rebasin/symmetry.h"

namespace rebasin {

nlohmann::ordered_json SpecToJson(const Symmetry& symmetry);
// `origin` names the file in errors, printable.
Symmetry SpecFromJson(const nlohmann::json& json, const std::string& origin);

// Checks the "format" and "version" fields that every file of ours starts with.
// Returns the version, which is at most `newest`.
int CheckFormat(const nlohmann::json& json, const std::string& format,
                const std::string& origin, int newest = 1);

// The value of `key`, which must be an object. `where` names its parent.
const nlohmann::json& ObjectField(const nlohmann::json& json,
                                  std::string_view key,
                                  const std::string& origin);

// JSON text with one entry of the outer objects a line: long enough files stay
// readable and diff well.
std::string PrettyText(const nlohmann::ordered_json& json);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_SPEC_JSON_H_
