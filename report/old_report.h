// What an older report has left in a folder.

#ifndef REBASIN_REPORT_OLD_REPORT_H_
#define REBASIN_REPORT_OLD_REPORT_H_

#include <filesystem>
#include <set>
#include <string>

namespace rebasin {

// The numbers and pictures that the folder's report.json speaks of, by the
// names of their files; none if there is no such report, or none that can be
// read. Plain names of this folder only.
std::set<std::string> FilesOfOldReport(const std::filesystem::path& folder);

}  // namespace rebasin

#endif  // REBASIN_REPORT_OLD_REPORT_H_
