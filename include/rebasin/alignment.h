// An alignment: one element of a model's symmetry group. It says how to permute
// model B so that its units stand in the order of model A's, and, where the
// symmetry has scalings, by what to multiply them.
//
//   const auto moved = rebasin::Permute(b, rebasin::Alignment::Load("b.json"));

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

// Identifies which models an alignment fits: a hash over the names and shapes
// of all tensors, the same for any order, element type or sharding.
std::string Fingerprint(const Checkpoint& checkpoint);

// Convention: position i of the permuted model holds unit permutation[i] of
// the original. For a group within another, position (h, k) holds unit
// (outer[h], inner_h[k]): copies are indexed by the position they end up at.
//
// Factors are indexed by position, too: at each place of a scaling, what stands
// at position i is multiplied by factor[i] to the power of the place's degree.
class Alignment {
 public:
  // The identity.
  explicit Alignment(std::shared_ptr<const Symmetry> symmetry);
  // Uniformly random; scales are powers of two, which change no digit of a
  // number in floating point.
  static Alignment Random(std::shared_ptr<const Symmetry> symmetry,
                          uint64_t seed);

  const Symmetry& symmetry() const { return *symmetry_; }
  const std::shared_ptr<const Symmetry>& shared_symmetry() const {
    return symmetry_;
  }

  // Copy `copy` of the group's permutation; see Symmetry::Copies.
  std::span<const int32_t> permutation(int group, int64_t copy = 0) const;
  std::span<int32_t> mutable_permutation(int group, int64_t copy = 0);

  // The factors of a scaling, one for each unit of its group: positive, and 1
  // or -1 for signs. Copies as above.
  std::span<const double> factors(int scaling, int64_t copy = 0) const;
  std::span<double> mutable_factors(int scaling, int64_t copy = 0);
  // The same, all copies in turn.
  std::span<const double> all_factors(int scaling) const {
    return factors_[static_cast<size_t>(scaling)];
  }
  // Whether any factor is not 1.
  bool HasFactors() const;

  // The copy that position `copy` takes its units from: the ancestors'
  // positions mapped to the units they hold. The identity for root groups.
  int64_t SourceCopy(int group, int64_t copy) const;

  bool IsIdentity() const;
  // Number of units that change place, all copies of the group together.
  int64_t UnitsMoved(int group) const;

  // The same for another symmetry of the same groups. Factors are kept if it
  // has the same scalings, else they are 1.
  Alignment For(std::shared_ptr<const Symmetry> symmetry) const;

  // Permuting by a.Then(b) is permuting by a, then by b. Products of factors
  // within rounding of 1 are 1, so that a.Then(a.Inverse()) is the identity.
  Alignment Then(const Alignment& next) const;
  Alignment Inverse() const;

  friend bool operator==(const Alignment& a, const Alignment& b) {
    return a.permutations_ == b.permutations_ && a.factors_ == b.factors_;
  }

  // The alignment file, version 1, or 2 where the symmetry has scalings
  // (docs/formats.md). It holds the spec too, so
  // that it can be applied without anything else. `fingerprint` states which
  // models it fits.
  std::string ToJson(const std::string& fingerprint) const;
  // Throws Error if the text is malformed or holds no permutations, and
  // Error(kMismatch) if `fingerprint` is given and differs.
  static Alignment FromJson(std::string_view text, const std::string& origin,
                            const std::string& fingerprint = "");
  static Alignment Load(const std::filesystem::path& path,
                        const std::string& fingerprint = "");

 private:
  std::shared_ptr<const Symmetry> symmetry_;
  std::vector<std::vector<int32_t>> permutations_;  // by group: copies x size
  std::vector<std::vector<double>> factors_;        // by scaling, likewise
};

// The model with its units moved as the alignment says; all element types,
// statistics included. Tensors that no group touches share their bytes with
// the original. Throws Error(kMismatch) unless the model fits the alignment's
// symmetry, Error(kUnsupported) if elements smaller than a byte would move.
Checkpoint Permute(const Checkpoint& model, const Alignment& alignment,
                   const Run& run = {});

// The same, streamed into a file with some 40 MB of memory.
void PermuteToFile(const Checkpoint& model, const Alignment& alignment,
                   const std::filesystem::path& path,
                   const WriteOptions& options = {}, const Run& run = {});

// Whether A and B, moved as the alignment says (null: as it is), hold the same
// tensors, byte by byte. Reads no further than the first difference.
bool SameContent(const Checkpoint& a, const Checkpoint& b,
                 const Alignment* alignment = nullptr, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ALIGNMENT_H_
