// Numbers of an interrupted operation as tensors of a state file.

#ifndef REBASIN_MATCH_STATE_STATE_TENSORS_H_
#define REBASIN_MATCH_STATE_STATE_TENSORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

// Collects numbers by name.
class StateWriter {
 public:
  void Add(const std::string& name, std::span<const float> values);
  void Add(const std::string& name, std::span<const double> values);
  void Add(const std::string& name, std::span<const int64_t> values);
  void Add(const std::string& name, std::span<const int32_t> values);

  std::vector<Tensor> Take() { return std::move(tensors_); }

 private:
  template <typename T>
  void AddAs(DType dtype, const std::string& name, std::span<const T> values);

  std::vector<Tensor> tensors_;
};

// Reads them again. A file that is damaged or made up must not do harm, so
// sizes are checked here, and contents where they are used.
class StateReader {
 public:
  StateReader(const Checkpoint& state, std::string origin)
      : state_(state), origin_(std::move(origin)) {}

  bool Has(const std::string& name) const {
    return state_.Find(name) != nullptr;
  }
  int64_t SizeOf(const std::string& name) const;

  // Fill `values`. Throw Error(kBadInput) unless there are exactly as many
  // numbers of this type.
  void Read(const std::string& name, std::span<float> values) const;
  void Read(const std::string& name, std::span<double> values) const;
  void Read(const std::string& name, std::span<int64_t> values) const;
  void Read(const std::string& name, std::span<int32_t> values) const;

  // Throws Error(kBadInput): what is named is missing or damaged.
  [[noreturn]] void Fail(const std::string& name) const;

 private:
  template <typename T>
  void ReadAs(DType dtype, const std::string& name, std::span<T> values) const;

  const Checkpoint& state_;
  std::string origin_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_STATE_STATE_TENSORS_H_
