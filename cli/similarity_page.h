// How alike two models are, layer by layer, as blocks of a page.

#ifndef REBASIN_CLI_SIMILARITY_PAGE_H_
#define REBASIN_CLI_SIMILARITY_PAGE_H_

#include <string>
#include <vector>

#include "rebasin/match.h"
#include "rebasin/symmetry.h"
#include "report/document.h"

namespace rebasin::cli {

// The part of the network that a weight belongs to, by its name: up to the
// first word with a number that is not the layer itself.
// "layer1.0.conv1.weight" is in "layer1", "blocks.3.fc1.weight" in "blocks.3",
// "features.12.weight" in "features", "fc1.weight" in none.
std::string StageOf(const std::string& weight);

// A chart over all layers, and a table of layers, or for many layers of stages.
// Layers are weights with two axes or more: biases and norms would only make a
// zigzag. Empty if there are none.
std::vector<Block> SimilarityBlocks(const MatchReport& report,
                                    const Symmetry& symmetry);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_SIMILARITY_PAGE_H_
