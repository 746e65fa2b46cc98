// Two networks of one kind, trained independently, and the line between them.

#ifndef REBASIN_LAB_PAIR_H_
#define REBASIN_LAB_PAIR_H_

#include <string>
#include <vector>

#include "lab/lab.h"
#include "rebasin/alignment.h"
#include "rebasin/nn/interpolate.h"

namespace rebasin::lab {

struct Pair {
  const Task* task = nullptr;
  std::string name = {};   // for messages and keys: "MLP on MNIST"
  std::string model = {};  // of the zoo
  Checkpoint a = {}, b = {};
  // How the training fell short of the paper's; empty: not at all.
  std::string shortened = {};
};

// Trains both with one recipe; their seeds are derived from the lab's. `name`
// is for messages and keys; empty: that of the training.
Pair TrainPair(Lab& lab, const Task& task, Training training,
               const std::string& name = "");

// The seed of network number `index`.
uint64_t NetworkSeed(const Lab& lab, int64_t index);

// The methods of the paper to align B with A.
enum class Method { kNaive, kActivations, kWeights, kStraightThrough };
const char* MethodName(Method method);
std::vector<Method> AllMethods();

// How many examples experiments use, and how often. Matching has the defaults
// of `rebasin match`.
struct EvaluationSizes {
  int64_t match_examples = 10000;
  int64_t ste_epochs = 0;  // 0: the default of straight-through matching
  int64_t train_examples = 10000, test_examples = 10000;
  int points = 25;
};
// Measures on fewer examples for networks with convolutions, which are slow.
EvaluationSizes DefaultSizes(Lab& lab, const std::string& model);

// The result is stored in the report's folder.
Alignment MatchBy(Lab& lab, const Pair& pair, Method method,
                  const EvaluationSizes& sizes);

// Returns the losses between A and the aligned B. If `recalculate`, BatchNorm
// statistics are recalculated at each point. The result is stored under `key`.
Line Between(Lab& lab, const std::string& key, const Pair& pair,
             const Checkpoint& b, const EvaluationSizes& sizes,
             bool recalculate = true);

// Matches B and evaluates the line.
Line LineBy(Lab& lab, const Pair& pair, Method method,
            const EvaluationSizes& sizes);

// Of a network on the whole training and test data.
struct Evaluations {
  Evaluation train, test;
};
// Evaluates a network, or the ensemble of several, with ten reliability bins as
// in the paper. The result is stored under `key`.
Evaluations EvaluateOnAll(Lab& lab, const Task& task, const std::string& model,
                          const std::string& key,
                          const std::vector<Checkpoint>& networks);

EvaluateOptions EvaluationOptions(const Lab& lab, const Task& task);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_PAIR_H_
