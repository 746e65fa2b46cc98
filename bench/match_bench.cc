// Times weight matching in one process.
//
//   match_bench FOLDER [--threads N]
//
// FOLDER has a.safetensors, b.safetensors and spec.json as written by
// bench/models.py. Models and spec are opened and all pages of the files are
// read once. Then MatchWeights is repeated for two seconds (short runs at most
// 50 times, long ones once), and the fastest time is printed as JSON. The peer
// reads its models and repeats its call in the same way, so on both sides the
// weights are in memory before timing starts.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

constexpr double kRepeatSeconds = 2;
constexpr int kMaxRepeats = 50;

struct Timed {
  double seconds = 1e300;
  double first_seconds = 0;  // of the first call, with cold caches
  int repeats = 0;
  MatchReport report;
};

// Reads one byte of every page, so that all are mapped.
void Touch(const Checkpoint& checkpoint) {
  constexpr size_t kPage = 4096;
  for (const Tensor& tensor : checkpoint.tensors()) {
    for (size_t i = 0; i < tensor.bytes.size(); i += kPage) {
      [[maybe_unused]] const volatile std::byte touched = tensor.bytes[i];
    }
  }
}

// Measured around the call, including its clean-up.
double Call(const Checkpoint& a, const Checkpoint& b,
            const std::shared_ptr<const Symmetry>& symmetry, int threads,
            MatchReport* report) {
  const auto start = std::chrono::steady_clock::now();
  *report = MatchWeights(a, b, symmetry, {}, {.threads = threads}).report;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

Timed FastestCall(const std::string& folder, int threads) {
  const auto a = Checkpoint::Open(folder + "/a.safetensors");
  const auto b = Checkpoint::Open(folder + "/b.safetensors");
  const auto symmetry =
      std::make_shared<const Symmetry>(Symmetry::Load(folder + "/spec.json"));
  Touch(a);
  Touch(b);
  Timed best;
  double used = 0;
  while (best.repeats < kMaxRepeats && used < kRepeatSeconds) {
    MatchReport report;
    const double seconds = Call(a, b, symmetry, threads, &report);
    used += seconds;
    if (best.repeats++ == 0) best.first_seconds = seconds;
    if (seconds >= best.seconds) continue;
    best.seconds = seconds;
    best.report = report;
  }
  return best;
}

void Print(const Timed& timed) {
  const MatchReport& report = timed.report;
  std::printf(
      "{\"seconds\": %.9g, \"first_seconds\": %.9g, \"repeats\": %d, "
      "\"objective_before\": %.17g, \"objective_after\": %.17g, "
      "\"passes\": %d, \"gemm_seconds\": %.9g, \"gemm_flops\": %.17g}\n",
      timed.seconds, timed.first_seconds, timed.repeats,
      report.objective_before, report.objective_after, report.passes,
      report.gemm_seconds, report.gemm_flops);
}

int Run(int argc, char** argv) {
  const bool with_threads = argc == 4 && std::strcmp(argv[2], "--threads") == 0;
  if (argc != 2 && !with_threads) {
    throw std::runtime_error("usage: match_bench FOLDER [--threads N]");
  }
  Print(FastestCall(argv[1], with_threads ? std::stoi(argv[3]) : 1));
  return 0;
}

}  // namespace
}  // namespace rebasin

int main(int argc, char** argv) try {
  return rebasin::Run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
