// How much of what could go wrong is tried: a sample in the usual run of all
// tests, everything in scripts/test-faults.

#ifndef REBASIN_TESTS_FAULTS_LONG_RUN_H_
#define REBASIN_TESTS_FAULTS_LONG_RUN_H_

#include <string>

namespace rebasin::testing {

// REBASIN_FAULTS_ALL is set: every call, every allocation, every error.
bool TriesEverything();

// REBASIN_KILLS: how often each command is killed at random, 10 if not set.
int KillsOfEach();

// A line for scripts/test-faults to add up.
void Report(const std::string& what, long count);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_FAULTS_LONG_RUN_H_
