// Small models for tests: symmetries of known architectures, random weights,
// and planted copies whose alignment is known.

#ifndef REBASIN_TESTS_SUPPORT_MODELS_H_
#define REBASIN_TESTS_SUPPORT_MODELS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin::testing {

using SymmetryPtr = std::shared_ptr<const Symmetry>;
using AxisTexts = std::map<std::string, std::vector<std::string>>;

SymmetryPtr MakeSymmetry(const std::vector<Group>& groups,
                         const AxisTexts& tensors);

// A chain of dense layers with biases: widths include input and output.
SymmetryPtr Mlp(const std::vector<int64_t>& widths);
// An embedding, blocks x + W2 relu(W1 x), and a head.
SymmetryPtr ResidualMlp(int blocks, int64_t width, int64_t hidden);
// 13 convolutions and a classifier, for 32x32 images.
SymmetryPtr Vgg16();
// Three stages of three residual blocks, 16, 32 and 64 channels times `width`,
// 1x1 convolutions where the width changes, norms everywhere.
SymmetryPtr ResNet20(int64_t width);
// h' = tanh(W_ih x + W_hh h), and a readout.
SymmetryPtr Recurrent(int64_t inputs, int64_t hidden, int64_t outputs);
// A transformer block: heads, qk and vo within heads, an MLP, a fixed-width
// embedding and head around it.
SymmetryPtr Attention(int64_t width, int64_t heads, int64_t head_size);
// Grouped-query attention: query heads, qk and vo dimensions within kv heads.
SymmetryPtr GroupedQueryAttention(int64_t width, int64_t kv, int64_t queries,
                                  int64_t head_size);
// Attention whose queries, keys and values lie beside each other in each head.
SymmetryPtr FusedByHead(int64_t width, int64_t heads, int64_t head_size);
SymmetryPtr TwoDirections(int64_t width, int64_t hidden);
// Each of which has tensors of its own.
SymmetryPtr ListOfExperts(int64_t width, int64_t experts, int64_t hidden);
// A grouped convolution between two 1x1 convolutions.
SymmetryPtr GroupedConvolution(int64_t groups, int64_t per_group);

// One of these, as a parameter of tests.
struct Network {
  std::string name;
  SymmetryPtr symmetry;
};
inline void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name;
}

// So small that brute force can follow.
std::vector<Network> SmallNetworks();

// One of each kind of the above, and concatenated and flattened axes.
std::vector<SymmetryPtr> AllKinds();

// Standard normal weights, divided by the square root of the fan-in where
// there is one.
Checkpoint RandomModel(const Symmetry& symmetry, uint64_t seed);

// The definition of permuting, element by element, straight from the axis
// expressions; slow and independent of the library's own.
Checkpoint ReferencePermute(const Checkpoint& model,
                            const Alignment& alignment);

// A copy with Gaussian noise of `noise` times each tensor's standard deviation.
Checkpoint WithNoise(const Checkpoint& model, double noise, uint64_t seed);

// Multiplies incoming weights of each unit by exp(N(0, log_sd)) and divides the
// outgoing ones: the same function for ReLU. Plain groups named in `groups`.
Checkpoint WithPlantedScales(const Checkpoint& model, const Symmetry& symmetry,
                             const std::vector<std::string>& groups,
                             double log_sd, uint64_t seed);

// Share of units (of all groups) at which two alignments agree.
double Agreement(const Alignment& x, const Alignment& y);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_SUPPORT_MODELS_H_
