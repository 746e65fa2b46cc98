// Tensors of several models that are the same in all of them because nobody
// trained them.

#ifndef REBASIN_DISCOVERY_TABLES_H_
#define REBASIN_DISCOVERY_TABLES_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Names of tensors, with * ? [] as in a shell.
struct TableOptions {
  std::vector<std::string> constants =
      {};  // not trained, whatever they look like
  std::vector<std::string> trained = {};  // trained, even if they are equal
};

// The tensors of the symmetry that must stay as they are:
//
// - those that `constants` names, and
// - those that are equal in all models, and that a permutation would change
//   though others with the same units differ between the models: the units of
//   such a tensor correspond as they stand. These are tables (sinusoids,
//   filter banks, pretrained vectors), or layers that were not trained further.
//   Moving one against its own copy could only spoil it.
//
// Where a tensor does not vary along an axis (norms at their initial values), a
// permutation of that axis does not change it. If all tensors of a group are
// equal, so is the group's part of the models, and nothing is held.
//
// Throws Error(kMismatch) if a tensor that `constants` names differs. Requires
// models that the symmetry fits.
std::vector<std::string> FindTables(const Symmetry& symmetry,
                                    std::span<const Checkpoint> models,
                                    const TableOptions& options = {});

// The tensors of these names.
std::vector<Tensor> TensorsNamed(const Checkpoint& model,
                                 const std::vector<std::string>& names);

// The tensors that `found` permutes and `used` mentions, but leaves as they
// are: tables that were held when an alignment of the symmetry `used` was made.
std::vector<std::string> TablesHeldBy(const Symmetry& used,
                                      const Symmetry& found);

// The symmetries that are left if these weights of the graph are constants. The
// tensors stand in the result's symmetry, too, with all axes fixed.
Discovery DiscoverHolding(const Graph& graph, const std::vector<Tensor>& held,
                          const DiscoverOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_TABLES_H_
