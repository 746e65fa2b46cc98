// Finds tensors that are the same in several models because they were not
// trained.

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

// Tensor names, as shell patterns with *, ? and [].
struct TableOptions {
  std::vector<std::string> constants =
      {};  // not trained, whatever they look like
  std::vector<std::string> trained = {};  // trained, even if they are equal
};

// The tensors of the symmetry that must not be permuted:
//
// - those that match `constants`, and
// - those that are equal in all models and would change if permuted, while
//   other tensors with the same units differ between the models. The units of
//   such a tensor correspond as they are. These are tables (sinusoids, filter
//   banks, pretrained vectors), or layers that were not trained further.
//   Permuting one against its own copy could only make the match worse.
//
// A permutation of an axis along which a tensor does not vary (norms at their
// initial values) does not change it. If all tensors of a group are equal, none
// of them is held fixed for this group, since there is nothing to match.
//
// Throws Error(kMismatch) if a tensor that matches `constants` differs between
// the models. Requires models that fit the symmetry.
std::vector<std::string> FindTables(const Symmetry& symmetry,
                                    std::span<const Checkpoint> models,
                                    const TableOptions& options = {});

// The tensors with these names.
std::vector<Tensor> TensorsNamed(const Checkpoint& model,
                                 const std::vector<std::string>& names);

// The tensors that `found` permutes, while `used` lists them without permuting
// them: tables that were held fixed when an alignment for `used` was made.
std::vector<std::string> TablesFixedBy(const Symmetry& used,
                                       const Symmetry& found);

// Discovers the symmetries of the graph if the weights `held` are constants.
// These tensors are part of the result's symmetry, with all axes fixed.
Discovery DiscoverWithConstants(const Graph& graph,
                                const std::vector<Tensor>& held,
                                const DiscoverOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_TABLES_H_
