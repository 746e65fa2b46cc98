// MNIST, and data sets with the same files.

#include <utility>

#include "data/folder.h"
#include "data/idx.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// The last part of a path; also for "a/b/".
std::string NameOf(const fs::path& folder) {
  const fs::path path = folder.lexically_normal();
  const fs::path last =
      path.has_filename() ? path.filename() : path.parent_path().filename();
  return last.native();
}

// The plain or the gzip file; nothing if neither exists.
std::optional<fs::path> FindIdxFile(const fs::path& folder,
                                    const std::string& name) {
  for (const char* ending : {"", ".gz"}) {
    if (FileExists(folder / (name + ending))) return folder / (name + ending);
  }
  return std::nullopt;
}

IdxArray ReadIdxFile(const fs::path& folder, const std::string& name,
                     IdxContent content) {
  const auto path = FindIdxFile(folder, name);
  if (!path) RequireFiles(folder, {name}, "an IDX data set");
  const auto file = MappedFile::Open(*path);
  return ReadIdx(file->bytes(), content, Quoted(path->native()));
}

// `part` is "train" or "t10k". Returns no examples if neither file exists.
Examples ReadIdxPart(const fs::path& folder, const std::string& part) {
  const std::string images_name = part + "-images-idx3-ubyte";
  const std::string labels_name = part + "-labels-idx1-ubyte";
  if (!FindIdxFile(folder, images_name) && !FindIdxFile(folder, labels_name)) {
    return {};
  }
  IdxArray images = ReadIdxFile(folder, images_name, IdxContent::kImages);
  const IdxArray labels = ReadIdxFile(folder, labels_name, IdxContent::kLabels);
  if (images.shape[0] != labels.shape[0]) {
    throw Error(ErrorCode::kMismatch,
                Quoted(folder.native()) + ": " + images_name + " has " +
                    std::to_string(images.shape[0]) + " images, but " +
                    labels_name + " has " + std::to_string(labels.shape[0]) +
                    " labels");
  }
  Examples examples;
  examples.shape = {1, images.shape[1], images.shape[2]};
  examples.bytes = std::move(images.values);
  examples.labels.assign(labels.values.begin(), labels.values.end());
  return examples;
}

DataSplits ReadIdxFolder(const fs::path& folder) {
  Examples train = ReadIdxPart(folder, "train");
  Examples test = ReadIdxPart(folder, "t10k");
  const Shape& shape = train.empty() ? test.shape : train.shape;
  const std::string name =
      shape == Shape{1, 28, 28} ? "MNIST" : Printable(NameOf(folder));
  return MakeSplits(name + " train", std::move(train), name + " test",
                    std::move(test));
}

}  // namespace

std::optional<FolderForm> FindIdx(const fs::path& folder) {
  for (const char* name :
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    if (!FindIdxFile(folder, name)) continue;
    return FolderForm{"an IDX data set",
                      [folder] { return ReadIdxFolder(folder); }};
  }
  return std::nullopt;
}

}  // namespace rebasin
