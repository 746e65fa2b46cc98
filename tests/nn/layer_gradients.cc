#include "nn/gradient_cases.h"

namespace rebasin::testing {
namespace {

std::vector<GradientCase> Products() {
  return {
      {"MatMul", {Random({3, 4}), Random({4, 2})}},
      {"MatMul", {Random({2, 1, 3, 4}), Random({5, 4, 2})}},
      {"MatMul", {Random({4}), Random({4, 2})}},
      {"Gemm", {Random({3, 4}), Random({4, 2})}, {{"alpha", 0.5}}},
      {"Gemm",
       {Random({3, 4}), Random({2, 4}), Random({2})},
       {{"transB", int64_t{1}}}},
      {"Gemm",
       {Random({4, 3}), Random({4, 2}), Random({3, 1})},
       {{"transA", int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}},
      {"Einsum",
       {Random({2, 3, 4}), Random({2, 4, 3})},
       {{"equation", std::string("bij,bjk->bik")}}},
      {"Einsum",
       {Random({3, 3}), Random({3})},
       {{"equation", std::string("ii,i->")}}},
  };
}

std::vector<GradientCase> Convolutions() {
  return {
      {"Conv", {Random({2, 3, 5}), Random({4, 3, 2}), Random({4})}},
      {"Conv",
       {Random({1, 4, 5, 6}), Random({4, 2, 3, 2})},
       {{"group", int64_t{2}},
        {"pads", List({1, 0, 1, 0})},
        {"strides", List({2, 1})}}},
      {"Conv",
       {Random({1, 2, 5, 6}), Random({2, 2, 3, 2})},
       {{"pads", List({0, 1, 2, 0})}, {"dilations", List({1, 2})}}},
      {"ConvTranspose",
       {Random({1, 2, 3, 3}), Random({2, 2, 3, 2}), Random({4})},
       {{"group", int64_t{2}},
        {"strides", List({2, 2})},
        {"pads", List({1, 0, 1, 0})},
        {"output_padding", List({1, 1})}}},
      {"ConvTranspose",
       {Random({1, 2, 4}), Random({2, 3, 3}), Random({3})},
       {{"strides", List({2})}, {"pads", List({0, 2})}}},
  };
}

std::vector<GradientCase> Pools() {
  const Attributes window = {{"kernel_shape", List({3, 2})},
                             {"strides", List({2, 1})},
                             {"pads", List({1, 0, 1, 0})}};
  const Attributes uneven = {{"kernel_shape", List({3, 2})},
                             {"dilations", List({1, 2})},
                             {"pads", List({0, 1, 2, 0})}};
  std::vector<GradientCase> cases;
  for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
    cases.push_back({op, {Random({2, 2, 5, 4})}, window});
    cases.push_back({op, {Random({1, 2, 5, 4})}, uneven});
  }
  for (const char* op :
       {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) {
    cases.push_back({op, {Random({2, 2, 3, 4})}});
  }
  return cases;
}

std::vector<GradientCase> Norms() {
  const Array image = Random({2, 4, 3, 2});
  return {
      {"InstanceNormalization", {image, Random({4}), Random({4})}},
      {"GroupNormalization",
       {image, Random({4}), Random({4})},
       {{"num_groups", int64_t{2}}}},
      {"GroupNormalization",
       {image, Random({2}), Random({2})},
       {{"num_groups", int64_t{2}}}},
      {"LayerNormalization", {image, Random({2}), Random({2})}},
      {"LayerNormalization",
       {image, Random({3, 1})},
       {{"axis", int64_t{2}}},
       3},
      {"MeanVarianceNormalization", {image}},
      {"LRN", {image}, {{"size", int64_t{3}}, {"alpha", 0.3}}},
      {"LpNormalization", {image}, {{"axis", int64_t{1}}}},
      {"LpNormalization", {image}, {{"p", int64_t{1}}}},
      {"Softmax", {image}, {{"axis", int64_t{1}}}},
      {"LogSoftmax", {image}},
  };
}

// `gates` blocks of 3 rows, for inputs of size 2.
GradientCase Recurrent(const std::string& op, int64_t gates, int64_t directions,
                       Attributes attributes) {
  const int64_t rows = gates * 3;
  std::vector<Arg> inputs = {Random({4, 2, 2}),
                             Random({directions, rows, 2}),
                             Random({directions, rows, 3}),
                             Random({directions, 2 * rows}),
                             kNone,
                             Random({directions, 2, 3})};
  if (op == "LSTM") inputs.push_back(Random({directions, 2, 3}));
  return {op, inputs, std::move(attributes), op == "LSTM" ? 3 : 2};
}

std::vector<GradientCase> Recurrences() {
  const Attribute both = std::string("bidirectional");
  return {
      Recurrent("RNN", 1, 1, {{"direction", std::string("reverse")}}),
      Recurrent("GRU", 3, 2, {{"direction", both}}),
      Recurrent("GRU", 3, 1, {{"linear_before_reset", int64_t{1}}}),
      Recurrent("LSTM", 4, 2, {{"direction", both}}),
      Recurrent("LSTM", 4, 1,
                {{"activations", std::string("Tanh,Sigmoid,Tanh")}}),
  };
}

}  // namespace

std::vector<GradientCase> LayerGradients() {
  std::vector<GradientCase> cases;
  for (const auto& family :
       {Products(), Convolutions(), Pools(), Norms(), Recurrences()}) {
    cases.insert(cases.end(), family.begin(), family.end());
  }
  return cases;
}

}  // namespace rebasin::testing
