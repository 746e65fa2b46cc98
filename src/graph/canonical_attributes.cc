#include "graph/canonical_attributes.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text.h"
#include "graph/operator.h"
#include "graph/ops/common.h"
#include "graph/same_array.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The defaults of these attributes for all operators. A list has its default
// value if all its elements are this number.
constexpr AttributeDefault kCommon[] = {
    {"strides", 1},
    {"dilations", 1},
    {"pads", 0},
    {"output_padding", 0},
    {"group", 1},
    {"ceil_mode", 0},
    {"storage_order", 0},
    {"count_include_pad", 0},
    {"keepdims", 1},
    {"noop_with_empty_axes", 0},
    {"select_last_index", 0},
    {"allowzero", 0},
    {"layout", 0},
    {"saturate", 1},
    {"batch_dims", 0},
    {"auto_pad", "NOTSET"},
    {"direction", "forward"},
    {"reduction", "none"},
};

// Operators without a row: they are compared, but never run.
constexpr std::string_view kQuantizing[] = {"QuantizeLinear",
                                            "DequantizeLinear"};
constexpr AttributeDefault kQuantizingDefaults[] = {{"axis", 1}};

bool AllAre(const Attribute& attribute, float number) {
  const auto same = [&](auto x) { return static_cast<float>(x) == number; };
  if (const auto* x = std::get_if<int64_t>(&attribute)) return same(*x);
  if (const auto* x = std::get_if<double>(&attribute)) return same(*x);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return std::all_of(list->begin(), list->end(), same);
  }
  return false;
}

bool IsDefault(const Attribute& attribute, const AttributeDefault& usual) {
  if (usual.number) return AllAre(attribute, *usual.number);
  const auto* word = std::get_if<std::string>(&attribute);
  return word != nullptr && *word == usual.word;
}

std::span<const AttributeDefault> DefaultsOf(std::string_view op) {
  const bool quantizes =
      std::find(std::begin(kQuantizing), std::end(kQuantizing), op) !=
      std::end(kQuantizing);
  return quantizes ? kQuantizingDefaults : FactsOf(op).defaults;
}

bool HasDefault(std::string_view op, std::string_view name,
                const Attribute& attribute) {
  const auto is_default = [&](const AttributeDefault& usual) {
    return usual.name == name && IsDefault(attribute, usual);
  };
  const auto own = DefaultsOf(op);
  return std::any_of(std::begin(kCommon), std::end(kCommon), is_default) ||
         std::any_of(own.begin(), own.end(), is_default);
}

bool IsRedundant(std::string_view op, std::string_view name) {
  return name == "stash_type" || name == FactsOf(op).implied_attribute;
}

// Types that differ only in precision, or in limits that nobody reaches, are
// alike.
int64_t KindOfElements(int64_t type) {
  constexpr int64_t kNarrow = 100;
  if (NarrowIntegers(type) || (type >= 17 && type <= 20)) return kNarrow + type;
  switch (type) {
    case 1:   // FLOAT
    case 10:  // FLOAT16
    case 11:  // DOUBLE
    case 16:  // BFLOAT16
      return static_cast<int64_t>(Kind::kFloat);
    case 9:  // BOOL
      return static_cast<int64_t>(Kind::kBoolean);
    default:
      return static_cast<int64_t>(Kind::kInteger);
  }
}

template <typename T>
std::string ListText(const std::vector<T>& list) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(list.size(), 16); ++i) {
    text += (i == 0 ? "" : ", ") + Number(static_cast<double>(list[i]), 7);
  }
  return "[" + text + (list.size() > 16 ? ", ...]" : "]");
}

template <typename T>
bool SameNumbers(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) {
    return static_cast<float>(x) == static_cast<float>(y);
  });
}

}  // namespace

Attributes CanonicalAttributes(const Node& node) {
  Attributes result;
  for (const auto& [name, attribute] : node.attributes) {
    if (IsRedundant(node.op, name) || HasDefault(node.op, name, attribute)) {
      continue;
    }
    const auto* type = std::get_if<int64_t>(&attribute);
    const bool is_type = FactsOf(node).view == View::kConverted &&
                         name == "to" && type != nullptr;
    result.emplace(name,
                   is_type ? Attribute(KindOfElements(*type)) : attribute);
  }
  return result;
}

bool SameAttribute(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<double>(&a)) {
    return static_cast<float>(*x) == static_cast<float>(std::get<double>(b));
  }
  if (const auto* x = std::get_if<std::vector<double>>(&a)) {
    return SameNumbers(*x, std::get<std::vector<double>>(b));
  }
  if (const auto* x = std::get_if<Array>(&a)) {
    return SameArray(*x, std::get<Array>(b));
  }
  if (const auto* x = std::get_if<int64_t>(&a)) {
    return *x == std::get<int64_t>(b);
  }
  if (const auto* x = std::get_if<std::string>(&a)) {
    return *x == std::get<std::string>(b);
  }
  return std::get<std::vector<int64_t>>(a) == std::get<std::vector<int64_t>>(b);
}

std::string AttributeText(const Attribute& attribute) {
  if (const auto* x = std::get_if<int64_t>(&attribute)) {
    return std::to_string(*x);
  }
  if (const auto* x = std::get_if<double>(&attribute)) return Number(*x, 7);
  if (const auto* x = std::get_if<std::string>(&attribute)) return Quoted(*x);
  if (const auto* x = std::get_if<std::vector<int64_t>>(&attribute)) {
    return ListText(*x);
  }
  if (const auto* x = std::get_if<std::vector<double>>(&attribute)) {
    return ListText(*x);
  }
  return ArrayText(std::get<Array>(attribute));
}

}  // namespace rebasin
