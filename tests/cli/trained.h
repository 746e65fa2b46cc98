// Small networks that were trained by the program itself.

#ifndef REBASIN_TESTS_CLI_TRAINED_H_
#define REBASIN_TESTS_CLI_TRAINED_H_

#include <string>
#include <vector>

#include "cli/program.h"

namespace rebasin::testing {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments args, const Arguments& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// A short training on the digits; seeds and more flags may follow.
Arguments TrainDigits(const std::string& output, int epochs = 4,
                      const std::string& learning_rate = "0.005");

// a.safetensors and b.safetensors, chains of dense layers that know the digits.
class TrainedFolder : public TempDir {
 public:
  TrainedFolder();
  Outcome Run(const Arguments& args) const { return RunIn(*this, args); }
};

// images/ (train.npz and test.npz, in colour, 32 x 32) and two small ResNets
// with BatchNorm, a.safetensors and b.safetensors.
class ResNetFolder : public TempDir {
 public:
  ResNetFolder();
  Outcome Run(const Arguments& args) const { return RunIn(*this, args); }
};

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_CLI_TRAINED_H_
