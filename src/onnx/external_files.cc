#include "onnx/external_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>
#include <utility>

#include "formats/shard_index.h"
#include "onnx/sha1.h"
#include "onnx/warnings.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Limits of the total size of tensors relative to their files. Tensors may
// share data, since some exporters store equal ones once, but reading takes
// time for each of them.
constexpr int64_t kMaxUses = 8;
constexpr int64_t kAlwaysUsed = 1 << 20;

Error Bad(const std::string& where, const std::string& what) {
  return Error(ErrorCode::kBadInput, where + ": " + what);
}

int64_t ReadNumber(const onnx::StringStringEntryProto& entry,
                   const std::string& where) {
  const std::string& text = entry.value();
  int64_t number = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw Bad(where, "the " + entry.key() + " of its external data is " +
                         Quoted(text) + ", not a whole number from 0");
  }
  return number;
}

// Throws the errors of OpenBeneath, prefixed with the tensor's name.
OpenedFile OpenNamed(const fs::path& folder, const std::string& location,
                     const std::string& where) {
  try {
    return OpenBeneath(folder, location);
  } catch (const Error& error) {
    throw Error(error.code(), where + ": external data: " + error.what(),
                error.hint());
  }
}

}  // namespace

ExternalFiles::Place ExternalFiles::ReadPlace(
    const onnx::TensorProto& tensor, const std::string& where,
    std::vector<std::string>& warnings) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      place.location = entry.value();
    } else if (entry.key() == "offset") {
      place.offset = ReadNumber(entry, where);
    } else if (entry.key() == "length") {
      place.length = ReadNumber(entry, where);
    } else if (entry.key() == "checksum") {
      place.checksum = entry.value();
    } else {
      AddWarning(warnings, where + ": unknown key " + Quoted(entry.key()) +
                               " of its external data is ignored");
    }
  }
  if (place.location.empty()) throw Bad(where, "external data has no location");
  if (place.location.find('\0') != std::string::npos) {
    throw Bad(where, "the location of its external data contains a NUL");
  }
  return place;
}

std::shared_ptr<const MappedFile> ExternalFiles::Open(
    const std::string& location, const std::string& where) {
  // A file can be written in several ways: a, ./a, b/../a.
  auto& file = files_[fs::path(location).lexically_normal()];
  if (file) return file;
  const fs::path folder = model_.parent_path();
  const fs::path path = folder / location;
  std::error_code ignored;
  const bool plain = fs::path(location).filename() == location;
  const bool linked_model = fs::is_symlink(model_, ignored);
  if (plain && (follow_symlinks_ || linked_model)) {
    if (!follow_symlinks_) CheckShardLink(model_, path);
    file = MappedFile::Open(path);
  } else {
    file = MappedFile::Map(path, OpenNamed(folder, location, where));
  }
  file_bytes_ += static_cast<int64_t>(file->bytes().size());
  return file;
}

void ExternalFiles::CheckSum(const Place& place, const MappedFile& file,
                             const std::string& where) {
  if (place.checksum.empty()) return;
  std::string& sum = sums_[&file];
  if (sum.empty()) sum = Sha1(file.bytes());
  std::string wanted = place.checksum;
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (sum == wanted) return;
  throw Bad(where, "external data " + Quoted(place.location) +
                       " has the checksum " + sum + ", expected " +
                       Quoted(place.checksum));
}

void ExternalFiles::Count(int64_t length, const std::string& where) {
  tensor_bytes_ += length;
  if (tensor_bytes_ <= kMaxUses * file_bytes_ + kAlwaysUsed) return;
  throw Error(
      ErrorCode::kLimit,
      where +
          ": tensors overlap in external data; together they are more than " +
          std::to_string(kMaxUses) + " times its size");
}

ExternalFiles::Data ExternalFiles::Get(const onnx::TensorProto& tensor,
                                       int64_t size, const std::string& where,
                                       std::vector<std::string>& warnings) {
  if (!allowed_) {
    throw Error(ErrorCode::kUnsupported,
                where + ": its data is in another file",
                "such a model cannot be read apart from its folder");
  }
  const Place place = ReadPlace(tensor, where, warnings);
  const auto file = Open(place.location, where);
  const auto available = static_cast<int64_t>(file->bytes().size());
  const int64_t length = place.length.value_or(size);
  if (length != size) {
    throw Bad(where, "its external data has " + std::to_string(length) +
                         " bytes, expected " + std::to_string(size));
  }
  if (place.offset > available || length > available - place.offset) {
    throw Bad(where, "its external data would end at byte " +
                         std::to_string(place.offset) + " + " +
                         std::to_string(length) + " of " +
                         Quoted(place.location) + ", which has " +
                         std::to_string(available));
  }
  Count(length, where);
  CheckSum(place, *file, where);
  return {file->bytes().subspan(static_cast<size_t>(place.offset),
                                static_cast<size_t>(length)),
          file};
}

std::vector<std::shared_ptr<const MappedFile>> ExternalFiles::files() const {
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (const auto& [location, file] : files_) {
    if (file) files.push_back(file);
  }
  return files;
}

}  // namespace rebasin
