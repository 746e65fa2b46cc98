#include "lab/photographs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

#include "io/file.h"
#include "lab/pictures.h"
#include "rebasin/error.h"

namespace rebasin::lab {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kShorterSide = 256, kSide = 224;
constexpr int64_t kLargestList = int64_t{64} << 20;

struct Photograph {
  fs::path path;
  int32_t label = 0;
};

struct Part {
  std::vector<Photograph> photographs;
  std::vector<std::string> classes;  // empty if labels come from a list
};

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool HasJpegName(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending == ".jpeg" || ending == ".jpg";
}

// Names in order, so that labels and order do not depend on the file system.
std::vector<fs::path> Entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    entries.push_back(at->path());
  }
  if (error) {
    throw Error(ErrorCode::kIo, "cannot read the folder " +
                                    Quoted(folder.native()) + ": " +
                                    error.message());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

Part ListClasses(const fs::path& folder) {
  Part part;
  for (const fs::path& entry : Entries(folder)) {
    if (!IsFolder(entry)) continue;
    const auto label = static_cast<int32_t>(part.classes.size());
    part.classes.push_back(entry.filename().string());
    for (const fs::path& file : Entries(entry)) {
      if (HasJpegName(file)) part.photographs.push_back({file, label});
    }
  }
  return part;
}

Photograph ParseLine(const fs::path& folder, const std::string& line,
                     const std::string& source) {
  const size_t space = line.rfind(' ');
  int32_t label = -1;
  if (space != std::string::npos) {
    const char* const end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data() + space + 1, end, label);
    if (parsed.ec != std::errc() || parsed.ptr != end) label = -1;
  }
  const fs::path name = line.substr(0, std::min(space, line.size()));
  // A name leads to no other folder.
  if (label < 0 || name.empty() || name.has_parent_path()) {
    throw Error(ErrorCode::kBadInput,
                source + ": the line " + Quoted(line) +
                    " is not a file name, a space and a label");
  }
  return {folder / name, label};
}

Part ListByLabels(const fs::path& folder, const fs::path& list) {
  std::istringstream lines(ReadSmallFile(list, kLargestList));
  Part part;
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty()) {
      part.photographs.push_back(
          ParseLine(folder, line, Quoted(list.native())));
    }
  }
  return part;
}

Part ListPart(const fs::path& folder, const std::string& name) {
  const fs::path part = folder / name, list = folder / (name + ".txt");
  if (!IsFolder(part)) return {};
  return IsRegularFile(list) ? ListByLabels(part, list) : ListClasses(part);
}

// Takes the first of each class, then the second, and so on.
void TakeFromAllAlike(std::vector<Photograph>& photographs, int64_t most) {
  const auto count = static_cast<size_t>(most);
  if (most == 0 || count >= photographs.size()) return;
  std::vector<std::pair<int64_t, size_t>> order;  // place in its class, index
  std::vector<int64_t> seen;
  for (size_t i = 0; i < photographs.size(); ++i) {
    const auto label = static_cast<size_t>(photographs[i].label);
    if (label >= seen.size()) seen.resize(label + 1);
    order.emplace_back(seen[label]++, i);
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<Photograph> taken;
  for (size_t i = 0; i < count; ++i) {
    taken.push_back(photographs[order[i].second]);
  }
  photographs = std::move(taken);
}

// Channel after channel, as networks take them.
void Append(const RgbPicture& picture, std::vector<uint8_t>& pixels) {
  for (size_t colour = 0; colour < 3; ++colour) {
    for (size_t at = colour; at < picture.rgb.size(); at += 3) {
      pixels.push_back(picture.rgb[at]);
    }
  }
}

Dataset ReadPart(const std::string& name, const Part& part, int64_t classes,
                 const Run& run) {
  if (part.photographs.empty()) return {};
  std::vector<uint8_t> pixels;
  std::vector<int32_t> labels;
  pixels.reserve(part.photographs.size() * 3 * kSide * kSide);
  int64_t done = 0;
  for (const Photograph& photograph : part.photographs) {
    run.Report("reading " + name, done++,
               static_cast<int64_t>(part.photographs.size()));
    const std::string source = Quoted(photograph.path.native());
    const auto file = MappedFile::Open(photograph.path);
    if (!IsJpeg(file->bytes())) {
      if (run.warn) run.warn(source + " is no JPEG file; it is left out");
      continue;
    }
    const RgbPicture whole = DecodeJpeg(file->bytes(), source);
    Append(CentreOf(WithShorterSide(whole, kShorterSide), kSide), pixels);
    labels.push_back(photograph.label);
  }
  return Dataset(name, {3, kSide, kSide}, std::move(pixels), std::move(labels),
                 classes);
}

int64_t ClassesOf(const Part& part) {
  int64_t classes = static_cast<int64_t>(part.classes.size());
  for (const Photograph& photograph : part.photographs) {
    classes = std::max(classes, int64_t{photograph.label} + 1);
  }
  return classes;
}

void CheckSameClasses(const fs::path& folder, const Part& train,
                      const Part& test) {
  if (train.classes.empty() || test.classes.empty() ||
      train.classes == test.classes) {
    return;
  }
  throw Error(ErrorCode::kMismatch, Quoted(folder.native()) + ": train has " +
                                        std::to_string(train.classes.size()) +
                                        " classes, and val has others");
}

}  // namespace

bool HoldsPhotographs(const fs::path& folder) {
  return IsFolder(folder / "train") || IsFolder(folder / "val");
}

DataSplits ReadPhotographs(const fs::path& folder,
                           const PhotographOptions& options, const Run& run) {
  Part train = ListPart(folder, "train"), test = ListPart(folder, "val");
  CheckSameClasses(folder, train, test);
  const int64_t classes = std::max(ClassesOf(train), ClassesOf(test));
  TakeFromAllAlike(train.photographs, options.most_train);
  TakeFromAllAlike(test.photographs, options.most_test);
  return {.train = ReadPart("ImageNet train", train, classes, run),
          .test = ReadPart("ImageNet val", test, classes, run)};
}

}  // namespace rebasin::lab
