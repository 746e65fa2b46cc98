// The axis-expression language: parsing and printing.

#include "symmetry/axis.h"

#include <charconv>
#include <string>

#include "base/checked.h"
#include "rebasin/error.h"
#include "rebasin/symmetry.h"
#include "symmetry/names.h"

namespace rebasin {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `visit` for each part of `text` between separators.
template <typename Visit>
void ForEachPart(std::string_view text, char separator, Visit visit) {
  while (true) {
    const size_t end = text.find(separator);
    visit(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void Fail(std::string_view expression, const std::string& what,
                       std::string hint = "") {
  throw Error(ErrorCode::kBadInput,
              "axis expression " + Quoted(expression) + ": " + what,
              std::move(hint));
}

int64_t ParseSize(std::string_view digits, std::string_view expression) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stopped != end) {
    Fail(expression, Quoted(digits) + " is neither a size nor a group name");
  }
  return value;
}

[[noreturn]] void FailUnknownGroup(std::string_view name,
                                   std::string_view expression,
                                   const GroupIndex& groups) {
  std::vector<std::string> names;
  for (const Group& group : groups.groups()) names.push_back(group.name);
  Fail(expression, "unknown group " + Quoted(name), DidYouMean(name, names));
}

Factor ParseFactor(std::string_view text, std::string_view expression,
                   const GroupIndex& groups) {
  if (text.empty()) Fail(expression, "a factor is missing");
  if (text[0] >= '0' && text[0] <= '9') {
    return {.group = kNoGroup, .size = ParseSize(text, expression)};
  }
  const int group = groups.Find(text);
  if (group == kNoGroup) FailUnknownGroup(text, expression, groups);
  return {.group = group, .size = groups.groups()[group].size};
}

std::optional<int64_t> SegmentSize(const Segment& segment) {
  std::vector<int64_t> sizes;
  for (const Factor& factor : segment) sizes.push_back(factor.size);
  return CheckedProduct(sizes);
}

std::optional<int64_t> CheckedAxisSize(const Axis& axis) {
  std::optional<int64_t> total = 0;
  for (const Segment& segment : axis.segments) {
    const auto size = SegmentSize(segment);
    if (!size) return std::nullopt;
    total = CheckedAdd(*total, *size);
    if (!total) return std::nullopt;
  }
  return total;
}

}  // namespace

int64_t Axis::size() const { return CheckedAxisSize(*this).value(); }

GroupIndex::GroupIndex(std::span<const Group> groups) : groups_(groups) {
  for (size_t g = 0; g < groups.size(); ++g) {
    index_.emplace(groups[g].name, static_cast<int>(g));
  }
}

int GroupIndex::Find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? kNoGroup : found->second;
}

Axis ParseAxis(std::string_view text, std::span<const Group> groups) {
  return ParseAxis(text, GroupIndex(groups));
}

Axis ParseAxis(std::string_view text, const GroupIndex& groups) {
  Axis axis;
  ForEachPart(text, '+', [&](std::string_view part) {
    Segment& segment = axis.segments.emplace_back();
    ForEachPart(part, '*', [&](std::string_view factor) {
      segment.push_back(ParseFactor(factor, text, groups));
    });
  });
  if (!CheckedAxisSize(axis)) Fail(text, "the size overflows 63 bits");
  return axis;
}

std::string AxisText(const Axis& axis, std::span<const Group> groups) {
  std::string text;
  for (const Segment& segment : axis.segments) {
    if (!text.empty()) text += '+';
    for (size_t i = 0; i < segment.size(); ++i) {
      if (i > 0) text += '*';
      const Factor& factor = segment[i];
      text += factor.group == kNoGroup ? std::to_string(factor.size)
                                       : groups[factor.group].name;
    }
  }
  return text;
}

}  // namespace rebasin
