#include "symmetry/lists.h"

#include <algorithm>

#include "rebasin/error.h"

namespace rebasin {
namespace {

[[noreturn]] void Fail(const TensorSymmetry& tensor, const std::string& what) {
  throw Error(ErrorCode::kBadInput, "list " + Quoted(tensor.member.list) +
                                        ", tensor " + Quoted(tensor.name) +
                                        ": " + what);
}

bool SameSegment(const Segment& a, const Segment& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Factor& x, const Factor& y) {
                      return x.group == y.group && x.size == y.size;
                    });
}

bool SameAxis(const Axis& a, const Axis& b) {
  return a.shared == b.shared &&
         std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(),
                    b.segments.end(), SameSegment);
}

void CheckMember(const TensorSymmetry& tensor, std::span<const Group> groups) {
  const int group = tensor.member.group;
  if (group < 0 || group >= static_cast<int>(groups.size())) {
    Fail(tensor, "its group does not exist");
  }
  const std::string name = "group " + Quoted(groups[group].name);
  if (groups[group].parent != kNoGroup) {
    Fail(tensor,
         name + " lies within another group, so it cannot order a list");
  }
  if (tensor.member.index < 0 || tensor.member.index >= groups[group].size) {
    Fail(tensor, "the list has more tensors than " + name + " has units");
  }
  if (tensor.parts() > 1) Fail(tensor, "a tensor of a list must have one part");
  TensorSymmetry alone = tensor;
  alone.member = {};
  if (alone.Groups().contains(group)) {
    Fail(tensor, name + " orders the list, so it cannot occur on an axis");
  }
}

void CheckAlike(const TensorSymmetry& first, const TensorSymmetry& other) {
  const bool same = first.member.group == other.member.group &&
                    first.statistic == other.statistic &&
                    std::equal(first.axes.begin(), first.axes.end(),
                               other.axes.begin(), other.axes.end(), SameAxis);
  if (!same) {
    Fail(other, "its axes differ from those of tensor " + Quoted(first.name));
  }
}

}  // namespace

std::map<std::string, std::vector<int>> FindLists(
    std::span<const Group> groups, std::span<const TensorSymmetry> tensors) {
  std::map<std::string, std::map<int64_t, int>> found;
  for (size_t t = 0; t < tensors.size(); ++t) {
    const TensorSymmetry& tensor = tensors[t];
    if (!tensor.in_list()) continue;
    CheckMember(tensor, groups);
    auto& list = found[tensor.member.list];
    if (!list.empty()) CheckAlike(tensors[list.begin()->second], tensor);
    const auto [place, is_new] =
        list.emplace(tensor.member.index, static_cast<int>(t));
    if (is_new) continue;
    Fail(tensor,
         "has the same position as " + Quoted(tensors[place->second].name));
  }
  std::map<std::string, std::vector<int>> lists;
  for (const auto& [name, list] : found) {
    const TensorSymmetry& first = tensors[list.begin()->second];
    const Group& group = groups[first.member.group];
    if (static_cast<int64_t>(list.size()) != group.size) {
      throw Error(ErrorCode::kBadInput, "list " + Quoted(name) + " has " +
                                            std::to_string(list.size()) +
                                            " tensors, its group " +
                                            Quoted(group.name) + " has size " +
                                            std::to_string(group.size));
    }
    for (const auto& [index, tensor] : list) lists[name].push_back(tensor);
  }
  return lists;
}

TensorSymmetry Stacked(const TensorSymmetry& member,
                       std::span<const Group> groups) {
  TensorSymmetry stack = member;
  stack.name = member.member.list;
  stack.member = {};
  const int group = member.member.group;
  stack.axes.insert(stack.axes.begin(),
                    Axis{.segments = {{{group, groups[group].size}}}});
  return stack;
}

}  // namespace rebasin
