// An alignment: one element of a model's symmetry group. It permutes the units
// of model B into the order of model A's, and multiplies them by factors if the
// symmetry has scalings.
//
//   const auto alignment = rebasin::Alignment::Load("b.json");
//   const rebasin::Checkpoint moved = rebasin::Permute(b, alignment);
//   const auto back = rebasin::Permute(moved, alignment.Inverse());  // is b

#ifndef REBASIN_ALIGNMENT_H_
#define REBASIN_ALIGNMENT_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/run.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns a hash of the names and shapes of all tensors, which identifies the
// models that an alignment fits. It does not depend on order, element types or
// shards.
std::string Fingerprint(const Checkpoint& checkpoint);

// A permutation, and factors, for each group of a symmetry.
//
// Convention: position i of the permuted model holds unit permutation[i] of the
// original. For a group within another group, position (h, k) holds unit
// (outer[h], inner_h[k]): copies are indexed by their position after permuting.
//
// Factors are indexed by position too. At each place of a scaling, the elements
// of position i are multiplied by factor[i] to the power of the place's degree.
//
// Copies are independent. Reading is thread-safe, changing is not.
class Alignment {
 public:
  // The identity.
  explicit Alignment(std::shared_ptr<const Symmetry> symmetry);
  // A uniformly random element. Scales are powers of two, so that scaling is
  // exact in floating point.
  static Alignment Random(std::shared_ptr<const Symmetry> symmetry,
                          uint64_t seed);

  // The symmetry; never null.
  const Symmetry& symmetry() const { return *symmetry_; }
  const std::shared_ptr<const Symmetry>& shared_symmetry() const {
    return symmetry_;
  }

  // The permutation of copy number `copy` of the group; see Symmetry::Copies. A
  // changed span must remain a permutation.
  std::span<const int32_t> permutation(int group, int64_t copy = 0) const;
  std::span<int32_t> mutable_permutation(int group, int64_t copy = 0);

  // The factors of a scaling, one for each unit of its group: positive numbers
  // for scales, 1 or -1 for signs. Copies as above.
  std::span<const double> factors(int scaling, int64_t copy = 0) const;
  std::span<double> mutable_factors(int scaling, int64_t copy = 0);
  // The factors of all copies, one copy after another.
  std::span<const double> all_factors(int scaling) const {
    return factors_[static_cast<size_t>(scaling)];
  }
  // True if any factor is not 1.
  bool HasFactors() const;

  // Returns the copy of the original from which copy `copy` takes its units;
  // the outer groups' permutations decide. Returns `copy` for groups without a
  // parent.
  int64_t SourceCopy(int group, int64_t copy) const;

  // True if nothing moves and all factors are 1.
  bool IsIdentity() const;
  // The number of units that move, over all copies of the group.
  int64_t UnitsMoved(int group) const;

  // Returns the same permutations for another symmetry with the same groups.
  // Factors are kept if that symmetry has the same scalings; otherwise they are
  // 1.
  Alignment WithSymmetry(std::shared_ptr<const Symmetry> symmetry) const;

  // Permuting by a.Then(b) is permuting by a, then by b. Products of factors
  // that differ from 1 only by rounding are set to 1, so that
  // a.Then(a.Inverse()) is the identity.
  Alignment Then(const Alignment& next) const;
  Alignment Inverse() const;

  friend bool operator==(const Alignment& a, const Alignment& b) {
    return a.permutations_ == b.permutations_ && a.factors_ == b.factors_;
  }

  // Returns the text of an alignment file: version 1, or version 2 if the
  // symmetry has scalings (docs/formats.md). It includes the spec, so that no
  // other file is needed to apply it. `fingerprint` identifies the models that
  // it fits.
  std::string ToJson(const std::string& fingerprint) const;
  // Read an alignment file; `origin` names the text in errors. Throw
  // Error(kBadInput, kUnsupported, kLimit, kIo) if it is malformed or cannot be
  // read, and Error(kMismatch) if `fingerprint` is given and differs.
  static Alignment FromJson(std::string_view text, const std::string& origin,
                            const std::string& fingerprint = "");
  static Alignment Load(const std::filesystem::path& path,
                        const std::string& fingerprint = "");

 private:
  std::shared_ptr<const Symmetry> symmetry_;
  std::vector<std::vector<int32_t>> permutations_;  // by group: copies x size
  std::vector<std::vector<double>> factors_;        // by scaling, likewise
};

// Returns the model with its units permuted and scaled. Tensors of all element
// types move, statistics included. Tensors that do not change share their bytes
// with `model`; the others are in memory. Throws Error(kMismatch) if the model
// does not fit the alignment's symmetry, Error(kUnsupported) if elements
// smaller than a byte would move.
Checkpoint Permute(const Checkpoint& model, const Alignment& alignment,
                   const Run& run = {});

// Writes the permuted model to a file, with about 40 MB of memory. Throws what
// Permute and CheckpointWriter throw.
void PermuteToFile(const Checkpoint& model, const Alignment& alignment,
                   const std::filesystem::path& path,
                   const WriteOptions& options = {}, const Run& run = {});

// True if `a` and `b`, permuted by `alignment` if it is not null, have the same
// tensors, byte for byte. Stops reading at the first difference.
bool SameContent(const Checkpoint& a, const Checkpoint& b,
                 const Alignment* alignment = nullptr, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ALIGNMENT_H_
