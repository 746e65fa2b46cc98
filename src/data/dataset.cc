#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "data/content.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

[[noreturn]] void Fail(ErrorCode code, const std::string& name,
                       const std::string& what) {
  throw Error(code, name + ": " + what);
}

// The number of examples of `shape`.
int64_t CountExamples(const std::string& name, const Shape& shape,
                      size_t values) {
  const auto size = CheckedProduct(shape);
  const bool positive =
      std::all_of(shape.begin(), shape.end(), [](int64_t n) { return n > 0; });
  if (!positive || !size || values % static_cast<uint64_t>(*size) != 0) {
    Fail(ErrorCode::kMismatch, name,
         std::to_string(values) + " values do not make examples of shape " +
             ShapeText(shape));
  }
  return static_cast<int64_t>(values / static_cast<uint64_t>(*size));
}

void CheckLabels(const std::string& name, std::span<const int32_t> labels,
                 int64_t examples, int64_t classes) {
  if (labels.empty()) return;
  if (static_cast<int64_t>(labels.size()) != examples) {
    Fail(ErrorCode::kMismatch, name,
         std::to_string(labels.size()) + " labels for " +
             std::to_string(examples) + " examples");
  }
  for (const int32_t label : labels) {
    if (label >= 0 && label < classes) continue;
    Fail(ErrorCode::kBadInput, name,
         "the label " + std::to_string(label) + " is not one of " +
             std::to_string(classes) + " classes");
  }
}

std::vector<int64_t> AllRows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

Dataset::Dataset(std::string name, Shape example_shape,
                 std::vector<uint8_t> pixels, std::vector<int32_t> labels,
                 int64_t classes)
    : name_(std::move(name)),
      example_shape_(std::move(example_shape)),
      classes_(classes),
      rows_(AllRows(CountExamples(name_, example_shape_, pixels.size()))) {
  CheckLabels(name_, labels, size(), classes);
  auto content = std::make_shared<Content>();
  content->bytes = std::move(pixels);
  content->labels = std::move(labels);
  content_ = std::move(content);
}

Dataset::Dataset(std::string name, Shape example_shape,
                 std::vector<float> values, std::vector<int32_t> labels,
                 int64_t classes)
    : name_(std::move(name)),
      example_shape_(std::move(example_shape)),
      classes_(classes),
      rows_(AllRows(CountExamples(name_, example_shape_, values.size()))) {
  CheckLabels(name_, labels, size(), classes);
  auto content = std::make_shared<Content>();
  content->floats = std::move(values);
  content->labels = std::move(labels);
  content_ = std::move(content);
}

int64_t Dataset::example_size() const {
  if (content_ == nullptr) return 0;
  return std::accumulate(example_shape_.begin(), example_shape_.end(),
                         int64_t{1}, std::multiplies<>());
}

bool Dataset::has_labels() const {
  return content_ != nullptr && !content_->labels.empty();
}

int32_t Dataset::label(int64_t example) const {
  assert(has_labels() && example >= 0 && example < size());
  const int64_t row = rows_[static_cast<size_t>(example)];
  return content_->labels[static_cast<size_t>(row)];
}

Dataset Dataset::Select(std::span<const int64_t> rows) const {
  Dataset selected;
  selected.name_ = name_;
  selected.example_shape_ = example_shape_;
  selected.classes_ = classes_;
  selected.content_ = content_;
  selected.rows_.reserve(rows.size());
  for (const int64_t row : rows) {
    assert(row >= 0 && row < size());
    selected.rows_.push_back(rows_[static_cast<size_t>(row)]);
  }
  return selected;
}

}  // namespace rebasin
