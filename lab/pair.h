// Two networks of one kind, trained apart, and what lies between them.

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
  std::string name = {};   // "MLP on MNIST": for people and for keys
  std::string model = {};  // of the zoo
  Checkpoint a = {}, b = {};
};

// Both from one recipe, with seeds that follow from the lab's.
Pair TrainPair(Lab& lab, const Task& task, const std::string& name,
               Training training);

// The seed of network number `index`.
uint64_t NetworkSeed(const Lab& lab, int64_t index);

// The ways to align B with A, as the paper calls them.
enum class Method { kNaive, kActivations, kWeights, kStraightThrough };
const char* MethodName(Method method);
std::vector<Method> AllMethods();

// How much data experiments look at.
struct Looks {
  int64_t match_examples = 10000;
  int64_t ste_epochs = 5;
  int64_t ste_batch = 0;  // 0: the default of straight-through matching
  int64_t train_examples = 10000, test_examples = 10000;
  int points = 25;
};
// Fewer examples for networks with convolutions, which take long.
Looks UsualLooks(Lab& lab, const std::string& model);

// Remembered in the report's folder.
Alignment MatchBy(Lab& lab, const Pair& pair, Method method,
                  const Looks& looks);

// The losses between A and the aligned B; BatchNorm statistics are measured
// anew at each point if the network has any and `recalculate` says so.
// Remembered under `key`.
Line Between(Lab& lab, const std::string& key, const Pair& pair,
             const Checkpoint& b, const Looks& looks, bool recalculate = true);

// Matched and measured.
Line LineBy(Lab& lab, const Pair& pair, Method method, const Looks& looks);

// A network, or the ensemble of several, on the whole test set. Remembered
// under `key`.
Evaluation OnTestSet(Lab& lab, const Task& task, const std::string& model,
                     const std::string& key,
                     const std::vector<Checkpoint>& networks);

EvaluateOptions EvaluateAs(const Lab& lab, const Task& task);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_PAIR_H_
