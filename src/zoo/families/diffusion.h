// Parts of image generators, as diffusers names them. Values are [batch,
// channel, row, column].

#ifndef REBASIN_ZOO_FAMILIES_DIFFUSION_H_
#define REBASIN_ZOO_FAMILIES_DIFFUSION_H_

#include <string>

#include "zoo/families/net.h"

namespace rebasin::zoo {

// The norms of a network: so many groups of channels each.
struct ImageNorm {
  int64_t groups = 32;
  double epsilon = 1e-6;
};
ValueId GroupNormed(GraphBuilder& g, const std::string& name, ValueId x,
                    const ImageNorm& norm);

// norm, SiLU and convolution, twice, around a sum. `time`, if there is one, is
// added in between.
ValueId ResidualBlock(Net& net, const std::string& name, ValueId x,
                      int64_t channels, ValueId time, const ImageNorm& norm);

ValueId Upsampled(GraphBuilder& g, const std::string& name, ValueId x);

// The input, a square of pixels or latent values.
ValueId SquareInput(GraphBuilder& g, const std::string& name, int64_t channels,
                    int64_t size);

// From [batch, channel, row, column] to [batch, position, channel] and back.
ValueId AsSequence(GraphBuilder& g, ValueId x);
ValueId AsImage(GraphBuilder& g, ValueId x, int64_t across);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_DIFFUSION_H_
