#include <algorithm>

#include "base/text.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// 'group "x"', or 'group "x" and 2 more groups'.
std::string FirstGroup(const std::vector<std::string>& groups) {
  const auto more = static_cast<int64_t>(groups.size()) - 1;
  return "group " + Quoted(groups[0]) +
         (more == 0 ? "" : " and " + Count(more, "more group"));
}

}  // namespace

double OutputDifference::relative() const {
  return largest > 0 ? difference / largest : difference;
}

const OutputDifference& VerifyReport::worst() const {
  return *std::max_element(
      outputs.begin(), outputs.end(),
      [](const auto& a, const auto& b) { return a.relative() < b.relative(); });
}

std::string VerdictText(const VerifyReport& report) {
  if (!report.cannot_run.empty()) {
    return "NOT PROVED: " + report.cannot_run + ", and the value " +
           Quoted(report.worst().name) + " before it differs";
  }
  if (!report.same) return "NOT the same function";
  if (report.proved()) return "the same function";
  if (report.unproved.empty()) {
    return "NOT PROVED: where scores are equal, the order of " +
           FirstGroup(report.tie_breakers) + " decides which is chosen";
  }
  return "NOT PROVED: no run shows an effect of " + FirstGroup(report.unproved);
}

}  // namespace rebasin
