// Runs an ONNX model on LibTorch and compares with what PyTorch made of it.
//
// usage: nn_compare MODEL.onnx EXPECTED.safetensors
//
// EXPECTED holds "input" and "output", "factors" (the loss is the sum of the
// output times these) and for each parameter NAME its gradient as "grad.NAME".
// scripts/compare-pytorch writes both files.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "nn/network.h"
#include "nn/tensors.h"
#include "onnx/onnx.h"
#include "rebasin/checkpoint.h"

namespace rebasin::nn {
namespace {

constexpr double kOutputTolerance = 1e-5;
constexpr double kGradientTolerance = 1e-4;

at::Tensor Floats(const Tensor& tensor) {
  at::Tensor copy = at::empty(tensor.shape, at::kFloat);
  CopyNumbers(tensor, copy);
  return copy;
}

at::Tensor Find(const Checkpoint& expected, const std::string& name) {
  const Tensor* tensor = expected.Find(name);
  if (tensor == nullptr)
    throw Error(ErrorCode::kBadInput, name + " is missing");
  return Floats(*tensor);
}

// The largest difference, relative to the largest number expected.
double Difference(const at::Tensor& found, const at::Tensor& expected) {
  const double scale = expected.abs().max().item<double>();
  return (found - expected).abs().max().item<double>() /
         (scale > 0 ? scale : 1);
}

struct Verdict {
  double output = 0;
  double gradient = 0;
  std::string worst;     // the parameter of that gradient
  size_t gradients = 0;  // compared
  size_t wanted = 0;     // there to be compared
};

Verdict Compare(const std::string& model_path, const std::string& path) {
  const Checkpoint expected = Checkpoint::Open(path);
  const OnnxModel model = ReadOnnx(model_path);
  const auto graph = std::make_shared<const Graph>(model.graph);
  std::vector<at::Tensor> weights, trained;
  std::vector<std::string> names;
  for (ValueId id : graph->weights()) {
    const std::string& name = graph->values()[id].name;
    weights.push_back(Floats(*model.weights.Find(name)));
    if (expected.Find("grad." + name) == nullptr) continue;
    names.push_back(name);
    trained.push_back(weights.back().requires_grad_());
  }
  const at::Tensor input = Find(expected, "input");
  const at::Tensor output = Network(graph).Run(weights, {{input}})[0];
  const at::Tensor loss = (output * Find(expected, "factors")).sum();
  const auto gradients = torch::autograd::grad({loss}, trained);
  Verdict verdict;
  verdict.output = Difference(output.detach(), Find(expected, "output"));
  verdict.gradients = names.size();
  for (const Tensor& tensor : expected.tensors()) {
    verdict.wanted += tensor.name.starts_with("grad.");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const double difference =
        Difference(gradients[i], Find(expected, "grad." + names[i]));
    if (difference < verdict.gradient) continue;
    verdict.gradient = difference;
    verdict.worst = names[i];
  }
  return verdict;
}

int Main(const std::string& model, const std::string& expected) {
  const Verdict verdict = Compare(model, expected);
  std::printf("%s: output %.1e, %zu of %zu gradients %.1e (%s)\n",
              model.c_str(), verdict.output, verdict.gradients, verdict.wanted,
              verdict.gradient, verdict.worst.c_str());
  const bool same = verdict.output <= kOutputTolerance &&
                    verdict.gradient <= kGradientTolerance &&
                    verdict.gradients == verdict.wanted;
  return same ? 0 : 1;
}

}  // namespace
}  // namespace rebasin::nn

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODEL.onnx EXPECTED.safetensors\n",
                 argv[0]);
    return 2;
  }
  try {
    return rebasin::nn::Main(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
