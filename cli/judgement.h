// The evaluation of a merge and its parents, as text and JSON.

#ifndef REBASIN_CLI_JUDGEMENT_H_
#define REBASIN_CLI_JUDGEMENT_H_

#include <string>
#include <vector>

#include "cli/console.h"
#include "rebasin/nn/judge.h"

namespace rebasin::cli {

struct JudgedModel {
  std::string name;
  Evaluation evaluation;
};

// The parents, or only the best and the worst of many, their ensemble, the
// averages, and the merged model at the end.
std::vector<JudgedModel> JudgedModels(
    const Judgement& judgement, const std::vector<std::string>& names = {});

// "model 2", followed by its name if there are names.
std::string ModelName(size_t model, const std::vector<std::string>& names);

// How the level of an uninvolved network was found.
std::string UninvolvedSource(const KeptKnowledge& kept);

// Compares the accuracies of the merge and its best parent, without a full
// stop.
std::string AccuracyText(const Judgement& judgement);

// `judged_on` names the examples: "100 examples of MNIST test".
std::string JudgementText(const Judgement& judgement,
                          const std::string& judged_on);
Json JudgementJson(const Judgement& judgement);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_JUDGEMENT_H_
