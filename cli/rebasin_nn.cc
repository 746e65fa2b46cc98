// The program with LibTorch: the table of functions that only rebasin-nn has.

#include "cli/merge_page.h"
#include "cli/networks.h"
#include "nn/processor.h"
#include "nn/verify_data.h"

namespace rebasin::cli {
namespace {

constexpr int64_t kVerifiedExamples = 1000;

VerifyReport VerifyOnData(const Model& model, const Alignment& alignment,
                          const ModelData& data, const Run& run) {
  return nn::VerifyOnData(model.graph(), model.weights, alignment,
                          data.Calibration(kVerifiedExamples, run.seed),
                          data.normalization, run);
}

constexpr Networks kNetworks = {.align = AlignWithData,
                                .defaults = DefaultsFor,
                                .step = ActivationStep,
                                .repair = Repair,
                                .judge = Judge,
                                .verify = VerifyOnData,
                                .write_page = WriteMergePage};

}  // namespace
}  // namespace rebasin::cli

int main(int argc, char** argv) {
  rebasin::nn::AvoidBrokenTiles();
  rebasin::nn::KeepFreedMemory();
  return rebasin::cli::RunProgram({argv, static_cast<size_t>(argc)},
                                  &rebasin::cli::kNetworks);
}
