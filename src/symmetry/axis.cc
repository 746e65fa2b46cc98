// Parses and prints axis expressions.

#include "symmetry/axis.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>

#include "base/checked.h"
#include "rebasin/error.h"
#include "rebasin/symmetry.h"
#include "symmetry/names.h"
#include "symmetry/placement.h"

namespace rebasin {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
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

// Limits on expressions that are wrong, or made to take a long time.
constexpr size_t kMaxSegments = 1 << 16;
constexpr size_t kMaxFactors = 1 << 22;  // in all segments
constexpr int kMaxParentheses = 64;

// Parses sums, products and parentheses, and expands them to segments.
class AxisParser {
 public:
  AxisParser(std::string_view text, const GroupIndex& groups)
      : text_(text), groups_(groups) {}

  Axis Parse() {
    Axis axis = ParseSum();
    if (next_ < text_.size()) {
      Fail(text_, "unexpected " + Quoted(text_.substr(next_)));
    }
    ClearUnusedShared(axis);
    return axis;
  }

 private:
  Axis ParseSum() {
    if (++depth_ > kMaxParentheses) Fail(text_, "too many parentheses");
    Axis sum = ParseProduct();
    while (Take('+')) Append(ParseProduct(), sum);
    --depth_;
    return sum;
  }

  Axis ParseProduct() {
    Axis product{.segments = {{}}, .shared = {0}};
    do {
      Multiply(product, ParseNext());
    } while (Take('*'));
    return product;
  }

  Axis ParseNext() {
    if (!Take('(')) {
      const size_t end =
          std::min(text_.find_first_of("+*()", next_), text_.size());
      const std::string_view word = Trim(text_.substr(next_, end - next_));
      next_ = end;
      return {.segments = {{ParseFactor(word, text_, groups_)}}, .shared = {0}};
    }
    Axis inner = ParseSum();
    if (!Take(')')) Fail(text_, "\"(\" without \")\"");
    return inner;
  }

  // Skips spaces, then `c` if it is next. Returns whether it was.
  bool Take(char c) {
    while (next_ < text_.size() &&
           (text_[next_] == ' ' || text_[next_] == '\t')) {
      ++next_;
    }
    if (next_ == text_.size() || text_[next_] != c) return false;
    ++next_;
    return true;
  }

  void Append(Axis part, Axis& sum) const {
    std::move(part.segments.begin(), part.segments.end(),
              std::back_inserter(sum.segments));
    sum.shared.insert(sum.shared.end(), part.shared.begin(), part.shared.end());
    CheckCount(sum.segments.size());
  }

  // x *= y: appends each segment of y to each segment of x.
  void Multiply(Axis& x, const Axis& y) {
    CheckCount(x.segments.size() * y.segments.size());
    for (const Segment& segment : y.segments) {
      CountFactors(x.segments.size() * segment.size());
    }
    // In place, so that a long product takes linear time.
    if (y.segments.size() == 1) {
      for (Segment& segment : x.segments) Append(y.segments[0], segment);
      return;
    }
    Axis product;
    for (size_t i = 0; i < x.segments.size(); ++i) {
      const int length = static_cast<int>(x.segments[i].size());
      CountFactors(length * y.segments.size());
      for (size_t j = 0; j < y.segments.size(); ++j) {
        Append(y.segments[j], product.segments.emplace_back(x.segments[i]));
        product.shared.push_back(j == 0 ? x.shared[i] : length + y.shared[j]);
      }
    }
    x = std::move(product);
  }

  static void Append(const Segment& part, Segment& segment) {
    segment.insert(segment.end(), part.begin(), part.end());
  }

  void CheckCount(size_t segments) const {
    if (segments > kMaxSegments) Fail(text_, "too many segments");
  }

  void CountFactors(size_t more) {
    factors_ += more;
    if (factors_ > kMaxFactors) Fail(text_, "too many factors");
  }

  std::string_view text_;
  const GroupIndex& groups_;
  size_t next_ = 0;
  int depth_ = 0;
  size_t factors_ = 0;  // written so far
};

class AxisPrinter {
 public:
  AxisPrinter(const Axis& axis, std::span<const Group> groups)
      : axis_(axis), groups_(groups) {}

  std::string Sum(size_t begin, size_t end, int depth) const {
    std::string text;
    for (size_t next = begin; begin < end; begin = next) {
      next = EndOfRun(axis_, begin, end, depth);
      if (!text.empty()) text += '+';
      text += Product(begin, next, depth);
    }
    return text;
  }

 private:
  std::string Product(size_t begin, size_t end, int depth) const {
    const int common = CommonFactors(axis_, begin, end);
    std::string text;
    for (int f = depth; f < common; ++f) {
      const Factor& factor = axis_.segments[begin][f];
      if (!text.empty()) text += '*';
      text += factor.group == kNoGroup ? std::to_string(factor.size)
                                       : groups_[factor.group].name;
    }
    if (end - begin == 1) return text;
    return text + "*(" + Sum(begin, end, common) + ")";
  }

  const Axis& axis_;
  std::span<const Group> groups_;
};

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
  Axis axis = AxisParser(text, groups).Parse();
  if (!CheckedAxisSize(axis)) Fail(text, "the size overflows 63 bits");
  return axis;
}

std::string AxisText(const Axis& axis, std::span<const Group> groups) {
  return AxisPrinter(axis, groups).Sum(0, axis.segments.size(), 0);
}

}  // namespace rebasin
