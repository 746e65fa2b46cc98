// Runs the real program, as a shell would.

#ifndef REBASIN_TESTS_CLI_PROGRAM_H_
#define REBASIN_TESTS_CLI_PROGRAM_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "support/temp_dir.h"

namespace rebasin::testing {

struct Outcome {
  int exit_code = -1;  // 128 + n if signal n killed it
  std::string out, err;
  double seconds = 0;  // of the processor, which others may be using
  // Of memory; not less than the test itself had when it started the program.
  int64_t peak_bytes = 0;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
  bool says(const std::string& text) const {
    return err.find(text) != std::string::npos;
  }
};

// Variables to set; without a value, to remove.
using Environment = std::map<std::string, std::optional<std::string>>;

// The program while it runs.
class Program {
 public:
  // In `folder`, so that arguments may be plain file names. Another file than
  // the one that was built may be run.
  Program(const TempDir& folder, const std::vector<std::string>& args,
          const Environment& environment = {},
          const std::string& file = REBASIN_PROGRAM);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Whether it has written this to stderr, within a minute.
  bool WaitUntilItSays(const std::string& text) const;
  // Whether SIGSTOP has stopped it; false if it ended.
  bool WaitUntilItStops() const;
  void Signal(int signal) const;
  // Until it ends.
  Outcome Wait();

 private:
  TempDir output_;
  int child_ = -1;
};

// From start to end.
Outcome RunIn(const TempDir& folder, const std::vector<std::string>& args,
              const Environment& environment = {});

// A folder with two small models, a.safetensors and b.safetensors: b is a
// permuted, slightly noisy copy of a chain of dense layers.
class ModelFolder : public TempDir {
 public:
  ModelFolder();

  Outcome Run(const std::vector<std::string>& args,
              const Environment& environment = {}) const {
    return RunIn(*this, args, environment);
  }
  void Save(const std::string& name, const Checkpoint& model) const;
  Checkpoint Load(const std::string& name) const;
};

// The model with one tensor put in place of the one of that name, or added.
Checkpoint With(const Checkpoint& model, const Tensor& tensor);

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_CLI_PROGRAM_H_
