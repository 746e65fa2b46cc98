// What the tensors of a checkpoint reveal about its architecture.

#ifndef REBASIN_ZOO_CLUES_H_
#define REBASIN_ZOO_CLUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin::zoo {

class Clues {
 public:
  explicit Clues(const Checkpoint& model) : model_(model) {}

  bool Has(const std::string& name) const {
    return model_.Find(name) != nullptr;
  }
  // Returns 0 if there is no such tensor or axis, or if its size is beyond the
  // range of any option, so that arithmetic on it cannot overflow.
  int64_t Size(const std::string& name, size_t axis) const;
  // True if both tensors exist and are equal in type, shape and every bit.
  bool AreEqual(const std::string& name, const std::string& other) const;
  // The number of tensors PREFIXnSUFFIX, n = first, first + step, ...
  int64_t Count(const std::string& prefix, const std::string& suffix,
                int64_t first = 0, int64_t step = 1) const;

 private:
  const Checkpoint& model_;
};

// The inferred value of an option. A value that the option does not allow
// (usually 0) means that the checkpoint has another architecture.
struct Finding {
  Finding(std::string o, std::string v)
      : option(std::move(o)), value(std::move(v)) {}
  Finding(std::string o, const char* v) : option(std::move(o)), value(v) {}
  Finding(std::string o, int64_t v)
      : option(std::move(o)), value(std::to_string(v)) {}
  Finding(std::string o, bool v)
      : option(std::move(o)), value(v ? "true" : "false") {}

  std::string option;
  std::string value;
};
using Findings = std::vector<Finding>;

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_CLUES_H_
