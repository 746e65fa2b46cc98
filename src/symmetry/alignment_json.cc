// Reads and writes alignment files: permutations, their spec, and the
// fingerprint of the models that they fit.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quoted_list.h"
#include "io/json.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"
#include "symmetry/axis.h"
#include "symmetry/scaling.h"
#include "symmetry/spec_json.h"

namespace rebasin {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFormat = "rebasin-alignment";
// The version of files with scalings. Files without scalings keep version 1.
constexpr int kWithFactors = 2;

[[noreturn]] void Fail(ErrorCode code, const std::string& origin,
                       const std::string& what, const std::string& hint = "") {
  throw Error(code, origin + ": " + what, hint);
}

// The permutation of an outermost group is one list; that of a group within
// others is a list of lists, one for each copy.
OrderedJson PermutationJson(const Alignment& alignment, int group) {
  const Symmetry& symmetry = alignment.symmetry();
  if (symmetry.groups()[group].parent == kNoGroup) {
    return alignment.permutation(group);
  }
  OrderedJson copies = OrderedJson::array();
  for (int64_t c = 0; c < symmetry.Copies(group); ++c) {
    copies.push_back(alignment.permutation(group, c));
  }
  return copies;
}

std::string PermutationOf(const Group& group) {
  return "permutation of group " + Quoted(group.name);
}

void CheckCopySize(const Json& json, const Group& group,
                   const std::string& origin) {
  const std::string name = PermutationOf(group);
  if (!json.is_array()) {
    Fail(ErrorCode::kBadInput, origin, name + " must be a list");
  }
  if (static_cast<int64_t>(json.size()) == group.size) return;
  Fail(ErrorCode::kMismatch, origin,
       name + " has " + std::to_string(json.size()) +
           " entries, the group has " + std::to_string(group.size));
}

void CheckGroupSize(const Json& json, int g, const Symmetry& symmetry,
                    const std::string& origin) {
  const Group& group = symmetry.groups()[g];
  if (group.parent == kNoGroup) return CheckCopySize(json, group, origin);
  const int64_t copies = symmetry.Copies(g);
  if (!json.is_array() || static_cast<int64_t>(json.size()) != copies) {
    Fail(ErrorCode::kMismatch, origin,
         "group " + Quoted(group.name) + " needs a list of " +
             std::to_string(copies) + " permutations");
  }
  for (const Json& copy : json) CheckCopySize(copy, group, origin);
}

// Requires a list of the right size.
void ReadCopy(const Json& json, const Group& group, const std::string& origin,
              std::span<int32_t> out) {
  std::vector<bool> seen(out.size(), false);
  for (size_t i = 0; i < out.size(); ++i) {
    const Json& entry = json[i];
    if (!entry.is_number_unsigned() || entry.get<uint64_t>() >= out.size() ||
        seen[entry.get<uint64_t>()]) {
      Fail(ErrorCode::kBadInput, origin,
           PermutationOf(group) + ", entry " + std::to_string(i) +
               ": expected each of 0 to " + std::to_string(out.size() - 1) +
               " once, found " + Printable(entry.dump()));
    }
    out[i] = entry.get<int32_t>();
    seen[out[i]] = true;
  }
}

void ReadGroup(const Json& json, int g, const std::string& origin,
               Alignment& alignment) {
  const Symmetry& symmetry = alignment.symmetry();
  const Group& group = symmetry.groups()[g];
  if (group.parent == kNoGroup) {
    return ReadCopy(json, group, origin, alignment.mutable_permutation(g));
  }
  for (int64_t c = 0; c < symmetry.Copies(g); ++c) {
    ReadCopy(json[c], group, origin, alignment.mutable_permutation(g, c));
  }
}

void CheckGroups(const Json& permutations, const Symmetry& symmetry,
                 const std::string& origin) {
  std::vector<std::string> missing, unknown;
  for (const Group& group : symmetry.groups()) {
    if (!permutations.contains(group.name)) missing.push_back(group.name);
  }
  const GroupIndex index(symmetry.groups());
  for (const auto& [name, value] : permutations.items()) {
    if (index.Find(name) == kNoGroup) unknown.push_back(name);
  }
  if (missing.empty() && unknown.empty()) return;
  Fail(ErrorCode::kMismatch, origin,
       "permutations do not fit the groups:" +
           (missing.empty() ? "" : " missing " + QuotedList(missing)) +
           (unknown.empty() ? "" : " unknown " + QuotedList(unknown)));
}

// Checks all sizes before allocating anything, since a few bytes can name a
// group of a billion units.
void CheckSizes(const Json& permutations, const Symmetry& symmetry,
                const std::string& origin) {
  CheckGroups(permutations, symmetry, origin);
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    CheckGroupSize(permutations[symmetry.groups()[g].name], static_cast<int>(g),
                   symmetry, origin);
  }
}

void CheckFingerprint(const Json& json, const std::string& expected,
                      const std::string& origin) {
  const auto found = json.find("fingerprint");
  if (found == json.end() || !found->is_string()) {
    Fail(ErrorCode::kBadInput, origin, "\"fingerprint\" must be a string");
  }
  if (expected.empty() || *found == expected) return;
  Fail(ErrorCode::kMismatch, origin,
       "the alignment was made for models with fingerprint " +
           Quoted(found->get<std::string>()) + ", this one has " +
           Quoted(expected),
       "tensor names or shapes differ");
}

Alignment Read(const Json& json, const std::string& origin,
               const std::string& fingerprint) {
  const int version = CheckFormat(json, kFormat, origin, kWithFactors);
  CheckFingerprint(json, fingerprint, origin);
  auto symmetry = std::make_shared<const Symmetry>(
      SpecFromJson(ObjectField(json, "symmetry", origin), origin));
  const Json& permutations = ObjectField(json, "permutations", origin);
  CheckSizes(permutations, *symmetry, origin);
  const bool scaled = !symmetry->scalings().empty();
  if (scaled && (version < kWithFactors || !json.contains("factors"))) {
    Fail(ErrorCode::kBadInput, origin,
         "a symmetry with scalings needs \"version\": 2 and \"factors\"");
  }
  if (scaled) CheckFactorSizes(json["factors"], *symmetry, origin);
  Alignment alignment(symmetry);
  const int groups = static_cast<int>(symmetry->groups().size());
  for (int g = 0; g < groups; ++g) {
    ReadGroup(permutations[symmetry->groups()[g].name], g, origin, alignment);
  }
  if (scaled) ReadFactors(json["factors"], origin, alignment);
  return alignment;
}

}  // namespace

std::string Alignment::ToJson(const std::string& fingerprint) const {
  OrderedJson permutations = OrderedJson::object();
  for (size_t g = 0; g < symmetry_->groups().size(); ++g) {
    permutations[symmetry_->groups()[g].name] =
        PermutationJson(*this, static_cast<int>(g));
  }
  const bool scales = !symmetry_->scalings().empty();
  OrderedJson json = {{"format", kFormat},
                      {"version", scales ? kWithFactors : 1},
                      {"fingerprint", fingerprint},
                      {"symmetry", SpecToJson(*symmetry_)},
                      {"permutations", std::move(permutations)}};
  if (scales) json["factors"] = FactorsToJson(*this);
  return PrettyText(json);
}

Alignment Alignment::FromJson(std::string_view text, const std::string& origin,
                              const std::string& fingerprint) {
  return Read(ParseJson({.text = text, .source = origin}), origin, fingerprint);
}

Alignment Alignment::Load(const std::filesystem::path& path,
                          const std::string& fingerprint) {
  return Read(ReadJsonFile(path), Quoted(path.string()), fingerprint);
}

}  // namespace rebasin
