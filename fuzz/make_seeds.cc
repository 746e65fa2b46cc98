// Writes seeds: the rows of the bad-input tables, and files made of them or of
// small networks. Usage: make_seeds FOLDER.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/zip.h"
#include "rebasin/alignment.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"
#include "rebasin/zoo.h"
#include "support/bad_input.h"
#include "support/data_files.h"

namespace {

using namespace rebasin;
namespace fs = std::filesystem;

void Write(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

void WriteRows(const fs::path& folder, const std::vector<InputRow>& rows) {
  for (const InputRow& row : rows) Write(folder / row.name, row.make());
}

// The pickle of a PyTorch archive; empty if it has no such entry.
std::string PickleOf(const std::string& file) {
  try {
    const ZipArchive archive(AsBytes(file), "seed");
    const ZipEntry* entry = archive.Find("model/data.pkl");
    if (entry == nullptr) return "";
    const auto bytes = archive.Read(*entry, entry->size).bytes;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const Error&) {
    return "";
  }
}

// Writes archives, older files, and the pickles in archives.
void WriteTorch(const fs::path& folder) {
  for (const InputRow& row : TorchRows()) {
    const std::string file = row.make();
    const bool archive = file.starts_with("PK");
    Write(folder / (archive ? "torch" : "legacy") / row.name, file);
    if (archive) Write(folder / "zip" / row.name, file);
    const std::string pickle = PickleOf(file);
    if (!pickle.empty()) Write(folder / "pickle" / row.name, pickle);
  }
}

// Writes the symmetries of small networks, with permutations of each.
void WriteSymmetries(const fs::path& folder) {
  int number = 0;
  for (const char* model :
       {"mlp:width=3,depth=2,in=2,out=2",
        "llama:depth=1,width=8,heads=2,kv_heads=1,mlp=4,vocab=4"}) {
    const Graph graph = ZooGraph(model);
    for (const bool scale : {false, true}) {
      const auto symmetry = std::make_shared<const Symmetry>(
          Discover(graph, {.scales = scale, .signs = scale}).symmetry);
      const std::string name = "zoo" + std::to_string(number++);
      Write(folder / "spec" / name, symmetry->ToJson());
      Write(folder / "alignment" / name,
            Alignment::Random(symmetry, 1).ToJson("0123456789abcdef"));
    }
  }
}

// A spec with parts and parentheses.
constexpr const char* kPartsSpec = R"spec({
  "format": "rebasin-symmetry", "version": 1,
  "groups": {"there": 3, "back": 3, "heads": 2,
             "qk": {"size": 3, "within": "heads"},
             "vo": {"size": 2, "within": "heads"}},
  "tensors": {
    "r": {"along": 0, "parts": [["1", "4*there", "there"],
                                ["1", "4*back", "back"]]},
    "qkv": ["heads*(2*qk+vo)", "there+back"],
    "o": ["5", "heads*vo"]}
})spec";

void WriteParts(const fs::path& folder) {
  const auto symmetry =
      std::make_shared<const Symmetry>(Symmetry::FromJson(kPartsSpec, "parts"));
  Write(folder / "spec" / "parts", symmetry->ToJson());
  Write(folder / "alignment" / "parts",
        Alignment::Random(symmetry, 1).ToJson("0123456789abcdef"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  WriteRows(folder / "safetensors", SafetensorsRows());
  WriteRows(folder / "index", IndexTextRows());
  WriteRows(folder / "json", JsonRows());
  WriteRows(folder / "spec", JsonRows());
  WriteRows(folder / "alignment", JsonRows());
  WriteRows(folder / "onnx", OnnxRows());
  WriteRows(folder / "idx", IdxRows());
  WriteRows(folder / "npz", NpzRows());
  WriteRows(folder / "zip", NpzRows());
  WriteRows(folder / "zip", ZipRows());
  WriteRows(folder / "npy", NpyRows());
  WriteRows(folder / "gguf", GgufRows());
  WriteTorch(folder);
  WriteSymmetries(folder);
  WriteParts(folder);
  Write(folder / "cifar" / "ten", CifarRecord("\7", 1) + CifarRecord("\2", 9));
  Write(folder / "cifar" / "hundred", CifarRecord("\7\x63", 1));
}
