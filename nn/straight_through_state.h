// The state of straight-through matching, besides that of training, that is
// needed to continue bitwise exactly.

#ifndef REBASIN_NN_STRAIGHT_THROUGH_STATE_H_
#define REBASIN_NN_STRAIGHT_THROUGH_STATE_H_

#include <filesystem>
#include <memory>
#include <string>

#include "match/descent/projector.h"
#include "nn/best_point.h"
#include "nn/train_state.h"
#include "rebasin/alignment.h"
#include "rebasin/nn/straight_through.h"

namespace rebasin::nn {

struct StraightThroughState {
  Alignment now;  // that of the projector
  BestPoint points;
  ProjectorState projector = {};
};

StateNotes ToNotes(const StraightThroughState& state);

// Throws Error(kBadInput), naming the file, if the notes are not a state for
// this number of group trees.
StraightThroughState FromNotes(const StateNotes& notes,
                               const std::shared_ptr<const Symmetry>& symmetry,
                               int64_t trees,
                               const std::filesystem::path& path);

// Describes everything on which the result depends, as text.
std::string DescribeStraightThrough(const StraightThroughOptions& options,
                                    const Weights& a, const Weights& b,
                                    const Alignment& start,
                                    const std::string& training);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_STRAIGHT_THROUGH_STATE_H_
