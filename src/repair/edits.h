// A model some of whose tensors are being changed, in double.

#ifndef REBASIN_REPAIR_EDITS_H_
#define REBASIN_REPAIR_EDITS_H_

#include <map>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {

// Throws Error(kMismatch) if the model has no such tensor, Error(kUnsupported)
// if no arithmetic is done on its element type.
const Tensor& WeightIn(const Checkpoint& model, const std::string& name);

// The elements of a tensor on which arithmetic is done.
std::vector<double> Elements(const Tensor& tensor);

// Refers to the model, which must outlive it.
class Edits {
 public:
  explicit Edits(const Checkpoint& model) : model_(model) {}

  const Checkpoint& model() const { return model_; }
  // The elements, to be changed. Throws what WeightIn throws.
  std::vector<double>& Values(const std::string& name);

  // The model with the changes, rounded once to the tensors' element types.
  // Throws Error(kBadInput) if an element overflows.
  Checkpoint Finish() const;

 private:
  const Checkpoint& model_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace rebasin

#endif  // REBASIN_REPAIR_EDITS_H_
