#include "match/state/state_tensors.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "rebasin/error.h"

namespace rebasin {

template <typename T>
void StateWriter::AddAs(DType dtype, const std::string& name,
                        std::span<const T> values) {
  const auto from = std::as_bytes(values);
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(from.begin(), from.end());
  tensors_.push_back({.name = name,
                      .dtype = dtype,
                      .shape = {static_cast<int64_t>(values.size())},
                      .bytes = *bytes,
                      .owner = bytes});
}

void StateWriter::Add(const std::string& name, std::span<const float> values) {
  AddAs(DType::kF32, name, values);
}

void StateWriter::Add(const std::string& name, std::span<const double> values) {
  AddAs(DType::kF64, name, values);
}

void StateWriter::Add(const std::string& name,
                      std::span<const int64_t> values) {
  AddAs(DType::kI64, name, values);
}

void StateWriter::Add(const std::string& name,
                      std::span<const int32_t> values) {
  AddAs(DType::kI32, name, values);
}

int64_t StateReader::SizeOf(const std::string& name) const {
  const Tensor* found = state_.Find(name);
  if (found == nullptr) Fail(name);
  return found->size();
}

template <typename T>
void StateReader::ReadAs(DType dtype, const std::string& name,
                         std::span<T> values) const {
  const Tensor* found = state_.Find(name);
  if (found == nullptr || found->dtype != dtype ||
      found->bytes.size() != values.size_bytes()) {
    Fail(name);
  }
  std::copy(found->bytes.begin(), found->bytes.end(),
            std::as_writable_bytes(values).begin());
}

void StateReader::Read(const std::string& name, std::span<float> values) const {
  ReadAs(DType::kF32, name, values);
}

void StateReader::Read(const std::string& name,
                       std::span<double> values) const {
  ReadAs(DType::kF64, name, values);
}

void StateReader::Read(const std::string& name,
                       std::span<int64_t> values) const {
  ReadAs(DType::kI64, name, values);
}

void StateReader::Read(const std::string& name,
                       std::span<int32_t> values) const {
  ReadAs(DType::kI32, name, values);
}

void StateReader::Fail(const std::string& name) const {
  throw Error(ErrorCode::kBadInput,
              origin_ + " is not a complete state of a matching: " +
                  Quoted(name) + " is missing or damaged",
              "remove the file to start from the beginning");
}

}  // namespace rebasin
