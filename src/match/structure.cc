// Checks that two checkpoints have the same tensors, and explains differences.

#include <algorithm>
#include <string>
#include <vector>

#include "rebasin/error.h"
#include "rebasin/match.h"
#include "symmetry/ties.h"

namespace rebasin {
namespace {

std::vector<std::string> OnlyIn(const Checkpoint& a, const Checkpoint& b) {
  std::vector<std::string> names;
  for (const Tensor& tensor : a.tensors()) {
    if (b.Find(tensor.name) == nullptr) names.push_back(tensor.name);
  }
  return names;
}

std::string FirstTen(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(10, names.size()); ++i) {
    text += (i == 0 ? " (" : ", ") + Quoted(names[i]);
  }
  if (names.empty()) return text;
  return text + (names.size() > 10 ? ", ...)" : ")");
}

// DataParallel puts "module." in front of every name.
std::string PrefixHint(const std::vector<std::string>& only_a,
                       const std::vector<std::string>& only_b) {
  if (only_a.empty() || only_b.empty()) return "";
  const std::string& x = only_a[0];
  for (const std::string& y : only_b) {
    const std::string& longer = x.size() > y.size() ? x : y;
    const std::string& shorter = x.size() > y.size() ? y : x;
    if (longer.size() > shorter.size() && longer.ends_with(shorter)) {
      const size_t extra = longer.size() - shorter.size();
      return "the names of one model start with " +
             Quoted(longer.substr(0, extra)) + "; rename them alike";
    }
  }
  return "";
}

void CheckNames(const Checkpoint& a, const Checkpoint& b) {
  const auto only_a = OnlyIn(a, b), only_b = OnlyIn(b, a);
  if (only_a.empty() && only_b.empty()) return;
  throw Error(
      ErrorCode::kMismatch,
      "the models hold different tensors: " + std::to_string(only_a.size()) +
          " only in A" + FirstTen(only_a) + ", " +
          std::to_string(only_b.size()) + " only in B" + FirstTen(only_b),
      PrefixHint(only_a, only_b));
}

void CheckTensor(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) {
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(a.name) + " is " + ShapeText(a.shape) +
                    " in A and " + ShapeText(b.shape) + " in B",
                "models of unequal widths cannot be matched");
  }
  if (a.dtype != b.dtype) {
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(a.name) + " is " +
                    std::string(DTypeName(a.dtype)) + " in A and " +
                    std::string(DTypeName(b.dtype)) + " in B",
                "convert both with --dtype");
  }
}

}  // namespace

void CheckSameStructure(const Checkpoint& a, const Checkpoint& b) {
  if (a.tensors().empty() || b.tensors().empty()) {
    throw Error(ErrorCode::kMismatch, std::string("model ") +
                                          (a.tensors().empty() ? "A" : "B") +
                                          " holds no tensors");
  }
  CheckNames(a, b);
  for (const Tensor& tensor : a.tensors()) {
    CheckTensor(tensor, *b.Find(tensor.name));
  }
  CheckSameTies(a, b);
}

}  // namespace rebasin
