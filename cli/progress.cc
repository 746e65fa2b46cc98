#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

namespace rebasin::cli {
namespace {

constexpr int64_t kBarWidth = 30;
constexpr std::chrono::milliseconds kInterval(100);

std::string Bar(int64_t done, int64_t total) {
  const int64_t filled =
      total > 0 ? std::clamp<int64_t>(done * kBarWidth / total, 0, kBarWidth)
                : 0;
  return "[" + std::string(static_cast<size_t>(filled), '#') +
         std::string(static_cast<size_t>(kBarWidth - filled), '.') + "]";
}

}  // namespace

void ProgressBar::Update(const std::string& stage, int64_t done,
                         int64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || (drawn_ && now - last_ < kInterval)) return;
  last_ = now;
  drawn_ = true;
  std::fputs(("\r\033[K" + Bar(done, total) + " " + stage).c_str(), stderr);
}

void ProgressBar::Clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

Run RunFor(Console& console, ProgressBar* progress) {
  Run run{.threads = console.context().threads,
          .seed = console.context().seed,
          .warn = console.warner()};
  if (progress == nullptr) return run;
  run.progress = [progress](const Progress& now) {
    progress->Update(now.stage, now.done, now.total);
  };
  return run;
}

}  // namespace rebasin::cli
