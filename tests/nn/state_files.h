// State files that were changed by hand.

#ifndef REBASIN_TESTS_NN_STATE_FILES_H_
#define REBASIN_TESTS_NN_STATE_FILES_H_

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"
#include "support/temp_dir.h"

namespace rebasin::testing {

using ChangeState = std::function<void(std::map<std::string, std::string>&,
                                       std::vector<Tensor>&)>;

// The state as `change` leaves its metadata and tensors.
inline void RewriteState(const std::filesystem::path& path,
                         const ChangeState& change) {
  const TempDir other;
  std::filesystem::copy_file(path, other / "state.safetensors");
  const Checkpoint state = Checkpoint::Open(other / "state.safetensors");
  auto metadata = state.metadata();
  auto tensors = state.tensors();
  change(metadata, tensors);
  SaveCheckpoint(Checkpoint(tensors, metadata), path, {.force = true});
}

// One entry of the JSON that stands under `name` in the metadata.
inline void SetInState(const std::filesystem::path& path,
                       const std::string& name, const std::string& key,
                       const nlohmann::json& value) {
  RewriteState(path, [&](auto& metadata, auto&) {
    auto json = nlohmann::json::parse(metadata.at(name));
    json[key] = value;
    metadata[name] = json.dump();
  });
}

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_NN_STATE_FILES_H_
