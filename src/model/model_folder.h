// Folders of models as hubs keep them: weights, settings, tokenizer, and a card
// that says what the model is.

#ifndef REBASIN_MODEL_MODEL_FOLDER_H_
#define REBASIN_MODEL_MODEL_FOLDER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "io/atomic_folder.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// True if a model that is made of `model` and written to `output` becomes a
// folder: `model` is one, and `output` has no ending of a file format; or
// `output` ends with a slash.
bool IsFolderOutput(const std::filesystem::path& output,
                    const std::filesystem::path& model);

// What the card of a model says.
struct ModelCard {
  std::string command = {};  // how it was made, one line
  struct Source {
    std::filesystem::path path = {};
    const Checkpoint* weights = nullptr;
  };
  std::vector<Source> sources = {};  // of what
  std::string findings = {};         // what the program printed; may be empty
};

// A folder that is written: complete, or not there.
class ModelFolder {
 public:
  // Weights without a limit are split into files of this size.
  static constexpr int64_t kUsualShardBytes = 5'000'000'000;

  // `like` is the model, a folder or a file in one, whose settings and
  // tokenizer are taken. Throws what AtomicFolder throws, and Error(kUsage) if
  // `target` is a folder of one of the `inputs`.
  ModelFolder(const std::filesystem::path& target,
              const std::filesystem::path& like,
              const std::vector<std::filesystem::path>& inputs, bool force);

  // The file into which the weights must be written.
  std::filesystem::path weights() const;
  const std::filesystem::path& target() const { return folder_.target(); }

  // Adds the other files and the card, and gives the folder its name.
  void Publish(const ModelCard& card);

 private:
  std::filesystem::path like_;
  AtomicFolder folder_;
};

// The name of a model on a hub, as far as its path or its config.json shows it;
// else the name of its folder or file.
std::string HubName(const std::filesystem::path& model);

}  // namespace rebasin

#endif  // REBASIN_MODEL_MODEL_FOLDER_H_
