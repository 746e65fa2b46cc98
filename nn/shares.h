// The parents of a merge and their shares in it.

#ifndef REBASIN_NN_SHARES_H_
#define REBASIN_NN_SHARES_H_

#include <span>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"

namespace rebasin::nn {

// Throws Error(kMismatch) unless there is a share for each model.
inline void RequireShares(std::span<const Checkpoint> models,
                          std::span<const double> shares) {
  if (!models.empty() && models.size() == shares.size()) return;
  throw Error(ErrorCode::kMismatch,
              std::to_string(models.size()) + " models and " +
                  std::to_string(shares.size()) + " shares");
}

}  // namespace rebasin::nn

#endif  // REBASIN_NN_SHARES_H_
