// The result of matching as text and JSON.

#ifndef REBASIN_CLI_MATCH_REPORT_H_
#define REBASIN_CLI_MATCH_REPORT_H_

#include <string>

#include "cli/console.h"
#include "rebasin/match.h"

namespace rebasin::cli {

double Cosine(double dot, double norm_a, double norm_b);
double Distance(double dot, double norm_a, double norm_b);

// The distance of the unaligned models, in one line.
std::string RawText(const MatchReport& report);

// A few lines; with `verbose` also tables of all tensors and groups.
std::string ReportText(const MatchResult& match, bool verbose);
Json ReportJson(const MatchResult& match);

void WarnUnlessConverged(const MatchReport& report, Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MATCH_REPORT_H_
