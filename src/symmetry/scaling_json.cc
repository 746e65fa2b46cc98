// Reads and writes scalings in spec files, and their factors in alignment
// files.

#include <cmath>

#include "rebasin/error.h"
#include "symmetry/axis.h"
#include "symmetry/names.h"
#include "symmetry/scaling.h"

namespace rebasin {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void Fail(const std::string& origin, const std::string& what,
                       const std::string& hint = "") {
  throw Error(ErrorCode::kBadInput, origin + ": " + what, hint);
}

std::string Numbered(size_t scaling) {
  return "scaling " + std::to_string(scaling);
}

void CheckKeys(const Json& json, const std::vector<std::string>& known,
               const std::string& where, const std::string& origin) {
  if (!json.is_object()) Fail(origin, where + " must be an object");
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    Fail(origin, where + ": unknown field " + Quoted(key),
         DidYouMean(key, known));
  }
}

std::string StringField(const Json& json, const std::string& key,
                        const std::string& where, const std::string& origin) {
  if (!json.contains(key) || !json[key].is_string()) {
    Fail(origin, where + ": \"" + key + "\" must be a string");
  }
  return json[key].get<std::string>();
}

int IntField(const Json& json, const std::string& key, int otherwise,
             const std::string& where, const std::string& origin) {
  if (!json.contains(key)) return otherwise;
  const Json& value = json[key];
  const bool small =
      value.is_number_integer() && value >= -1000000 && value <= 1000000;
  if (!small) {
    Fail(origin, where + ": \"" + key + "\" must be an integer, found " +
                     Printable(value.dump()));
  }
  return value.get<int>();
}

ScalingPlace ParsePlace(const Json& json, const std::string& where,
                        const std::string& origin) {
  CheckKeys(json, {"tensor", "axis", "segment", "degree"}, where, origin);
  for (const char* key : {"axis", "degree"}) {
    if (!json.contains(key)) {
      Fail(origin, where + " has a place without \"" + key + "\"");
    }
  }
  return {.tensor = StringField(json, "tensor", where, origin),
          .axis = IntField(json, "axis", 0, where, origin),
          .segment = IntField(json, "segment", 0, where, origin),
          .degree = IntField(json, "degree", 1, where, origin)};
}

Scaling ParseScaling(const Json& json, size_t number, const GroupIndex& groups,
                     const std::string& origin) {
  const std::string where = Numbered(number);
  CheckKeys(json, {"kind", "group", "places"}, where, origin);
  const std::string kind = StringField(json, "kind", where, origin);
  const std::string group = StringField(json, "group", where, origin);
  if (kind != "scale" && kind != "sign") {
    Fail(origin, where + ": \"kind\" must be \"scale\" or \"sign\", found " +
                     Quoted(kind));
  }
  Scaling scaling;
  scaling.kind = kind == "sign" ? ScalingKind::kSign : ScalingKind::kScale;
  scaling.group = groups.Find(group);
  if (scaling.group == kNoGroup) {
    Fail(origin, where + ": there is no group " + Quoted(group));
  }
  if (!json.contains("places") || !json["places"].is_array()) {
    Fail(origin, where + ": \"places\" must be a list");
  }
  for (const Json& place : json["places"]) {
    scaling.places.push_back(ParsePlace(place, where, origin));
  }
  return scaling;
}

OrderedJson ScalingJson(const Symmetry& symmetry, const Scaling& scaling) {
  OrderedJson places = OrderedJson::array();
  for (const ScalingPlace& place : scaling.places) {
    OrderedJson entry = {{"tensor", place.tensor}, {"axis", place.axis}};
    if (place.segment != 0) entry["segment"] = place.segment;
    entry["degree"] = place.degree;
    places.push_back(std::move(entry));
  }
  const bool sign = scaling.kind == ScalingKind::kSign;
  return {{"kind", sign ? "sign" : "scale"},
          {"group", symmetry.groups()[scaling.group].name},
          {"places", std::move(places)}};
}

// Writes signs as integers.
OrderedJson CopyJson(std::span<const double> factors, ScalingKind kind) {
  if (kind == ScalingKind::kScale) return factors;
  OrderedJson signs = OrderedJson::array();
  for (double factor : factors) signs.push_back(factor < 0 ? -1 : 1);
  return signs;
}

// The inverse of a factor must be a finite number, too.
bool IsFactor(const Json& json, ScalingKind kind) {
  if (kind == ScalingKind::kSign) {
    return json.is_number_integer() && (json == 1 || json == -1);
  }
  if (!json.is_number()) return false;
  const double factor = json.get<double>();
  return factor > 0 && std::isnormal(factor) && std::isnormal(1 / factor);
}

std::string FactorsOf(size_t scaling) {
  return "factors of " + Numbered(scaling);
}

void CheckSize(const Json& json, int64_t size, const std::string& where,
               const std::string& origin) {
  if (json.is_array() && static_cast<int64_t>(json.size()) == size) return;
  Fail(origin,
       where + " must be a list of " + std::to_string(size) + " numbers");
}

// Requires a list of the right size.
void ReadCopy(const Json& json, ScalingKind kind, const std::string& where,
              const std::string& origin, std::span<double> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    if (!IsFactor(json[i], kind)) {
      Fail(origin,
           where + ", entry " + std::to_string(i) + ": expected " +
               (kind == ScalingKind::kSign ? "1 or -1" : "a positive number") +
               ", found " + Printable(json[i].dump()));
    }
    out[i] = json[i].get<double>();
  }
}

}  // namespace

OrderedJson ScalingsToJson(const Symmetry& symmetry) {
  OrderedJson list = OrderedJson::array();
  for (const Scaling& scaling : symmetry.scalings()) {
    list.push_back(ScalingJson(symmetry, scaling));
  }
  return list;
}

std::vector<Scaling> ScalingsFromJson(const Json& json,
                                      std::span<const Group> groups,
                                      const std::string& origin) {
  if (!json.is_array()) Fail(origin, "\"scalings\" must be a list");
  const GroupIndex index(groups);
  std::vector<Scaling> scalings;
  for (size_t s = 0; s < json.size(); ++s) {
    scalings.push_back(ParseScaling(json[s], s, index, origin));
  }
  return scalings;
}

OrderedJson FactorsToJson(const Alignment& alignment) {
  const Symmetry& symmetry = alignment.symmetry();
  OrderedJson list = OrderedJson::array();
  for (int s = 0; s < static_cast<int>(symmetry.scalings().size()); ++s) {
    const Scaling& scaling = symmetry.scalings()[s];
    if (symmetry.groups()[scaling.group].parent == kNoGroup) {
      list.push_back(CopyJson(alignment.factors(s), scaling.kind));
      continue;
    }
    OrderedJson copies = OrderedJson::array();
    for (int64_t c = 0; c < symmetry.Copies(scaling.group); ++c) {
      copies.push_back(CopyJson(alignment.factors(s, c), scaling.kind));
    }
    list.push_back(std::move(copies));
  }
  return list;
}

void CheckFactorSizes(const Json& json, const Symmetry& symmetry,
                      const std::string& origin) {
  const size_t count = symmetry.scalings().size();
  if (!json.is_array() || json.size() != count) {
    Fail(origin, "\"factors\" must be a list with one entry for each of the " +
                     std::to_string(count) + " scalings");
  }
  for (size_t s = 0; s < count; ++s) {
    const int g = symmetry.scalings()[s].group;
    const Group& group = symmetry.groups()[g];
    if (group.parent == kNoGroup) {
      CheckSize(json[s], group.size, FactorsOf(s), origin);
      continue;
    }
    const int64_t copies = symmetry.Copies(g);
    if (!json[s].is_array() || static_cast<int64_t>(json[s].size()) != copies) {
      Fail(origin,
           FactorsOf(s) + " must be " + std::to_string(copies) + " lists");
    }
    for (const Json& copy : json[s]) {
      CheckSize(copy, group.size, FactorsOf(s), origin);
    }
  }
}

void ReadFactors(const Json& json, const std::string& origin,
                 Alignment& alignment) {
  const Symmetry& symmetry = alignment.symmetry();
  for (size_t s = 0; s < symmetry.scalings().size(); ++s) {
    const Scaling& scaling = symmetry.scalings()[s];
    const std::string where = FactorsOf(s);
    const int number = static_cast<int>(s);
    if (symmetry.groups()[scaling.group].parent == kNoGroup) {
      ReadCopy(json[s], scaling.kind, where, origin,
               alignment.mutable_factors(number));
      continue;
    }
    for (int64_t c = 0; c < symmetry.Copies(scaling.group); ++c) {
      ReadCopy(json[s][static_cast<size_t>(c)], scaling.kind, where, origin,
               alignment.mutable_factors(number, c));
    }
  }
}

}  // namespace rebasin
