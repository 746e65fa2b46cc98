// A git repository with a model in it.

#ifndef REBASIN_TESTS_CLI_REPOSITORY_H_
#define REBASIN_TESTS_CLI_REPOSITORY_H_

#include <string>
#include <vector>

#include "cli/program.h"
#include "rebasin/checkpoint.h"

namespace rebasin::testing {

using Words = std::vector<std::string>;

// The model of a file that may be replaced meanwhile.
Checkpoint LoadedFrom(const ModelFolder& folder, const std::string& name);

// The model with `number` added to every element of one tensor.
Checkpoint Changed(const Checkpoint& model, const std::string& name,
                   float number);

// The model with noise of the given size, relative to that of each matrix.
Checkpoint Trained(const Checkpoint& model, double size, uint64_t seed);

bool Same(const Checkpoint& a, const Checkpoint& b, const std::string& name);

// The largest difference between two elements.
double Difference(const Checkpoint& a, const Checkpoint& b);

struct RepositoryOptions {
  std::string file = "net.safetensors";
  std::string attributes = "*.safetensors merge=rebasin -text\n";
  bool lfs = false;  // Git LFS keeps the models
  Words setup = {};  // a git command to run before the first commit
};

// A model on two branches, `main` and `side`, and the program as their merge
// driver.
class Repository : public ModelFolder {
 public:
  explicit Repository(const RepositoryOptions& options = {});

  Outcome Git(const Words& words, const Environment& more = {}) const;
  void ExpectGit(const Words& words) const;
  // What it says on stdout, without the end of the line.
  std::string Ask(const Words& words) const;

  void UseDriver(const std::string& options = "") const;
  void Commit(const Checkpoint& model) const;
  void CommitOn(const std::string& branch, const Checkpoint& model) const;
  // Each branch has changed one tensor, and both a third one.
  void Part() const;
  void ExpectMerged() const;

  Checkpoint Now() const { return LoadedFrom(*this, file_); }
  Checkpoint Ours() const { return Changed(base_, "fc1.bias", 0.125); }
  Checkpoint Theirs() const { return Changed(base_, "fc3.bias", 0.125); }
  const Checkpoint& base() const { return base_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  Checkpoint base_;
};

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_CLI_REPOSITORY_H_
