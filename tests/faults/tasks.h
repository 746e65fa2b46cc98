// Commands that are run again and again while something goes wrong.

#ifndef REBASIN_TESTS_FAULTS_TASKS_H_
#define REBASIN_TESTS_FAULTS_TASKS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.h"

namespace rebasin::testing {

struct Task {
  std::string name;
  std::vector<std::string> args;
  // The files that it writes. Of several, the last leads to the others and
  // appears last.
  std::vector<std::string> outputs = {};
  // The output is an input, too: what it holds decides what it will hold.
  bool in_place = false;
  int io_code = 5;  // the exit code where the system refuses
};

// For GoogleTest's lists of parameters.
inline void PrintTo(const Task& task, std::ostream* out) { *out << task.name; }
inline std::string TaskName(const ::testing::TestParamInfo<Task>& info) {
  return info.param.name;
}

std::vector<Task> AllTasks();
// Those whose outputs are new files, or replace others.
std::vector<Task> WritingTasks();
// And those that work in place.
std::vector<Task> ChangingTasks();
// Of them the one that writes five shards and an index.
Task ShardedMerge();
Task PlainMerge();

// Writes what the task reads, and for each model another of the same size.
void WriteInputs(const Task& task, const ModelFolder& folder);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_FAULTS_TASKS_H_
