// Parts of transformers. Sequences are [batch, position, width].

#ifndef REBASIN_ZOO_ATTENTION_H_
#define REBASIN_ZOO_ATTENTION_H_

#include "graph/builder.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

// An input of token ids with an open batch size.
ValueId TokenInput(GraphBuilder& g, int64_t sequence);

// From [batch, position, heads * size] to [batch, heads, position, size].
ValueId SplitHeads(GraphBuilder& g, ValueId x, int64_t heads);

// softmax(q k^T / sqrt(size) + mask) v for each head, with the heads
// concatenated. q, k and v must have the same number of heads.
ValueId Attend(GraphBuilder& g, ValueId q, ValueId k, ValueId v,
               ValueId mask = kNoValue);

// Attend with q, k and v concatenated in one value.
ValueId AttendPacked(GraphBuilder& g, ValueId qkv, int64_t heads,
                     ValueId mask = kNoValue);

// [position, position]: 0 for visible positions, a large negative number for
// later ones.
ValueId CausalMask(GraphBuilder& g, int64_t sequence);

// The option heads. Shapes do not show it, but heads have a usual size.
ZooOption Heads();
// The number of heads for the width in `settings`. Throws Error(kUsage) if it
// does not divide the width.
int64_t HeadsOf(const Settings& settings, int64_t usual_head_size);
// Sets the option to the result of HeadsOf.
void ResolveHeads(Settings& settings, int64_t usual_head_size);
// All possible numbers of heads for this width.
std::vector<Findings> HeadChoices(int64_t width);
inline constexpr int64_t kMaxHeads = 1024;

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_ATTENTION_H_
