// Finds the files of an older report in a folder.

#ifndef REBASIN_REPORT_OLD_REPORT_H_
#define REBASIN_REPORT_OLD_REPORT_H_

#include <filesystem>
#include <set>
#include <string>

namespace rebasin {

// Returns the file names in the folder's report.json; empty if there is no
// readable report. Only plain names in this folder.
std::set<std::string> FilesOfOldReport(const std::filesystem::path& folder);

}  // namespace rebasin

#endif  // REBASIN_REPORT_OLD_REPORT_H_
