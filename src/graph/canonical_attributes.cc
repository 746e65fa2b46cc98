#include "graph/canonical_attributes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "graph/same_array.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// A default of an operator, or of all that have the attribute (no `op`). A
// list has its default if all of its elements are this number.
struct NumberDefault {
  std::string_view op;
  std::string_view attribute;
  float number;
};

constexpr NumberDefault kNumbers[] = {
    {"", "strides", 1},
    {"", "dilations", 1},
    {"", "pads", 0},
    {"", "output_padding", 0},
    {"", "group", 1},
    {"", "ceil_mode", 0},
    {"", "storage_order", 0},
    {"", "count_include_pad", 0},
    {"", "keepdims", 1},
    {"", "noop_with_empty_axes", 0},
    {"", "select_last_index", 0},
    {"", "allowzero", 0},
    {"", "layout", 0},
    {"", "saturate", 1},
    {"", "batch_dims", 0},
    {"ArgMax", "axis", 0},
    {"ArgMin", "axis", 0},
    {"BatchNormalization", "epsilon", 1e-5f},
    {"Celu", "alpha", 1},
    {"CumSum", "exclusive", 0},
    {"CumSum", "reverse", 0},
    {"DequantizeLinear", "axis", 1},
    {"Elu", "alpha", 1},
    {"Flatten", "axis", 1},
    {"GRU", "linear_before_reset", 0},
    {"Gather", "axis", 0},
    {"GatherElements", "axis", 0},
    {"Gemm", "alpha", 1},
    {"Gemm", "beta", 1},
    {"Gemm", "transA", 0},
    {"Gemm", "transB", 0},
    {"GroupNormalization", "epsilon", 1e-5f},
    {"HardSigmoid", "alpha", 0.2f},
    {"HardSigmoid", "beta", 0.5f},
    {"Hardmax", "axis", -1},
    {"InstanceNormalization", "epsilon", 1e-5f},
    {"LRN", "alpha", 1e-4f},
    {"LRN", "beta", 0.75f},
    {"LRN", "bias", 1},
    {"LSTM", "input_forget", 0},
    {"LayerNormalization", "axis", -1},
    {"LayerNormalization", "epsilon", 1e-5f},
    {"LeakyRelu", "alpha", 0.01f},
    {"LogSoftmax", "axis", -1},
    {"LpNormalization", "axis", -1},
    {"LpNormalization", "p", 2},
    {"Mod", "fmod", 0},
    {"OneHot", "axis", -1},
    {"QuantizeLinear", "axis", 1},
    {"Resize", "antialias", 0},
    {"Resize", "cubic_coeff_a", -0.75f},
    {"Resize", "exclude_outside", 0},
    {"Resize", "extrapolation_value", 0},
    {"ScatterElements", "axis", 0},
    {"Selu", "alpha", 1.67326319217681884765625f},
    {"Selu", "gamma", 1.05070102214813232421875f},
    {"Shape", "start", 0},
    {"Softmax", "axis", -1},
    {"Split", "axis", 0},
    {"ThresholdedRelu", "alpha", 1},
    {"TopK", "axis", -1},
    {"TopK", "largest", 1},
    {"TopK", "sorted", 1},
    {"Trilu", "upper", 1},
};

struct WordDefault {
  std::string_view op;
  std::string_view attribute;
  std::string_view word;
};

constexpr WordDefault kWords[] = {
    {"", "auto_pad", "NOTSET"},
    {"", "direction", "forward"},
    {"", "reduction", "none"},
    {"DepthToSpace", "mode", "DCR"},
    {"Gelu", "approximate", "none"},
    {"Pad", "mode", "constant"},
    {"Resize", "coordinate_transformation_mode", "half_pixel"},
    {"Resize", "keep_aspect_ratio_policy", "stretch"},
    {"Resize", "mode", "nearest"},
    {"Resize", "nearest_mode", "round_prefer_floor"},
};

bool AllAre(const Attribute& attribute, float number) {
  const auto same = [&](auto x) { return static_cast<float>(x) == number; };
  if (const auto* x = std::get_if<int64_t>(&attribute)) return same(*x);
  if (const auto* x = std::get_if<double>(&attribute)) return same(*x);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return std::all_of(list->begin(), list->end(), same);
  }
  return false;
}

bool HasDefault(std::string_view op, std::string_view name,
                const Attribute& attribute) {
  const auto speaks = [&](const auto& row) {
    return row.attribute == name && (row.op.empty() || row.op == op);
  };
  if (const auto* word = std::get_if<std::string>(&attribute)) {
    return std::any_of(
        std::begin(kWords), std::end(kWords),
        [&](const auto& row) { return speaks(row) && row.word == *word; });
  }
  return std::any_of(std::begin(kNumbers), std::end(kNumbers),
                     [&](const auto& row) {
                       return speaks(row) && AllAre(attribute, row.number);
                     });
}

bool SaysNothing(std::string_view op, std::string_view name) {
  if (name == "stash_type") return true;
  return name == "kernel_shape" && (op == "Conv" || op == "ConvTranspose");
}

// Which of ONNX's element types a Cast makes is a question of precision, but
// for the kind.
int64_t KindOfElements(int64_t type) {
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
    if (SaysNothing(node.op, name) || HasDefault(node.op, name, attribute)) {
      continue;
    }
    const auto* type = std::get_if<int64_t>(&attribute);
    const bool is_type = node.op == "Cast" && name == "to" && type != nullptr;
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
