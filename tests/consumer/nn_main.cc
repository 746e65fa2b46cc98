// A program of somebody else's that runs networks: evaluates a small one with
// the installed component nn. No header of LibTorch is needed.

#include <rebasin/error.h>
#include <rebasin/nn/align.h>
#include <rebasin/nn/evaluate.h>
#include <rebasin/zoo.h>

#include <memory>
#include <vector>

namespace {

using Floats = std::vector<float>;

// Two inputs, and the larger one is the class.
rebasin::Dataset Examples() {
  return {"examples", {2}, Floats{2, 1, 0, 3, 5, 4}, {0, 1, 0}, 2};
}

rebasin::Checkpoint Network() {
  return rebasin::Checkpoint(
      {rebasin::MakeTensor("fc1.weight", {2, 2}, Floats{1, 0, 0, 1}),
       rebasin::MakeTensor("fc1.bias", {2}, Floats{0, 0}),
       rebasin::MakeTensor("fc2.weight", {2, 2}, Floats{1, 0, 0, 1}),
       rebasin::MakeTensor("fc2.bias", {2}, Floats{0, 0})});
}

}  // namespace

int main() {
  const rebasin::Checkpoint network = Network();
  const auto graph = std::make_shared<const rebasin::Graph>(
      rebasin::ZooGraph("mlp:depth=1,width=2,in=2,out=2"));
  const rebasin::Evaluation all =
      rebasin::Evaluate(graph, network, Examples(), {}, {.threads = 1});
  return all.accuracy == 1.0 ? 0 : 1;
}
