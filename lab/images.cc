#include "lab/images.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rebasin::lab {
namespace {

std::vector<int32_t> LabelsOf(const Dataset& data) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; data.has_labels() && i < data.size(); ++i) {
    labels.push_back(data.label(i));
  }
  return labels;
}

std::vector<float> ValuesOf(const Dataset& data) {
  std::vector<float> values(
      static_cast<size_t>(data.size() * data.example_size()));
  ReadBatch(data, {}, 0, data.size(), values, nullptr);
  return values;
}

// Two neighbours in the old image, and the share of the second one.
struct Between {
  size_t first, second;
  float share;
};

std::vector<Between> Positions(int64_t from, int64_t to) {
  std::vector<Between> positions;
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double last = static_cast<double>(from - 1);
  for (int64_t i = 0; i < to; ++i) {
    const double at =
        std::clamp((static_cast<double>(i) + 0.5) * step - 0.5, 0.0, last);
    const auto first = static_cast<size_t>(at);
    positions.push_back({first, std::min(first + 1, static_cast<size_t>(last)),
                         static_cast<float>(at - static_cast<double>(first))});
  }
  return positions;
}

float Mix(float a, float b, float share) { return a + share * (b - a); }

}  // namespace

Dataset Resized(const Dataset& images, int64_t side) {
  const Shape& shape = images.example_shape();
  const auto rows = Positions(shape[1], side),
             columns = Positions(shape[2], side);
  const auto width = static_cast<size_t>(shape[2]);
  const auto plane = static_cast<size_t>(shape[1] * shape[2]);
  const std::vector<float> old = ValuesOf(images);
  std::vector<float> values;
  values.reserve(old.size() / plane * rows.size() * columns.size());
  for (size_t start = 0; start < old.size(); start += plane) {
    for (const Between& row : rows) {
      const float* const above = &old[start + row.first * width];
      const float* const below = &old[start + row.second * width];
      for (const Between& x : columns) {
        values.push_back(Mix(Mix(above[x.first], above[x.second], x.share),
                             Mix(below[x.first], below[x.second], x.share),
                             row.share));
      }
    }
  }
  return Dataset(images.name(), {shape[0], side, side}, std::move(values),
                 LabelsOf(images), images.classes());
}

Dataset AsColour(const Dataset& images) {
  constexpr int kColours = 3;
  const Shape& shape = images.example_shape();
  const std::vector<float> old = ValuesOf(images);
  const auto size = static_cast<size_t>(images.example_size());
  std::vector<float> values;
  values.reserve(kColours * old.size());
  for (size_t start = 0; start < old.size(); start += size) {
    for (int colour = 0; colour < kColours; ++colour) {
      values.insert(values.end(), old.begin() + static_cast<int64_t>(start),
                    old.begin() + static_cast<int64_t>(start + size));
    }
  }
  return Dataset(images.name(), {kColours, shape[1], shape[2]},
                 std::move(values), LabelsOf(images), images.classes());
}

}  // namespace rebasin::lab
