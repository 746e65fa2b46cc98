// ImageNet as people have it: folders of JPEG files.

#ifndef REBASIN_LAB_PHOTOGRAPHS_H_
#define REBASIN_LAB_PHOTOGRAPHS_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "rebasin/nn/data.h"

namespace rebasin::lab {

struct PhotographOptions {
  // At most so many of each part, from all classes alike; 0: all. A photograph
  // takes 147 kB.
  int64_t most_train = 0, most_test = 0;
};

// True if `folder` has a folder train or val.
bool HoldsPhotographs(const std::filesystem::path& folder);

// Reads `train` and `val` in `folder`. Each has one folder for each class,
// whose names in order are the labels. Instead, val may have the photographs
// themselves, with their labels in val.txt beside it: a line NAME LABEL for
// each. Photographs are resized to 256 pixels on the shorter side and cropped
// to the middle 224 x 224, as torchvision does for evaluation.
//
// Files that are no JPEG files are skipped with a warning. Throws Error(kIo) if
// files cannot be read, Error(kBadInput) if one is damaged or a line of val.txt
// is not understood, Error(kMismatch) if the parts have different classes.
DataSplits ReadPhotographs(const std::filesystem::path& folder,
                           const PhotographOptions& options, const Run& run);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_PHOTOGRAPHS_H_
