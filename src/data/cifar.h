// The official binary files of CIFAR-10 and CIFAR-100: records of labels and a
// 32 x 32 image (red, green, blue), without a header.

#ifndef REBASIN_DATA_CIFAR_H_
#define REBASIN_DATA_CIFAR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "data/examples.h"

namespace rebasin {

inline constexpr int64_t kCifarPixels = 3 * 32 * 32;

enum class Cifar { k10, k100 };

std::string CifarName(Cifar cifar);  // "CIFAR-10"
int64_t CifarClasses(Cifar cifar);

// Adds the records of a file to `images`, as bytes. Of the two labels of
// CIFAR-100, uses the second (fine) one. Throws Error(kBadInput) if the size or
// a label is invalid, Error(kMismatch) if there is no record,
// Error(kUnsupported) for batches of the Python version.
void AppendCifar(std::span<const std::byte> file, Cifar cifar,
                 const std::string& source, Examples& images);

// Recognises the data set of a file by its size and, if that fits both, by its
// labels. Throws Error(kBadInput, kMismatch, kUnsupported).
Cifar RecogniseCifar(std::span<const std::byte> file,
                     const std::string& source);

// True for the first bytes of a pickle, with which no record starts.
bool IsPickle(std::span<const std::byte> file);
[[noreturn]] void ThrowPickle(const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_DATA_CIFAR_H_
