#include "data/examples.h"

#include <algorithm>
#include <utility>

#include "rebasin/error.h"

namespace rebasin {
namespace {

Dataset MakeDataset(const std::string& name, Examples examples,
                    int64_t classes) {
  if (examples.empty()) return {};
  // Without labels, there are no classes either.
  if (examples.labels.empty()) classes = 0;
  if (!examples.bytes.empty()) {
    return {name, std::move(examples.shape), std::move(examples.bytes),
            std::move(examples.labels), classes};
  }
  return {name, std::move(examples.shape), std::move(examples.floats),
          std::move(examples.labels), classes};
}

int64_t ClassesOf(const Examples& examples) {
  const auto& labels = examples.labels;
  if (labels.empty()) return 0;
  return int64_t{*std::max_element(labels.begin(), labels.end())} + 1;
}

}  // namespace

DataSplits MakeSplits(const std::string& train_name, Examples train,
                      const std::string& test_name, Examples test,
                      int64_t least_classes) {
  if (!train.empty() && !test.empty() && train.shape != test.shape) {
    throw Error(ErrorCode::kMismatch, train_name + " has examples of shape " +
                                          ShapeText(train.shape) + ", but " +
                                          test_name + " of " +
                                          ShapeText(test.shape));
  }
  const int64_t classes =
      std::max({ClassesOf(train), ClassesOf(test), least_classes});
  return {.train = MakeDataset(train_name, std::move(train), classes),
          .test = MakeDataset(test_name, std::move(test), classes)};
}

}  // namespace rebasin
