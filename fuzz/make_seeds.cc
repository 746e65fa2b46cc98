// Writes the rows of the bad-input tables as seeds: make_seeds FOLDER.

#include <filesystem>
#include <fstream>
#include <vector>

#include "support/bad_input.h"

namespace {

void WriteRows(const std::filesystem::path& folder,
               const std::vector<rebasin::InputRow>& rows) {
  std::filesystem::create_directories(folder);
  for (const rebasin::InputRow& row : rows) {
    std::ofstream(folder / row.name, std::ios::binary) << row.make();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  WriteRows(folder / "safetensors", rebasin::SafetensorsRows());
  WriteRows(folder / "index", rebasin::IndexTextRows());
  WriteRows(folder / "json", rebasin::JsonRows());
  WriteRows(folder / "onnx", rebasin::OnnxRows());
  WriteRows(folder / "idx", rebasin::IdxRows());
  WriteRows(folder / "npz", rebasin::NpzRows());
  WriteRows(folder / "npz", rebasin::ZipRows());
  WriteRows(folder / "npy", rebasin::NpyRows());
  WriteRows(folder / "torch", rebasin::TorchRows());
}
