// The evaluation of a merge and its parents, as text and JSON.

#ifndef REBASIN_CLI_JUDGEMENT_H_
#define REBASIN_CLI_JUDGEMENT_H_

#include <string>

#include "cli/console.h"
#include "rebasin/nn/judge.h"

namespace rebasin::cli {

// `judged_on` names the examples: "100 examples of MNIST test".
std::string JudgementText(const Judgement& judgement,
                          const std::string& judged_on);
Json JudgementJson(const Judgement& judgement);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_JUDGEMENT_H_
