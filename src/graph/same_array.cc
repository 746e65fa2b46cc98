#include "graph/same_array.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.h"

namespace rebasin {
namespace {

constexpr int64_t kShownNumbers = 4;

bool SameNumber(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

uint64_t NumberBits(double number) {
  if (std::isnan(number)) return 1;
  return std::bit_cast<uint64_t>(number == 0 ? 0.0 : number);
}

}  // namespace

bool SameArray(const Array& a, const Array& b) {
  if (a.kind != b.kind || a.shape != b.shape || a.size() != b.size()) {
    return false;
  }
  if (a.elements == b.elements) return true;
  return std::equal(a.values().begin(), a.values().end(), b.values().begin(),
                    SameNumber);
}

uint64_t ArrayHash(const Array& array) {
  uint64_t hash = static_cast<uint64_t>(array.kind);
  for (int64_t size : array.shape) {
    hash = Mix(hash, static_cast<uint64_t>(size));
  }
  if (!array.elements) return hash;
  for (double number : array.values()) hash = Mix(hash, NumberBits(number));
  return hash;
}

std::string ArrayText(const Array& array) {
  std::string text = array.shape.empty() ? "" : ShapeText(array.shape) + " ";
  const int64_t shown = std::min(array.size(), kShownNumbers);
  for (int64_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + Number(array.values()[i], 7);
  }
  return text + (array.size() > shown ? ", ..." : "");
}

}  // namespace rebasin
