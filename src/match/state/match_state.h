// The state file of MatchWeights.

#ifndef REBASIN_MATCH_STATE_MATCH_STATE_H_
#define REBASIN_MATCH_STATE_MATCH_STATE_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "match/descent/descent.h"
#include "match/problem.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"

namespace rebasin {

// Where a descent is, besides its own state.
struct MatchPosition {
  bool in_start = true;
  int pass = 1;
  int64_t next = 0;  // in the order of the pass
  double gain = 0;   // of the pass so far
  std::vector<double> gains = {};
};

// What determines the result: options, seed, the structure of both models, and
// a hash of the norms and the inner product of each pair of tensors.
std::string DescribeMatching(const Problem& problem,
                             const MatchOptions& options, uint64_t seed);

class MatchStateFile {
 public:
  MatchStateFile(std::filesystem::path path, std::string description,
                 double seconds);

  // Writes the state, unless the last one was written a short time ago.
  void Offer(const Descent& descent, const MatchPosition& position);
  // Restores the descent. Throws Error(kMismatch) if the state is of other
  // models or options, and what Checkpoint::Open throws.
  MatchPosition Load(Descent& descent) const;

 private:
  using Clock = std::chrono::steady_clock;

  void Write(const Descent& descent, const MatchPosition& position) const;

  std::filesystem::path path_;
  std::string description_;
  double seconds_;
  Clock::time_point last_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_STATE_MATCH_STATE_H_
