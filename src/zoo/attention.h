// What transformers are made of. Sequences are [batch, position, width].

#ifndef REBASIN_ZOO_ATTENTION_H_
#define REBASIN_ZOO_ATTENTION_H_

#include "graph/builder.h"
#include "zoo/clues.h"
#include "zoo/settings.h"

namespace rebasin::zoo {

// An input of token numbers, with an open batch size.
ValueId TokenInput(GraphBuilder& g, int64_t sequence);

// From [batch, position, heads * size] to [batch, heads, position, size].
ValueId SplitHeads(GraphBuilder& g, ValueId x, int64_t heads);

// softmax(q k^T / sqrt(size) + mask) v for each head, the heads put back next
// to each other. All have as many heads.
ValueId Attend(GraphBuilder& g, ValueId q, ValueId k, ValueId v,
               ValueId mask = kNoValue);

// Attend, with q, k and v next to each other in one value.
ValueId AttendPacked(GraphBuilder& g, ValueId qkv, int64_t heads,
                     ValueId mask = kNoValue);

// [position, position]: 0 where a position may look, hugely negative where it
// would look ahead.
ValueId CausalMask(GraphBuilder& g, int64_t sequence);

// The option heads: shapes do not show it, but heads have a usual size.
ZooOption Heads();
// What the option means for a model of the width in `settings`. Throws
// Error(kUsage) if the width is no multiple of it.
int64_t HeadsOf(const Settings& settings, int64_t usual_head_size);
// Writes what HeadsOf says into the option.
void ResolveHeads(Settings& settings, int64_t usual_head_size);
// Every number of heads that a model of this width can have.
std::vector<Findings> HeadChoices(int64_t width);
inline constexpr int64_t kMostHeads = 1024;

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_ATTENTION_H_
