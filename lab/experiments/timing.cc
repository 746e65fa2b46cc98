// The appendix: the time of weight matching.

#include <sys/resource.h>

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/verdicts.h"
#include "rebasin/match.h"

namespace rebasin::lab {
namespace {

struct Network {
  const char* name;
  const char* model;
  double paper;  // seconds, on an instance with a V100
};
constexpr Network kNetworks[] = {
    {"MLP, 3 hidden layers of 512", "mlp:depth=3,width=512", 3},
    {"ResNet50", "resnet50", 33},
    {"ResNet20, 32 times as wide", "resnet20:shortcut=B,width=32", 194},
};

double PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace

Document RunTiming(Lab& lab) {
  Document document{.title = "Time",
                    .question = "How long does weight matching take?"};
  DataTable table{.name = "timing",
                  .caption =
                      "Two networks of random weights. Memory is the "
                      "program's peak so far, both networks included.",
                  .columns = {"network", "weights", "seconds here",
                              "seconds in the paper", "passes", "memory"}};
  std::vector<NamedNumber> slower;
  for (const Network& network : kNetworks) {
    lab.ReportProgress(std::string("timing, ") + network.name);
    const auto graph = lab.GraphOf(network.model);
    const uint64_t seed = 1000 * lab.seed();
    const Checkpoint a =
        InitialWeights(*graph, Initialization::kKaiming, seed + 1);
    const Checkpoint b =
        InitialWeights(*graph, Initialization::kKaiming, seed + 2);
    const MatchReport report =
        MatchWeights(a, b, lab.SymmetryOf(network.model), {}, lab.QuietRun())
            .report;
    const double memory = PeakBytes();
    table.rows.push_back({network.name,
                          {HumanBytes(static_cast<double>(a.bytes())),
                           static_cast<double>(a.bytes())},
                          NumberCell(report.seconds, 3),
                          NumberCell(network.paper),
                          NumberCell(report.passes),
                          {HumanBytes(memory), memory}});
    slower.push_back({network.name, report.seconds / network.paper});
  }
  document.claims = {NoneAbove(
      "Matching here takes no longer than the paper reports on its machine "
      "(share of the paper's time).",
      slower, 1)};
  document.blocks = {table};
  return document;
}

}  // namespace rebasin::lab
