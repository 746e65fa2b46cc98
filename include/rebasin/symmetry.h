// The symmetries of a model: groups of interchangeable units, and the tensor
// axes on which each group acts; optionally also the numbers by which units may
// be multiplied.
//
//   const auto symmetry = rebasin::Symmetry::Load("spec.json");
//   for (const rebasin::Group& group : symmetry.groups()) {
//     std::cout << group.name << ": " << group.size << " units\n";
//   }
//
// Every axis of every tensor is described by an axis expression:
//
//   axis    := segment ('+' segment)*      concatenation
//   segment := factor  ('*' factor)*       flattening, row-major
//   factor  := group name | integer        a permutable index set | a fixed one
//            | '(' axis ')'
//
// "P0" is an axis permuted by group P0; "conv5*49" a flattened C x 7 x 7; "a+b"
// a concatenation; "3*heads*dim" a fused qkv; "heads*(qk+qk+vo)" a qkv that is
// fused head by head; "10" is never permuted.
//
// A group may lie `within` another group. It then has one permutation for each
// index of the outer group, and moves with that index (a wreath product). Every
// tensor with the inner group must also have the outer one: in the same segment
// or, once, on another axis. The weight of a grouped convolution, for example,
// is ["g*out", "in", ...] with both within g.
//
// A group may also permute whole tensors, those of a list. An example are the
// layers of the experts of a mixture, each of which is stored as a tensor of
// its own. A list acts like one tensor with an additional first axis.

#ifndef REBASIN_SYMMETRY_H_
#define REBASIN_SYMMETRY_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/run.h"

namespace rebasin {

// No group: a fixed index set, or no parent.
inline constexpr int kNoGroup = -1;

// A set of interchangeable units.
struct Group {
  std::string name;       // unique in the symmetry
  int64_t size = 0;       // number of units
  int parent = kNoGroup;  // index of the outer group
};

// One factor of a product: a group or a fixed index set.
struct Factor {
  int group = kNoGroup;  // kNoGroup: fixed
  int64_t size = 1;      // size of the group or of the fixed index set
};

// A product of factors, row-major: the last factor varies fastest.
using Segment = std::vector<Factor>;

// A sum of products, as in the expression. Products with the same first factors
// may be interleaved: heads*(q+k) has the segments heads*q and heads*k, and the
// second segment shares one factor with the first.
struct Axis {
  std::vector<Segment> segments;
  // The number of leading factors that each segment shares with the one before
  // it. Empty: none, and the segments are concatenated.
  std::vector<int> shared = {};

  // The length of the axis.
  int64_t size() const;
  // The number of factors that a segment shares with the one before it.
  int Shared(size_t segment) const {
    return segment < shared.size() ? shared[segment] : 0;
  }
};

// The position of a tensor in a list.
struct ListMember {
  std::string list = {};  // the list's name
  int group = kNoGroup;   // permutes the tensors; kNoGroup: no list
  int64_t index = 0;      // position in the list
};

// How the groups act on one tensor.
struct TensorSymmetry {
  std::string name;
  // One expression for each axis, in order.
  std::vector<Axis> axes;
  // Running means, counters and the like. They are permuted but not matched.
  bool statistic = false;

  // A tensor may be concatenated along axis `along` from parts with different
  // meanings, such as the directions of a recurrent layer or the groups of a
  // convolution. `axes` describes the first part, `more_parts` the others.
  std::vector<std::vector<Axis>> more_parts = {};
  size_t along = 0;

  // All tensors of a list have the same axes.
  ListMember member = {};
  bool in_list() const { return member.group != kNoGroup; }

  // The number of parts, and the axes of each; part 0 is `axes`.
  size_t parts() const { return 1 + more_parts.size(); }
  const std::vector<Axis>& part(size_t number) const {
    return number == 0 ? axes : more_parts[number - 1];
  }
  // The length of an axis of the whole tensor, and the number of elements.
  int64_t size(size_t axis) const;
  int64_t elements() const;
  // The groups that act on the tensor or permute it as a whole.
  std::set<int> Groups() const;
};

// Beyond permutations: the kind of numbers by which all weights of a unit may
// be multiplied without changing the function.
enum class ScalingKind {
  kScale,  // positive: homogeneous activations
  kSign,   // 1 or -1: odd activations, norms
};

// Where a scaling acts: the elements of unit i in this segment of this axis are
// multiplied by factor[i] to the power `degree`.
struct ScalingPlace {
  std::string tensor = {};  // name of the tensor
  int axis = 0;
  int segment = 0;  // index in Axis::segments
  int degree = 1;   // 1 or -1; always 1 for signs

  friend bool operator==(const ScalingPlace&, const ScalingPlace&) = default;
};

// One number for each unit of a group. A group may have several scalings, which
// act in different places.
struct Scaling {
  ScalingKind kind = ScalingKind::kScale;
  int group = kNoGroup;  // a group without inner groups
  std::vector<ScalingPlace> places = {};

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

// The action of one scaling on one tensor.
struct ScalingDegree {
  int scaling = 0;  // index in Symmetry::scalings()
  int axis = 0;
  int segment = 0;
  int degree = 1;
};

// A tensor that belongs to a model but is not a weight of its graph.
struct Companion {
  std::string tensor;  // name of the tensor
  // The weight of which this tensor is a copy; it is permuted in the same way.
  // Empty: a mask or table, which never moves.
  std::string copy_of = {};
};

// Which tensors a checkpoint may have that the symmetry does not describe.
struct CoverageOptions {
  // Accept all; they are never permuted.
  bool allow_uncovered = false;
  // Accept names that match one of these patterns, with * ? [] as in a shell.
  std::vector<std::string> allowed = {};
  // Check floating-point tensors only, scalars included, since counters are not
  // weights. If false, check tensors of all types except scalars.
  bool floating = false;
  // Returns true for tensors that belong to the model without being described.
  // May be empty.
  std::function<bool(const Tensor&)> is_known = {};
  // The source of the descriptions, for messages.
  std::string subject = "the spec";
};

// The groups of a model and their action on all tensors. Immutable, so it is
// safe to read from any number of threads; usually held by std::shared_ptr. A
// Symmetry is always consistent: names are unique, groups do not contain each
// other in a cycle, and inner groups occur only with their outer ones.
class Symmetry {
 public:
  // No groups and no tensors.
  Symmetry() = default;
  // Throws Error(kBadInput) if the parts contradict each other.
  Symmetry(std::vector<Group> groups, std::vector<TensorSymmetry> tensors,
           std::vector<Scaling> scalings = {});

  // Read a spec file, version 1 (docs/formats.md); `origin` names the text in
  // errors. Throw Error(kBadInput, kLimit) if it is malformed, Error(kIo) if it
  // cannot be read.
  static Symmetry FromJson(std::string_view text, const std::string& origin);
  static Symmetry Load(const std::filesystem::path& path);
  // Returns the text of a spec file.
  std::string ToJson() const;

  // In the order of the spec; groups refer to each other by index.
  const std::vector<Group>& groups() const { return groups_; }
  // In ascending order of name.
  const std::vector<TensorSymmetry>& tensors() const { return tensors_; }

  // Empty unless requested; see DiscoverOptions.
  const std::vector<Scaling>& scalings() const { return scalings_; }
  // The actions of all scalings on a tensor.
  std::span<const ScalingDegree> Degrees(std::string_view tensor) const;
  // Returns a copy with the same permutations and no scalings.
  Symmetry WithoutScalings() const;
  // Returns a copy with these additional tensors, which are permuted like the
  // weight of which they are copies, or never, and not matched. Tensors that
  // `checkpoint` does not have are left out.
  Symmetry WithCompanions(const Checkpoint& checkpoint,
                          std::span<const Companion> companions) const;

  // Returns the description of a tensor, or nullptr.
  const TensorSymmetry* Find(std::string_view tensor) const;
  // The lists by name, with their tensors in order, as indices into tensors().
  const std::map<std::string, std::vector<int>>& lists() const {
    return lists_;
  }
  // The tensor at this index of the list that contains `tensor`.
  const TensorSymmetry& Sibling(const TensorSymmetry& tensor,
                                int64_t index) const {
    return tensors_[lists_.at(tensor.member.list)[index]];
  }
  // Returns the index of a group, or kNoGroup.
  int FindGroup(std::string_view name) const;

  // Returns the outermost group that contains `group`; `group` itself if it has
  // no parent.
  int Root(int group) const;
  // Returns the number of independent permutations of the group: the product of
  // the sizes of its outer groups; 1 for most groups.
  int64_t Copies(int group) const;

  // Returns log10 of the number of permutations in the group: of weight
  // settings that compute the same function.
  double Log10Order() const;

  // Throws Error(kMismatch) unless `checkpoint` has every described tensor with
  // a fitting shape, and every tensor of it is described or accepted by
  // `options`. Warns about accepted tensors.
  void CheckFits(const Checkpoint& checkpoint,
                 const CoverageOptions& options = {},
                 const Run& run = {}) const;

 private:
  std::vector<Group> groups_;
  std::vector<TensorSymmetry> tensors_;
  std::map<std::string, std::vector<int>> lists_;
  std::vector<Scaling> scalings_;
  std::vector<std::vector<ScalingDegree>> degrees_;  // by tensor; or empty
};

// Parses an axis expression over these groups. Throws Error(kBadInput).
Axis ParseAxis(std::string_view text, std::span<const Group> groups);
// Returns the expression of an axis; the inverse of ParseAxis.
std::string AxisText(const Axis& axis, std::span<const Group> groups);
// Returns the expression of each axis of a tensor. Expressions that differ
// between parts are separated by "|".
std::vector<std::string> AxisTexts(const TensorSymmetry& tensor,
                                   std::span<const Group> groups);

// Returns the symmetry of a plain chain of dense layers, from the names and
// shapes of its weights (fc1.weight, layers.3.weight, ...). Throws
// Error(kMismatch) if the checkpoint is no such chain or the order of its
// layers is ambiguous.
Symmetry InferMlp(const Checkpoint& checkpoint);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_H_
