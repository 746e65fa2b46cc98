// Networks and data that are small enough to train in a test.

#ifndef REBASIN_TESTS_NN_SMALL_NETWORKS_H_
#define REBASIN_TESTS_NN_SMALL_NETWORKS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/nn/data.h"

namespace rebasin::testing {

using GraphPtr = std::shared_ptr<const Graph>;

// inputs -> hidden -> hidden -> classes, ReLU between: fc1, fc2, fc3.
GraphPtr SmallMlp(int64_t inputs = 6, int64_t hidden = 8, int64_t classes = 4);
// The same of one hidden layer, with a Softmax at the end.
GraphPtr MlpWithSoftmax();
// A chain of dense layers that only runs with batches of this size.
GraphPtr FixedBatchMlp(int64_t batch);
// Images [1, 8, 8]: conv1, bn1, ReLU, pooling, conv2, bn2, ReLU, the mean over
// positions, fc.
GraphPtr SmallConvNet(int64_t channels = 6, int64_t classes = 4);
// Images [1, 8, 8]: two convolutions, each followed by GroupNorm (4 groups of 3
// channels) and ReLU, the mean over positions, fc.
GraphPtr GroupNormNet();

// Floats around one mean for each class, classes in turn. The same means for
// the same shape.
Dataset Blobs(const Shape& shape, int64_t classes, int64_t size, uint64_t seed);
// The small data set that comes along.
DataSplits Digits();

// Random weights with biases and statistics that are not trivial.
Checkpoint RandomNetwork(const Graph& graph, uint64_t seed);

std::vector<double> NumbersOf(const Checkpoint& model, const std::string& name);
// The model with one tensor's numbers changed to factor * old + shift.
Checkpoint Changed(const Checkpoint& model, const std::string& name,
                   double factor, double shift = 0);
// Names and bytes of all tensors: equal if and only if the models are.
std::string BytesOf(const Checkpoint& model);
bool AllFinite(const Checkpoint& model);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_NN_SMALL_NETWORKS_H_
