#include "nn/gradient_cases.h"

namespace rebasin::testing {
namespace {

std::vector<GradientCase> Reductions() {
  std::vector<GradientCase> cases;
  for (const char* op :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
        "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"}) {
    cases.push_back({op,
                     {Random({2, 3, 4}), Integers({0, -1})},
                     {{"keepdims", int64_t{0}}}});
  }
  cases.push_back({"ReduceLogSum", {Random({2, 3}, 1, 2), Integers({1})}});
  cases.push_back(
      {"ReduceL2", {Random({2, 3})}, {{"noop_with_empty_axes", int64_t{1}}}});
  cases.push_back({"CumSum", {Random({2, 3}), Integer(1)}});
  cases.push_back({"CumSum",
                   {Random({2, 3}), Integer(0)},
                   {{"exclusive", int64_t{1}}, {"reverse", int64_t{1}}}});
  cases.push_back({"TopK", {Random({3, 5}), Integers({2})}, {}, 2});
  return cases;
}

std::vector<GradientCase> Shapes() {
  const Array image = Random({1, 4, 2, 2});
  return {
      {"Reshape", {Random({2, 6}), Integers({3, -1})}},
      {"ReverseSequence", {Random({3, 2, 2}), Integers({3, 2})}},
      {"Flatten", {Random({2, 3, 2})}},
      {"Squeeze", {Random({2, 1, 3}), Integers({1})}},
      {"Unsqueeze", {Random({2, 3}), Integers({1})}},
      {"Expand", {Random({2, 1}), Integers({3, 1, 4})}},
      {"Transpose", {Random({2, 3, 4})}, {{"perm", List({1, 2, 0})}}},
      {"Tile", {Random({2, 3}), Integers({2, 3})}},
      {"DepthToSpace", {image}, {{"blocksize", int64_t{2}}}},
      {"DepthToSpace",
       {image},
       {{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}}},
      {"SpaceToDepth", {image}, {{"blocksize", int64_t{2}}}},
      {"Concat", {Random({2, 1}), Random({2, 3})}, {{"axis", int64_t{1}}}},
      {"Split", {Random({2, 5}), Integers({2, 3})}, {{"axis", int64_t{1}}}, 2},
      {"Slice",
       {Random({5, 6}), Integers({1, 5}), Integers({4, 0}), Integers({0, 1}),
        Integers({2, -2})}},
      {"Pad", {Random({3}), Integers({2, 1}), Random({})}},
      {"Pad", {Random({3, 4}), Integers({1, -1, 0, 2})}},
  };
}

std::vector<GradientCase> Pads() {
  std::vector<GradientCase> cases;
  for (const char* mode : {"reflect", "edge", "wrap"}) {
    cases.push_back({"Pad",
                     {Random({3, 4}), Integers({2, 1, 1, 3})},
                     {{"mode", std::string(mode)}}});
  }
  return cases;
}

std::vector<GradientCase> Places() {
  const Array points = Integers({2, 2}, {2, 1, 0, -1});
  std::vector<GradientCase> cases = {
      {"Gather", {Random({4, 3}), Integers({2, 2}, {0, -1, 2, 2})}},
      {"Gather", {Random({4, 3}), Integers({2, 0})}, {{"axis", int64_t{1}}}},
      {"Gather", {Random({4, 3}), Integer(-1)}, {{"axis", int64_t{1}}}},
      {"GatherElements",
       {Random({3, 3}), Integers({2, 2}, {0, -1, 2, 2})},
       {{"axis", int64_t{1}}}},
      {"GatherND", {Random({3, 4}), points}},
      {"GatherND",
       {Random({2, 3, 4}), Integers({2, 1}, {2, -1})},
       {{"batch_dims", int64_t{1}}}},
      {"OneHot", {Integers({1, -1, 7}), Integer(4), Random({2})}},
  };
  for (const char* how : {"none", "add", "mul", "max", "min"}) {
    const Attributes attributes = {{"reduction", std::string(how)}};
    cases.push_back(
        {"ScatterElements",
         {Random({3, 3}), Integers({2, 2}, {0, 1, 2, 2}), Random({2, 2})},
         attributes});
    cases.push_back(
        {"ScatterND", {Random({3, 4}), points, Random({2})}, attributes});
  }
  return cases;
}

std::vector<GradientCase> Resizes() {
  std::vector<GradientCase> cases;
  const auto add = [&](const std::string& mode, const std::string& coordinates,
                       std::vector<double> sizes) {
    Shape shape = {1, 2, 4, 3};
    shape.resize(sizes.size(), 3);
    cases.push_back({"Resize",
                     {Random(shape), kNone, kNone, Integers(std::move(sizes))},
                     {{"mode", mode},
                      {"nearest_mode", std::string("floor")},
                      {"coordinate_transformation_mode", coordinates}}});
  };
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* coordinates :
         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
      add(mode, coordinates, {1, 2, 8, 6});
      add(mode, coordinates, {1, 2, 6, 2});
    }
    add(mode, "half_pixel", {1, 3, 5});
  }
  return cases;
}

}  // namespace

std::vector<GradientCase> LayoutGradients() {
  std::vector<GradientCase> cases;
  for (const auto& family :
       {Reductions(), Shapes(), Pads(), Places(), Resizes()}) {
    cases.insert(cases.end(), family.begin(), family.end());
  }
  return cases;
}

}  // namespace rebasin::testing
