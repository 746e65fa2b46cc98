#include "rebasin/run.h"

#include "rebasin/error.h"

namespace rebasin {

void Run::CheckStop() const {
  if (Stopped()) throw Error(ErrorCode::kStopped, "stopped");
}

void Run::Report(const std::string& stage, int64_t done, int64_t total) const {
  if (progress) progress({.stage = stage, .done = done, .total = total});
  CheckStop();
}

void Run::Warn(const std::string& line) const {
  if (warn) warn(line);
}

Run Run::WithoutProgress() const {
  Run quiet = *this;
  quiet.progress = {};
  return quiet;
}

Run Run::WithStagePrefix(const std::string& prefix) const {
  Run inner = *this;
  if (!progress) return inner;
  inner.progress = [prefix, outer = progress](const Progress& now) {
    outer({.stage = prefix + now.stage, .done = now.done, .total = now.total});
  };
  return inner;
}

}  // namespace rebasin
