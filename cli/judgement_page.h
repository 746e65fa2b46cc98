// The evaluation of a merge and its parents, as blocks of a page.

#ifndef REBASIN_CLI_JUDGEMENT_PAGE_H_
#define REBASIN_CLI_JUDGEMENT_PAGE_H_

#include <string>
#include <vector>

#include "rebasin/nn/judge.h"
#include "rebasin/nn/repair.h"
#include "report/document.h"

namespace rebasin::cli {

// The verdict, the headline numbers, and what was kept of each parent. `names`
// are those of the parents.
std::vector<Block> JudgementBlocks(const Judgement& judgement,
                                   const std::string& judged_on,
                                   const std::vector<std::string>& names);

// The repairs that were compared; empty if only one was run.
std::vector<Block> RepairBlocks(const RepairResult& repaired);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_JUDGEMENT_PAGE_H_
