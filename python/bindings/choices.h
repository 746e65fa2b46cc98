// The words of Python's options as enumerators.

#ifndef REBASIN_PYTHON_BINDINGS_CHOICES_H_
#define REBASIN_PYTHON_BINDINGS_CHOICES_H_

#include <string>

#include "rebasin/align.h"
#include "rebasin/discovery.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"
#include "rebasin/model.h"
#include "rebasin/tensor.h"

namespace rebasin::python {

// All throw Error(kUsage) that lists the words.
DType ParseType(const std::string& word);
DiscoverOptions ParseSymmetries(const std::string& word);
StructureNeed ParseNeed(const std::string& word);
MatchStart ParseStart(const std::string& word);
bool ParseRandomOrder(const std::string& word);
ManyMethod ParseMany(const std::string& word);
ThreeWay ParseThreeWay(const std::string& word);

struct Interpolation {
  MergeMethod method = MergeMethod::kLinear;
  bool jointly = false;
};
Interpolation ParseInterpolation(const std::string& word);

// Throws Error(kUsage) if there is no such method or it needs data.
void CheckMethod(const std::string& option, const std::string& word);

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_CHOICES_H_
