#include "lab/square_networks.h"

#include <algorithm>
#include <string>

#include "rebasin/tensor.h"

namespace rebasin::lab {
namespace {

constexpr size_t kLayers = 3;

std::string Name(size_t layer, const char* part) {
  return "fc" + std::to_string(layer + 1) + part;
}

std::vector<float> Values(const Checkpoint& model, const std::string& name) {
  const Tensor& tensor = *model.Find(name);
  std::vector<float> values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

Tensor Vector(const std::string& name, const std::vector<float>& values) {
  return MakeTensor(name, {static_cast<int64_t>(values.size())}, values);
}

Checkpoint MakeNetwork(const std::vector<float>& w1,
                       const std::vector<float>& b1,
                       const std::vector<float>& w2,
                       const std::vector<float>& b2) {
  return Checkpoint(
      {MakeTensor("fc1.weight", {2, 2}, w1), Vector("fc1.bias", b1),
       MakeTensor("fc2.weight", {2, 2}, w2), Vector("fc2.bias", b2),
       MakeTensor("fc3.weight", {1, 2}, std::vector<float>{-1, -1}),
       Vector("fc3.bias", {0})});
}

// The unit of a network that a unit of a wider one stands for, or none; and the
// share of the outgoing weights that it has.
struct Source {
  size_t unit = 0;
  float share = 0;  // 0: a dead unit
};

// Rebuilds a network with these units in each hidden layer.
Checkpoint Rebuilt(const Checkpoint& network,
                   const std::vector<Source>& hidden) {
  const auto old = static_cast<int64_t>(network.Find("fc1.bias")->size());
  std::vector<Tensor> tensors;
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const Tensor& shape = *network.Find(Name(layer, ".weight"));
    const auto weights = Values(network, Name(layer, ".weight"));
    const auto biases = Values(network, Name(layer, ".bias"));
    const std::vector<Source> whole = {{0, 1}, {1, 1}};
    const auto& inputs = layer == 0 ? whole : hidden;
    const auto outputs =
        layer + 1 == kLayers ? std::vector<Source>{{0, 1}} : hidden;
    const auto columns = static_cast<size_t>(layer == 0 ? 2 : old);
    std::vector<float> w, b;
    for (const Source& out : outputs) {
      const bool alive = out.share > 0;
      b.push_back(alive ? biases[out.unit] : 0);
      for (const Source& in : inputs) {
        w.push_back(alive ? in.share * weights[out.unit * columns + in.unit]
                          : 0);
      }
    }
    tensors.push_back(MakeTensor(shape.name,
                                 {static_cast<int64_t>(outputs.size()),
                                  static_cast<int64_t>(inputs.size())},
                                 w));
    tensors.push_back(Vector(Name(layer, ".bias"), b));
  }
  return Checkpoint(std::move(tensors));
}

}  // namespace

Checkpoint SquareNetworkA() {
  return MakeNetwork({-1, 0, 0, -1}, {1, 0}, {-1, 0, 0, 1}, {1, 0});
}

Checkpoint SquareNetworkB() {
  return MakeNetwork({1, 0, 0, 1}, {0, 1}, {1, 0, 0, -1}, {0, 1});
}

Checkpoint WithCopies(const Checkpoint& network, int copies) {
  std::vector<Source> hidden;
  for (const size_t unit : {0, 1}) {
    for (int copy = 0; copy < copies; ++copy) {
      hidden.push_back({unit, 1.0F / static_cast<float>(copies)});
    }
  }
  return Rebuilt(network, hidden);
}

Checkpoint WithDeadUnits(const Checkpoint& network, int more) {
  std::vector<Source> hidden = {{0, 1}, {1, 1}};
  hidden.resize(hidden.size() + static_cast<size_t>(more));
  return Rebuilt(network, hidden);
}

SquareFunction::SquareFunction(const Checkpoint& network) {
  for (size_t layer = 0; layer < kLayers; ++layer) {
    weights_[layer] = Values(network, Name(layer, ".weight"));
    biases_[layer] = Values(network, Name(layer, ".bias"));
  }
}

double SquareFunction::operator()(const std::array<double, 2>& x) const {
  std::vector<double> values(x.begin(), x.end());
  for (size_t layer = 0; layer < kLayers; ++layer) {
    std::vector<double> next;
    for (size_t i = 0; i < biases_[layer].size(); ++i) {
      double sum = biases_[layer][i];
      for (size_t j = 0; j < values.size(); ++j) {
        sum += weights_[layer][i * values.size() + j] * values[j];
      }
      next.push_back(layer + 1 < kLayers ? std::max(sum, 0.0) : sum);
    }
    values = std::move(next);
  }
  return values[0];
}

double SquareCoordinate(int cell, int cells) {
  return (2.0 * cell + 1) / cells - 1;
}

double SquareErrors(const Checkpoint& network) {
  const SquareFunction f(network);
  int wrong = 0;
  for (int r = 0; r < kSquareCells; ++r) {
    for (int c = 0; c < kSquareCells; ++c) {
      const double x = SquareCoordinate(c), y = SquareCoordinate(r);
      wrong += (f({x, y}) >= 0) != (x < 0 && y > 0) ? 1 : 0;
    }
  }
  return static_cast<double>(wrong) / (kSquareCells * kSquareCells);
}

}  // namespace rebasin::lab
