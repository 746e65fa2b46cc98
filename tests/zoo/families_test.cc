// Every family of models: its graph from config.json against the names, shapes
// and outputs of its own code, which scripts/compare-transformers wrote to
// tests/zoo/families, and its symmetries against a count by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/checkpoint_builder.h"
#include "graph/interpreter.h"
#include "rebasin/discovery.h"
#include "rebasin/model.h"
#include "rebasin/zoo.h"
#include "support/temp_dir.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Elements;
using testing::ScatteredInput;
using testing::ScatteredWeight;

json ReadFixture(const std::string& name) {
  std::ifstream file(fs::path(FAMILIES_FOLDER) / (name + ".json"));
  return json::parse(file);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(FAMILIES_FOLDER)) {
    names.push_back(file.path().stem().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Tensor MakeTensor(const std::string& name, const Shape& shape) {
  const Array values = ScatteredWeight(name, shape);
  auto bytes = std::make_shared<std::vector<float>>(values.values().begin(),
                                                    values.values().end());
  return {.name = name,
          .dtype = DType::kF32,
          .shape = shape,
          .bytes = std::as_bytes(std::span<const float>(*bytes)),
          .owner = bytes};
}

// The folder of a tiny model.
class FamilyTest : public ::testing::TestWithParam<std::string> {
 protected:
  FamilyTest() : fixture_(ReadFixture(GetParam())) {
    folder_.Write("config.json", fixture_.at("config").dump());
    CheckpointBuilder builder;
    for (const auto& [name, shape] : fixture_.at("tensors").items()) {
      builder.AddTensor(MakeTensor(name, shape.get<Shape>()));
    }
    SaveCheckpoint(builder.Build(), folder_ / "model.safetensors",
                   {.sync = false});
  }

  Model Open() const { return OpenModel(folder_.path()); }

  // log10 of the product of n!^times over all rows.
  double CountedLog10() const {
    double sum = 0;
    for (const auto& [what, row] : fixture_.at("count").items()) {
      sum += row[1].get<double>() * std::lgamma(row[0].get<double>() + 1);
    }
    return sum / std::log(10);
  }

  int64_t LimitOf(const std::string& input) const {
    const json& config = fixture_.at("config");
    if (fixture_.contains("limits") && fixture_["limits"].contains(input)) {
      return fixture_["limits"][input];
    }
    return config.value("vocab_size", int64_t{2});
  }

  std::vector<Array> Run(const Model& model) const {
    std::vector<Array> inputs;
    std::vector<Shape> shapes;
    for (const ValueId id : model.graph()->inputs()) {
      const Value& input = model.graph()->values()[id];
      inputs.push_back(ScatteredInput(input, LimitOf(input.name)));
      shapes.push_back(inputs.back().shape);
    }
    return RunGraph(*model.graph(), Infer(*model.graph(), shapes), inputs,
                    [](const Value& weight) {
                      return ScatteredWeight(weight.name, weight.shape);
                    });
  }

  const json fixture_;
  const TempDir folder_;
};

TEST_P(FamilyTest, IsRecognisedByItsConfig) {
  const Model model = Open();
  const json& config = fixture_.at("config");
  const bool diffusers = config.contains("_class_name");
  EXPECT_EQ(model.structure.name,
            config.at(diffusers ? "_class_name" : "model_type"));
  EXPECT_EQ(model.structure.evidence,
            (std::vector<std::string>{"config.json"}));
}

TEST_P(FamilyTest, HasAsManySymmetriesAsCountedByHand) {
  const double counted = CountedLog10();
  EXPECT_NEAR(Open().symmetry()->Log10Order(), counted, 1e-9 * counted);
}

TEST_P(FamilyTest, ComputesWhatItsOwnCodeComputes) {
  const std::vector<Array> outputs = Run(Open());
  const json& expected = fixture_.at("outputs");
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t o = 0; o < outputs.size(); ++o) {
    double sum = 0;
    for (double value : outputs[o].values()) sum += std::fabs(value);
    const double size = sum / static_cast<double>(outputs[o].size());
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(outputs[o].values().at(i), expected[o][i].get<double>(),
                  1e-5 * (1 + size));
    }
    EXPECT_NEAR(sum, expected[o][3].get<double>(), 1e-5 * sum);
  }
}

TEST_P(FamilyTest, ComputesTheSameWhenPermuted) {
  const Model model = Open();
  const Alignment element = Alignment::Random(model.symmetry(), 7);
  EXPECT_TRUE(VerifyModel(model, {&element, 1}).proved());
}

INSTANTIATE_TEST_SUITE_P(All, FamilyTest, ::testing::ValuesIn(Names()),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace rebasin
