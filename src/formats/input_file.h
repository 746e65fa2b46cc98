// A file that is being opened. It is mapped, and an archive's directory is
// read, at first use and only once, because several formats inspect a file
// before one of them reads it.

#ifndef REBASIN_FORMATS_INPUT_FILE_H_
#define REBASIN_FORMATS_INPUT_FILE_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "formats/safetensors_header.h"
#include "io/file.h"
#include "io/zip.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Not thread-safe.
class InputFile {
 public:
  // `threads` compute the checksums of large archives; 0 means one for each
  // core.
  explicit InputFile(std::filesystem::path path, int threads = 1);

  const std::filesystem::path& path() const { return path_; }
  // The quoted path, for the start of messages.
  const std::string& source() const { return source_; }

  // Throw what MappedFile::Open throws.
  const std::shared_ptr<const MappedFile>& mapped() const;
  std::span<const std::byte> bytes() const { return mapped()->bytes(); }

  // Throws what ZipArchive's constructor throws.
  const ZipArchive& archive() const;

  // Makes a checkpoint of tensors and metadata read from this file. Throws
  // Error(kBadInput) if a name occurs twice.
  Checkpoint Build(std::vector<Tensor> tensors, Metadata metadata = {}) const;

 private:
  std::filesystem::path path_;
  std::string source_;
  int threads_;
  mutable std::shared_ptr<const MappedFile> mapped_;
  mutable std::unique_ptr<ThreadPool> pool_;
  mutable std::optional<ZipArchive> archive_;
};

}  // namespace rebasin

#endif  // REBASIN_FORMATS_INPUT_FILE_H_
