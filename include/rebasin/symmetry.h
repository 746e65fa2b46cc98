// The symmetries of a model: groups of interchangeable units, and on which axis
// of which tensor each of them acts; and, where asked for, by what numbers the
// units of a group may be multiplied.
//
// Every axis of every tensor is described by an axis expression:
//
//   axis    := segment ('+' segment)*      concatenation
//   segment := factor  ('*' factor)*       flattening, row-major
//   factor  := group name | integer        a permutable index set | a fixed one
//            | '(' axis ')'
//
// "P0" is an axis permuted by group P0; "conv5*49" a flattened C x 7 x 7;
// "a+b" a concatenation; "3*heads*dim" a fused qkv; "heads*(qk+qk+vo)" one that
// is fused head by head; "10" is never permuted.
//
// A group may lie `within` another: then it has one permutation for each index
// of the outer group, and it travels with that index (a wreath product). The
// outer group must be present in every tensor where the inner one appears: in
// the same segment or, once, on another axis (a grouped convolution's weight is
// ["g*out", "in", ...] with both within g).
//
// A group may also permute whole tensors: those of a list (the layers of the
// experts of a mixture, each of which is stored by itself). A list is a tensor
// with one axis more, in front, of which each index is a tensor of its own.

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

inline constexpr int kNoGroup = -1;

struct Group {
  std::string name;
  int64_t size = 0;
  int parent = kNoGroup;  // index of the group that this one lies within
};

struct Factor {
  int group = kNoGroup;  // kNoGroup: a fixed index set
  int64_t size = 1;
};

using Segment = std::vector<Factor>;

// A sum of products. Products that have their first factors in common may be
// interleaved: heads*(q+k) is the segments heads*q and heads*k, of which the
// second shares one factor with the first.
struct Axis {
  std::vector<Segment> segments;
  // How many leading factors each segment shares with the one before it. Empty:
  // none does, and the segments follow each other.
  std::vector<int> shared = {};

  int64_t size() const;
  int Shared(size_t segment) const {
    return segment < shared.size() ? shared[segment] : 0;
  }
};

// Which of the tensors of a list this is.
struct ListMember {
  std::string list = {};  // the list's name
  int group = kNoGroup;   // which permutes its tensors; kNoGroup: no list
  int64_t index = 0;
};

struct TensorSymmetry {
  std::string name;
  std::vector<Axis> axes;
  // Statistics (running means, counters) move with their groups but take no
  // part in matching.
  bool statistic = false;

  // Where the indices of one axis hold different things (the directions of a
  // recurrent layer, the groups of a convolution), the tensor is concatenated
  // along that axis: of a part with the axes above, and of these.
  std::vector<std::vector<Axis>> more_parts = {};
  size_t along = 0;

  // All tensors of a list have the same axes.
  ListMember member = {};
  bool in_list() const { return member.group != kNoGroup; }

  size_t parts() const { return 1 + more_parts.size(); }
  const std::vector<Axis>& part(size_t number) const {
    return number == 0 ? axes : more_parts[number - 1];
  }
  // The size of an axis of the whole tensor, and of all together.
  int64_t size(size_t axis) const;
  int64_t elements() const;
  // The groups that stand anywhere in it, or move it.
  std::set<int> Groups() const;
};

// Beyond permutations: each unit of a group has a number by which its weights
// may be multiplied without changing the function (a factor of the symmetry
// group for each unit).
enum class ScalingKind {
  kScale,  // any positive number: units of homogeneous activations
  kSign,   // 1 or -1: units of odd activations, and of norms
};

// Where a scaling acts: wherever its group stands in this segment of this axis,
// elements are multiplied by the unit's number to the power `degree`.
struct ScalingPlace {
  std::string tensor = {};
  int axis = 0;
  int segment = 0;
  int degree = 1;  // 1 or -1; of signs always 1

  friend bool operator==(const ScalingPlace&, const ScalingPlace&) = default;
};

// A group may have several, which act in different places.
struct Scaling {
  ScalingKind kind = ScalingKind::kScale;
  int group = kNoGroup;  // one that no other lies within
  std::vector<ScalingPlace> places = {};

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

// What one scaling does to one tensor.
struct ScalingDegree {
  int scaling = 0;
  int axis = 0;
  int segment = 0;
  int degree = 1;
};

// A tensor that is no weight of its own, but belongs to a model.
struct Companion {
  std::string tensor;
  // Another name of this tensor: it moves along. Empty: a mask or a table,
  // which never moves.
  std::string copy_of = {};
};

struct CoverageOptions {
  // Accept tensors that are not described; they are never permuted.
  bool allow_uncovered = false;
  // Accept those whose names match one of these; * ? [] as in a shell.
  std::vector<std::string> allowed = {};
  // Look at floating-point tensors only, scalars included: counters are no
  // weights. If not, look at tensors of all types, but never at scalars.
  bool floating = false;
  // Whether a tensor that is not described is part of the model all the same.
  // May be empty.
  std::function<bool(const Tensor&)> is_known = {};
  // What describes the tensors, for messages.
  std::string subject = "the spec";
};

// Immutable. A valid Symmetry is self-consistent: names are unique, `within`
// has no cycle, inner groups are always accompanied by their outer ones.
class Symmetry {
 public:
  Symmetry() = default;
  // Throws Error(kBadInput) where the parts contradict each other.
  Symmetry(std::vector<Group> groups, std::vector<TensorSymmetry> tensors,
           std::vector<Scaling> scalings = {});

  // The spec file, version 1 (docs/formats.md). `origin` names the text in
  // errors.
  static Symmetry FromJson(std::string_view text, const std::string& origin);
  static Symmetry Load(const std::filesystem::path& path);
  std::string ToJson() const;

  const std::vector<Group>& groups() const { return groups_; }
  // In ascending order of name.
  const std::vector<TensorSymmetry>& tensors() const { return tensors_; }

  // Empty unless asked for; see DiscoverOptions.
  const std::vector<Scaling>& scalings() const { return scalings_; }
  // What the scalings do to a tensor.
  std::span<const ScalingDegree> Degrees(std::string_view tensor) const;
  // The same permutations alone.
  Symmetry WithoutScalings() const;
  // With tensors that move along, or never move, and take no part in matching.
  // Those that `checkpoint` does not have are left out.
  Symmetry WithCompanions(const Checkpoint& checkpoint,
                          std::span<const Companion> companions) const;

  const TensorSymmetry* Find(std::string_view tensor) const;
  // The lists, and their tensors as indices into tensors(), in their order.
  const std::map<std::string, std::vector<int>>& lists() const {
    return lists_;
  }
  // The tensor with this index in the list that a tensor is in.
  const TensorSymmetry& Sibling(const TensorSymmetry& tensor,
                                int64_t index) const {
    return tensors_[lists_.at(tensor.member.list)[index]];
  }
  int FindGroup(std::string_view name) const;  // kNoGroup if absent

  // The outermost group that `group` lies within; itself if it has no parent.
  int Root(int group) const;
  // How many independent permutations the group has: the product of the sizes
  // of the groups it lies within; 1 for most.
  int64_t Copies(int group) const;

  // log10 of the order of the group of permutations: the number of settings of
  // the weights that compute the same function.
  double Log10Order() const;

  // Throws Error(kMismatch) unless every tensor of the spec is in `checkpoint`
  // with a shape that its axes describe, and every tensor is described. Warns
  // of those that are accepted without.
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

// Parses one axis expression over the groups given. Throws Error(kBadInput).
Axis ParseAxis(std::string_view text, std::span<const Group> groups);
std::string AxisText(const Axis& axis, std::span<const Group> groups);
// One for each axis of a tensor; what differs from part to part is separated
// by "|".
std::vector<std::string> AxisTexts(const TensorSymmetry& tensor,
                                   std::span<const Group> groups);

// The symmetry of a plain chain of dense layers, found from the names and
// shapes of a checkpoint (fc1.weight, layers.3.weight, ...). Throws
// Error(kMismatch) where the checkpoint is no such chain, or the order of its
// layers is ambiguous.
Symmetry InferMlp(const Checkpoint& checkpoint);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_H_
