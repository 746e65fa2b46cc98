#include "faults/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

Contents ContentsOf(const TempDir& folder) {
  Contents contents;
  for (const std::string& name : folder.Files()) {
    contents[name] = ReadAll(folder / name);
  }
  return contents;
}

// ".NAME.rebasin-XXXXXX.tmp" -> NAME, anything else -> "".
std::string TargetOfTemporary(const std::string& name) {
  const size_t end = name.rfind(".rebasin-");
  const bool is_one = name.starts_with('.') && end != std::string::npos &&
                      name.ends_with(".tmp");
  return is_one ? name.substr(1, end - 1) : "";
}

// Takes the temporary files out, and returns the largest number for a target.
int TakeTemporaries(Contents& contents) {
  std::map<std::string, int> counts;
  int most = 0;
  std::erase_if(contents, [&](const auto& file) {
    const std::string target = TargetOfTemporary(file.first);
    if (target.empty()) return false;
    most = std::max(most, ++counts[target]);
    return true;
  });
  return most;
}

bool Holds(const Contents& contents, const Contents::value_type& file) {
  const auto found = contents.find(file.first);
  return found != contents.end() && found->second == file.second;
}

std::string NamesIn(const Contents& contents) {
  std::string text;
  for (const auto& [name, bytes] : contents) {
    text += name + " (" + std::to_string(bytes.size()) + " bytes) ";
  }
  return text;
}

}  // namespace

std::string TextOf(const Fault& fault) {
  return fault.kind + " " + std::to_string(fault.call) + " " + fault.act + " " +
         std::to_string(fault.number);
}

Scene::Scene(const Task& task, Outputs outputs)
    : task_(task), outputs_(outputs) {
  WriteInputs(task, folder_);
  if (outputs == Outputs::kAreReplaced && !task.in_place) {
    for (const std::string& name : task.outputs) folder_.Write(name, "old");
  }
  before_ = ContentsOf(folder_);
  const Outcome clean = Run();
  EXPECT_EQ(clean.exit_code, 0) << clean.err;
  after_ = ContentsOf(folder_);
  EXPECT_TRUE(task.outputs.empty() || before_ != after_);
}

void Scene::Restore() const {
  for (const auto& [name, content] : ContentsOf(folder_)) {
    if (!before_.contains(name)) fs::remove(folder_ / name);
  }
  for (const auto& [name, content] : before_) {
    if (ReadAll(folder_ / name) != content) folder_.Write(name, content);
  }
}

std::vector<std::string> Scene::Words() const {
  std::vector<std::string> words = task_.args;
  words.insert(words.end(), {"--threads", "2"});
  if (outputs_ == Outputs::kAreReplaced) words.push_back("--force");
  return words;
}

Program Scene::Start() const {
  Restore();
  return Program(folder_, Words());
}

Outcome Scene::RunOnTop(const Environment& environment) const {
  return folder_.Run(Words(), environment);
}

Outcome Scene::Run(const Environment& environment) const {
  Restore();
  return RunOnTop(environment);
}

Environment Scene::Injecting(const Fault& fault) const {
  fs::remove(marks_ / "mark");
  return {{"LD_PRELOAD", FAULT_INJECTION},
          {"REBASIN_FAULT", TextOf(fault)},
          {"REBASIN_FAULT_FOLDER", fs::canonical(folder_.path()).native()},
          {"REBASIN_FAULT_MARK", (marks_ / "mark").native()}};
}

bool Scene::WasDelivered() const { return fs::exists(marks_ / "mark"); }

bool Scene::RunWith(const Fault& fault, Outcome* outcome) const {
  *outcome = Run(Injecting(fault));
  return WasDelivered();
}

bool Scene::RunStopped(const std::string& kind, long call,
                       const std::function<void()>& meanwhile,
                       Outcome* outcome) const {
  Restore();
  Program program(folder_, Words(), Injecting({kind, "signal", SIGSTOP, call}));
  if (program.WaitUntilItStops()) {
    meanwhile();
    program.Signal(SIGCONT);
  }
  *outcome = program.Wait();
  return WasDelivered();
}

bool Scene::IsBetween(const Contents& found) const {
  if (task_.outputs.size() < 2 || found.contains(task_.outputs.back())) {
    return false;
  }
  return std::all_of(found.begin(), found.end(), [&](const auto& file) {
    return Holds(before_, file) || Holds(after_, file);
  });
}

void Scene::ExpectOldOrNew(const Outcome& outcome, int temporaries) const {
  Contents found = ContentsOf(folder_);
  EXPECT_LE(TakeTemporaries(found), temporaries);
  const bool was_ended = outcome.exit_code > 128;
  EXPECT_TRUE(found == after_ || (outcome.exit_code != 0 && found == before_) ||
              (was_ended && IsBetween(found)))
      << NamesIn(found);
}

void Scene::ExpectNew() const {
  EXPECT_TRUE(ContentsOf(folder_) == after_) << NamesIn(ContentsOf(folder_));
}

Contents Scene::OutputFiles() const {
  Contents files;
  for (const std::string& name : task_.outputs) {
    if (fs::exists(folder_ / name)) files[name] = ReadAll(folder_ / name);
  }
  return files;
}

void ExpectOneError(const Outcome& outcome, const std::vector<int>& codes) {
  EXPECT_THAT(codes, ::testing::Contains(outcome.exit_code)) << outcome.err;
  std::istringstream lines(outcome.err);
  int errors = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool known =
        line.starts_with("rebasin: warning: ") || line.starts_with("hint: ");
    if (!known) ++errors;
    EXPECT_TRUE(known || line.starts_with("rebasin: error: ")) << line;
  }
  EXPECT_EQ(errors, 1) << outcome.err;
}

}  // namespace rebasin::testing
