// A folder in which a task is run while something goes wrong, and what must
// hold afterwards whatever that was.

#ifndef REBASIN_TESTS_FAULTS_SCENE_H_
#define REBASIN_TESTS_FAULTS_SCENE_H_

#include <functional>
#include <map>
#include <string>

#include "cli/program.h"
#include "faults/tasks.h"

namespace rebasin::testing {

// What goes wrong; see inject/plan.h.
struct Fault {
  std::string kind;
  std::string act;
  int number = 0;  // of the error or the signal
  long call = 1;
};
std::string TextOf(const Fault& fault);

// The content of every file in a folder, by name.
using Contents = std::map<std::string, std::string>;

class Scene {
 public:
  // Whether the outputs exist already and are to be replaced.
  enum class Outputs { kAreNew, kAreReplaced };
  explicit Scene(const Task& task, Outputs outputs = Outputs::kAreReplaced);

  // Everything as before the task.
  void Restore() const;

  // Runs the task, on top of what there is or from the start.
  Outcome RunOnTop(const Environment& environment = {}) const;
  Outcome Run(const Environment& environment = {}) const;
  // The same while the fault happens; true if it did.
  bool RunWith(const Fault& fault, Outcome* outcome) const;
  // Stops it just before a call of the kind and does something meanwhile; false
  // if there is no such call.
  bool RunStopped(const std::string& kind, long call,
                  const std::function<void()>& meanwhile,
                  Outcome* outcome) const;
  // The variables that make it happen.
  Environment Injecting(const Fault& fault) const;
  // For what happens while it runs.
  Program Start() const;

  // All files are as before the task or as after it, and as after it if the run
  // succeeded. Several outputs cannot change at one moment: if a signal ended
  // the run between, the one that leads to the others is missing. At most so
  // many temporary files are left for an output.
  void ExpectOldOrNew(const Outcome& outcome, int temporaries = 0) const;
  // Only the outputs as after the task.
  void ExpectNew() const;

  Contents OutputFiles() const;
  const Task& task() const { return task_; }
  const ModelFolder& folder() const { return folder_; }

 private:
  bool IsBetween(const Contents& found) const;
  std::vector<std::string> Words() const;
  bool WasDelivered() const;

  Task task_;
  Outputs outputs_;
  ModelFolder folder_;
  TempDir marks_;  // outside of the folder
  Contents before_, after_;
};

// One line that says what is wrong, perhaps a hint; and the exit code.
void ExpectOneError(const Outcome& outcome, const std::vector<int>& codes);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_FAULTS_SCENE_H_
