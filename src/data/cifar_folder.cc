// The folders of the official CIFAR archives.

#include <utility>

#include "data/cifar.h"
#include "data/folder.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

struct CifarFolder {
  Cifar cifar;
  const char* subfolder;  // the folder in the official archive
  FileNames train;
  FileNames test;
};

CifarFolder FolderOf(Cifar cifar) {
  if (cifar == Cifar::k100) {
    return {cifar, "cifar-100-binary", {"train.bin"}, {"test.bin"}};
  }
  return {cifar,
          "cifar-10-batches-bin",
          {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
           "data_batch_4.bin", "data_batch_5.bin"},
          {"test_batch.bin"}};
}

Examples ReadCifarPart(const fs::path& folder, Cifar cifar,
                       const FileNames& names) {
  Examples examples;
  examples.shape = {3, 32, 32};
  for (const std::string& name : names) {
    const auto file = MappedFile::Open(folder / name);
    AppendCifar(file->bytes(), cifar, Quoted((folder / name).native()),
                examples);
  }
  return examples;
}

DataSplits ReadCifarFolder(const fs::path& folder, const CifarFolder& form) {
  const std::string name = CifarName(form.cifar);
  FileNames all = form.train;
  all.insert(all.end(), form.test.begin(), form.test.end());
  RequireFiles(folder, all, name);
  Examples train = ReadCifarPart(folder, form.cifar, form.train);
  Examples test = ReadCifarPart(folder, form.cifar, form.test);
  return MakeSplits(name + " train", std::move(train), name + " test",
                    std::move(test), CifarClasses(form.cifar));
}

}  // namespace

std::optional<FolderForm> FindCifar(const fs::path& folder, Cifar cifar) {
  const CifarFolder form = FolderOf(cifar);
  for (const fs::path& place : {folder, folder / form.subfolder}) {
    if (!HoldsAnyFile(place, form.train) && !HoldsAnyFile(place, form.test))
      continue;
    return FolderForm{CifarName(cifar),
                      [place, form] { return ReadCifarFolder(place, form); }};
  }
  return std::nullopt;
}

}  // namespace rebasin
