// Changes tensors of a model in double.

#ifndef REBASIN_REPAIR_EDITS_H_
#define REBASIN_REPAIR_EDITS_H_

#include <map>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {

// Returns the tensor. Throws Error(kMismatch) if the model does not have it,
// Error(kUnsupported) if its element type is not arithmetic.
const Tensor& WeightIn(const Checkpoint& model, const std::string& name);

// Returns the elements of an arithmetic tensor.
std::vector<double> Elements(const Tensor& tensor);

// Changed tensors of a model, which must outlive this object.
class Edits {
 public:
  explicit Edits(const Checkpoint& model) : model_(model) {}

  const Checkpoint& model() const { return model_; }
  // The elements of a tensor, for changing. Throws what WeightIn throws.
  std::vector<double>& Values(const std::string& name);

  // Returns the changed model, with elements rounded once to the tensors'
  // types. Throws Error(kBadInput) if an element overflows.
  Checkpoint Finish() const;

 private:
  const Checkpoint& model_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace rebasin

#endif  // REBASIN_REPAIR_EDITS_H_
