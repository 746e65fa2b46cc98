#include "symmetry/ties.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "rebasin/error.h"

namespace rebasin {
namespace {

void CheckSameAxes(const TensorSymmetry& x, const TensorSymmetry& y,
                   std::span<const Group> groups) {
  if (x.member.list != y.member.list) {
    throw Error(ErrorCode::kBadInput,
                "tensors " + Quoted(x.name) + " and " + Quoted(y.name) +
                    " are tied, but not in the same list");
  }
  const auto of_x = AxisTexts(x, groups), of_y = AxisTexts(y, groups);
  if (of_x.size() != of_y.size()) return;  // tied views of different shape
  for (size_t a = 0; a < of_x.size(); ++a) {
    const std::string& first = of_x[a];
    const std::string& second = of_y[a];
    if (first == second) continue;
    throw Error(ErrorCode::kBadInput,
                "tensors " + Quoted(x.name) + " and " + Quoted(y.name) +
                    " are tied, but axis " + std::to_string(a) + " is " +
                    Quoted(first) + " of one and " + Quoted(second) +
                    " of the other");
  }
}

using TiedNames = std::vector<std::pair<std::string, std::string>>;

// Each tensor that shares its data with an earlier one, with that one's name
// first.
TiedNames TiesIn(const Checkpoint& model) {
  std::map<const std::byte*, const Tensor*> firsts;
  TiedNames ties;
  for (const Tensor& tensor : model.tensors()) {
    if (tensor.bytes.empty()) continue;
    const auto [first, added] = firsts.emplace(tensor.bytes.data(), &tensor);
    const Tensor& other = *first->second;
    if (!added && other.shape == tensor.shape && other.dtype == tensor.dtype) {
      ties.emplace_back(other.name, tensor.name);
    }
  }
  return ties;
}

bool HaveEqualBytes(const Tensor& x, const Tensor& y) {
  return x.bytes.data() == y.bytes.data() ||
         std::ranges::equal(x.bytes, y.bytes);
}

void CheckTiesHold(const TiedNames& ties, const char* tied,
                   const Checkpoint& model, const char* untied) {
  for (const auto& [first, second] : ties) {
    const Tensor* x = model.Find(first);
    const Tensor* y = model.Find(second);
    if (x == nullptr || y == nullptr || HaveEqualBytes(*x, *y)) continue;
    throw Error(ErrorCode::kMismatch,
                "tensors " + Quoted(first) + " and " + Quoted(second) +
                    " are tied in model " + tied + ", but differ in model " +
                    untied,
                "both models must have the tie, or neither");
  }
}

}  // namespace

std::vector<Companion> OtherNames(const Symmetry& symmetry,
                                  const Checkpoint& checkpoint) {
  std::map<const std::byte*, const Tensor*> described;
  for (const Tensor& tensor : checkpoint.tensors()) {
    if (tensor.bytes.empty() || symmetry.Find(tensor.name) == nullptr) continue;
    described.emplace(tensor.bytes.data(), &tensor);
  }
  std::vector<Companion> names;
  for (const Tensor& tensor : checkpoint.tensors()) {
    const auto found = described.find(tensor.bytes.data());
    if (found == described.end() || symmetry.Find(tensor.name) != nullptr) {
      continue;
    }
    const Tensor& same = *found->second;
    if (same.shape != tensor.shape || same.dtype != tensor.dtype) continue;
    names.push_back({.tensor = tensor.name, .copy_of = same.name});
  }
  return names;
}

void CheckSameTies(const Checkpoint& a, const Checkpoint& b) {
  CheckTiesHold(TiesIn(a), "A", b, "B");
  CheckTiesHold(TiesIn(b), "B", a, "A");
}

void RestoreTies(const Checkpoint& like, std::vector<Tensor>& tensors) {
  const auto find = [&](const std::string& name) {
    return std::ranges::lower_bound(tensors, name, {}, &Tensor::name);
  };
  for (const auto& [first, second] : TiesIn(like)) {
    const auto x = find(first), y = find(second);
    if (x == tensors.end() || y == tensors.end() || x->name != first ||
        y->name != second || x->dtype != y->dtype || !HaveEqualBytes(*x, *y)) {
      continue;
    }
    y->bytes = x->bytes;
    y->owner = x->owner;
  }
}

void CheckTies(const Symmetry& symmetry, const Checkpoint& checkpoint) {
  std::map<const std::byte*, const TensorSymmetry*> firsts;
  for (const Tensor& tensor : checkpoint.tensors()) {
    const TensorSymmetry* described = symmetry.Find(tensor.name);
    if (tensor.bytes.empty() || described == nullptr) continue;
    const auto [first, added] = firsts.emplace(tensor.bytes.data(), described);
    if (!added) CheckSameAxes(*first->second, *described, symmetry.groups());
  }
}

}  // namespace rebasin
