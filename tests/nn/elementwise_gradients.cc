#include "nn/gradient_cases.h"

namespace rebasin::testing {

std::vector<GradientCase> ElementwiseGradients() {
  std::vector<GradientCase> cases;
  for (const char* op : {"Relu",        "Sigmoid",  "HardSwish",
                         "Tanh",        "Softplus", "Softsign",
                         "Mish",        "Erf",      "Exp",
                         "Reciprocal",  "Abs",      "Neg",
                         "Sign",        "Floor",    "Ceil",
                         "Round",       "Sin",      "Cos",
                         "Tan",         "Atan",     "Sinh",
                         "Cosh",        "Asinh",    "LeakyRelu",
                         "Elu",         "Celu",     "Selu",
                         "HardSigmoid", "Gelu",     "com.microsoft::Gelu",
                         "Identity",    "Dropout"}) {
    cases.push_back({op, {Random({3, 4}, -3, 3)}});
  }
  for (const char* op : {"Log", "Sqrt"}) {
    cases.push_back({op, {Random({3, 4}, 0.5, 3)}});
  }
  for (const char* op : {"Asin", "Acos", "Atanh"}) {
    cases.push_back({op, {Random({3, 4}, -0.9, 0.9)}});
  }
  for (const char* op : {"Add", "Sub", "Mul", "Sum", "Min", "Max", "Mean"}) {
    cases.push_back({op, {Random({3, 1, 4}), Random({2, 1})}});
  }
  const std::vector<GradientCase> others = {
      {"Acosh", {Random({6}, 1.5, 3)}},
      {"LeakyRelu", {Random({9})}, {{"alpha", 0.3}}},
      {"Elu", {Random({9}, -2, 2)}, {{"alpha", 0.7}}},
      {"Celu", {Random({9}, -2, 2)}, {{"alpha", 0.7}}},
      {"Selu", {Random({9}, -2, 2)}, {{"alpha", 1.5}, {"gamma", 2.0}}},
      {"ThresholdedRelu", {Random({9}, -2, 2)}, {{"alpha", 0.5}}},
      {"HardSigmoid", {Random({9}, -4, 4)}, {{"alpha", 0.4}, {"beta", 0.3}}},
      {"Gelu", {Random({9}, -3, 3)}, {{"approximate", std::string("tanh")}}},
      {"Shrink", {Random({9}, -2, 2)}, {{"lambd", 0.6}, {"bias", 0.2}}},
      {"PRelu", {Random({2, 3, 4}), Random({3, 1})}},
      {"Div", {Random({3, 4}), Random({4}, 1, 2)}},
      {"Pow", {Random({3, 4}, 0.5, 2), Random({4})}},
      {"Pow", {Random({3, 4}), Integer(3)}},
      {"Mod", {Random({8}, 0, 9), Random({8}, 1, 2)}},
      {"Mod", {Random({8}, 0, 9), Random({8}, 1, 2)}, {{"fmod", int64_t{1}}}},
      {"Where",
       {MakeArray(Kind::kBoolean, {3}, {0, 1, 0}), Random({2, 3}),
        Random({3})}},
      {"Cast", {Random({3})}, {{"to", int64_t{11}}}},
      {"CastLike", {Random({3}), Random({1})}},
      {"Clip", {Random({12}), Random({}, -0.5, -0.4), Random({}, 0.4, 0.5)}},
      {"Trilu", {Random({2, 3, 4}), Integer(1)}},
      {"Trilu", {Random({3, 4})}, {{"upper", int64_t{0}}}},
  };
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

}  // namespace rebasin::testing
