#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

namespace rebasin::cli {
namespace {

constexpr int64_t kBarWidth = 30;
constexpr std::chrono::milliseconds kBarInterval(100);
constexpr std::chrono::seconds kLineInterval(30);

std::string Bar(int64_t done, int64_t total) {
  const int64_t filled =
      total > 0 ? std::clamp<int64_t>(done * kBarWidth / total, 0, kBarWidth)
                : 0;
  return "[" + std::string(static_cast<size_t>(filled), '#') +
         std::string(static_cast<size_t>(kBarWidth - filled), '.') + "]";
}

// "3 of 10, 30 %"; empty if the number of steps is unknown.
std::string ShareText(int64_t done, int64_t total) {
  if (total <= 0) return "";
  return ": " + std::to_string(done) + " of " + std::to_string(total) + ", " +
         std::to_string(100 * done / total) + " %";
}

}  // namespace

ProgressBar::Clock::duration ProgressBar::UsualInterval(
    const Console& console) {
  if (console.progress_style() == ProgressStyle::kBar) return kBarInterval;
  return kLineInterval;
}

void ProgressBar::Update(const std::string& stage, int64_t done,
                         int64_t total) {
  if (style_ == ProgressStyle::kNone) return;
  const bool is_bar = style_ == ProgressStyle::kBar;
  const Clock::time_point now = Clock::now();
  const bool at_once = is_bar && !drawn_;
  if (!at_once && now - last_ < interval_) return;
  last_ = now;
  drawn_ = is_bar;
  const std::string text =
      is_bar ? "\r\033[K" + Bar(done, total) + " " + stage
             : "rebasin: " + stage + ShareText(done, total) + "\n";
  std::fputs(text.c_str(), stderr);
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
