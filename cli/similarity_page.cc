#include "cli/similarity_page.h"

#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"
#include "cli/match_report.h"
#include "lab/blocks.h"

namespace rebasin::cli {
namespace {

using lab::NumberCell;

// With more layers, the table of them is folded away behind one of stages.
constexpr size_t kMaxLayers = 30;

// One layer, or all layers of a stage.
struct Similarity {
  std::string name, stage;
  int64_t layers = 1;
  double dot_before = 0, dot_after = 0;
  double square_a = 0, square_b = 0;  // of the norms

  double Before() const { return Share(dot_before); }
  double After() const { return Share(dot_after); }

 private:
  double Share(double dot) const {
    return Cosine(dot, std::sqrt(square_a), std::sqrt(square_b));
  }
};

std::vector<std::string> WordsOf(const std::string& name) {
  std::vector<std::string> words = {""};
  for (const char c : name) {
    if (c == '.' || c == '/') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool HasDigit(const std::string& word) {
  return word.find_first_of("0123456789") != std::string::npos;
}

std::string Joined(const std::vector<std::string>& words, size_t count) {
  std::string text;
  for (size_t w = 0; w < count; ++w) text += (w == 0 ? "" : ".") + words[w];
  return text;
}

std::vector<Similarity> LayersOf(const MatchReport& report,
                                 const Symmetry& symmetry) {
  std::map<std::string, size_t> axes;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    axes[tensor.name] = tensor.axes.size();
  }
  std::vector<Similarity> layers;
  for (const TensorMatch& tensor : report.tensors) {
    const auto found = axes.find(tensor.name);
    if (found == axes.end() || found->second < 2) continue;
    layers.push_back({.name = tensor.name,
                      .stage = StageOf(tensor.name),
                      .dot_before = tensor.dot_before,
                      .dot_after = tensor.dot_after,
                      .square_a = tensor.norm_a * tensor.norm_a,
                      .square_b = tensor.norm_b * tensor.norm_b});
  }
  return layers;
}

// Layers that follow each other in one stage, as one.
std::vector<Similarity> StagesOf(const std::vector<Similarity>& layers) {
  std::vector<Similarity> stages;
  for (const Similarity& layer : layers) {
    const bool joins = !stages.empty() && !layer.stage.empty() &&
                       stages.back().stage == layer.stage;
    if (!joins) {
      stages.push_back(layer);
      if (!layer.stage.empty()) stages.back().name = layer.stage;
      continue;
    }
    Similarity& stage = stages.back();
    ++stage.layers;
    stage.dot_before += layer.dot_before;
    stage.dot_after += layer.dot_after;
    stage.square_a += layer.square_a;
    stage.square_b += layer.square_b;
  }
  return stages;
}

Cell CosineCell(double cosine) { return {Fixed(cosine, 3), cosine}; }

Cell RangeCell(const Similarity& row) {
  Cell cell("");
  cell.bar = Bar{.begin = row.Before(), .end = row.After(), .dots = true};
  return cell;
}

DataTable StageTable(const std::vector<Similarity>& stages) {
  DataTable table{
      .name = "stages",
      .caption =
          "By stage: cosine similarity of A and B, not "
          "aligned (ring) and aligned (dot)",
      .columns = {"stage", "weights", "not aligned", "aligned", "0 to 1"}};
  for (const Similarity& stage : stages) {
    table.rows.push_back({stage.name,
                          NumberCell(static_cast<double>(stage.layers), 9),
                          CosineCell(stage.Before()), CosineCell(stage.After()),
                          RangeCell(stage)});
  }
  return table;
}

DataTable LayerTable(const std::vector<Similarity>& layers) {
  DataTable table{.name = "layers",
                  .caption =
                      "By layer: cosine similarity of A and B, not "
                      "aligned (ring) and aligned (dot)",
                  .columns = {"", "weight", "not aligned", "aligned", "0 to 1"},
                  .folded = layers.size() > kMaxLayers};
  for (size_t i = 0; i < layers.size(); ++i) {
    table.rows.push_back({NumberCell(static_cast<double>(i + 1), 9),
                          layers[i].name, CosineCell(layers[i].Before()),
                          CosineCell(layers[i].After()), RangeCell(layers[i])});
  }
  return table;
}

void AddPoint(Series& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

// The lines are interrupted between stages.
Plot LayerPlot(const std::vector<Similarity>& layers) {
  constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
  Series before{.name = "not aligned"};
  Series after{.name = "aligned", .emphasis = true};
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto x = static_cast<double>(i + 1);
    if (i > 0 && layers[i].stage != layers[i - 1].stage) {
      AddPoint(before, x, kGap);
      AddPoint(after, x, kGap);
    }
    AddPoint(before, x, layers[i].Before());
    AddPoint(after, x, layers[i].After());
  }
  return {.name = "similarity",
          .caption =
              "The cosine between the weights of both models, layer by "
              "layer; biases and norms are left out. Lines end where a "
              "stage of the network ends.",
          .figure = {.title = "Layer by layer",
                     .panels = {{.x_label = "layer",
                                 .y_label = "cosine similarity",
                                 .series = {before, after}}}}};
}

}  // namespace

std::string StageOf(const std::string& weight) {
  const std::vector<std::string> words = WordsOf(weight);
  if (words.size() < 2) return "";
  // The last word is the parameter, the one before it the layer.
  const size_t layer = words.size() - 2;
  for (size_t w = 0; w < layer; ++w) {
    if (HasDigit(words[w])) return Joined(words, w + 1);
  }
  return Joined(words, layer);
}

std::vector<Block> SimilarityBlocks(const MatchReport& report,
                                    const Symmetry& symmetry) {
  const std::vector<Similarity> layers = LayersOf(report, symmetry);
  if (layers.empty()) return {};
  const std::vector<Similarity> stages = StagesOf(layers);
  std::vector<Block> blocks = {LayerPlot(layers)};
  if (stages.size() < layers.size()) blocks.push_back(StageTable(stages));
  blocks.push_back(LayerTable(layers));
  return blocks;
}

}  // namespace rebasin::cli
