// What image generators know of the step they are at.

#ifndef REBASIN_ZOO_FAMILIES_TIME_EMBEDDING_H_
#define REBASIN_ZOO_FAMILIES_TIME_EMBEDDING_H_

#include "zoo/families/net.h"

namespace rebasin::zoo {

// [batch, 4 * channels], from the input "timestep" and, in SDXL, the pooled
// text and the sizes of the image.
ValueId TimeEmbedding(Net& net, int64_t channels);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_TIME_EMBEDDING_H_
