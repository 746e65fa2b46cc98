// Aligning two models: the ways to do it, by name.
//
//   const auto models = rebasin::OpenModels(paths);
//   const rebasin::MatchResult found = rebasin::Align(models[0], models[1]);
//   rebasin::Prove(models[1], found.alignment);
//
// Those that need data are in rebasin/nn/align.h, behind the same names.

#ifndef REBASIN_ALIGN_H_
#define REBASIN_ALIGN_H_

#include <span>
#include <string>

#include "rebasin/match.h"
#include "rebasin/model.h"
#include "rebasin/run.h"

namespace rebasin {

// A row of the table of methods.
struct AlignMethod {
  const char* name;
  const char* what;  // one line of help
  bool needs_data = false;
  bool needs_labels = false;
};

// The ones to use first, then those to compare with.
std::span<const AlignMethod> AlignMethods();

// nullptr if there is no such method.
const AlignMethod* FindAlignMethod(const std::string& name);

struct AlignOptions {
  std::string method = "weights";
  MatchOptions match = {};
};

// How B is to be permuted so that its units stand in A's order. The symmetry is
// A's; where it has scalings, they are fitted around any method. Throws
// Error(kUsage) for a method that there is not or that needs data, and what
// MatchWeights throws.
MatchResult Align(const Model& a, const Model& b,
                  const AlignOptions& options = {}, const Run& run = {});

// The same for weights and a symmetry.
MatchResult Align(const Checkpoint& a, const Checkpoint& b,
                  const std::shared_ptr<const Symmetry>& symmetry,
                  const AlignOptions& options = {}, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_ALIGN_H_
