// Replaces libFuzzer where it is missing: runs a target on each file, and on
// each file in each folder, given as arguments; then on damaged versions of
// each, using the target's own mutator if there is one. So an ordinary test run
// does some fuzzing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Null for targets without a mutator.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data,
                                                                size_t size,
                                                                size_t max_size,
                                                                unsigned seed);

namespace {

namespace fs = std::filesystem;

constexpr int kDamagedVersions = 50;
// Longer inputs are only replayed unchanged.
constexpr size_t kMaxDamaged = 4096;

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                         input.size());
}

// Overwrites, inserts or removes a few bytes.
std::string Damaged(std::string input, rebasin::Random& random) {
  for (uint64_t edits = 1 + random.Below(3); edits > 0; --edits) {
    const size_t at = random.Below(input.size() + 1);
    const char byte = static_cast<char>(random.Below(256));
    const uint64_t kind = random.Below(3);
    if (kind == 0 || at == input.size()) {
      input.insert(at, 1, byte);
    } else if (kind == 1) {
      input.erase(at, 1 + random.Below(4));
    } else {
      input[at] = byte;
    }
  }
  return input;
}

std::string Mutated(std::string input, rebasin::Random& random) {
  if (LLVMFuzzerCustomMutator == nullptr) return Damaged(input, random);
  const size_t size = input.size();
  input.resize(2 * size + kMaxDamaged);
  input.resize(LLVMFuzzerCustomMutator(
      reinterpret_cast<uint8_t*>(input.data()), size, input.size(),
      static_cast<unsigned>(random.Below(UINT32_MAX))));
  return input;
}

void Replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string input{std::istreambuf_iterator<char>(file), {}};
  Run(input);
  if (input.size() > kMaxDamaged) return;
  rebasin::Random random(input.size());
  for (int i = 0; i < kDamagedVersions; ++i) Run(Mutated(input, random));
}

std::vector<fs::path> FilesOf(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

// Called by some mutators.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                   size_t max_size) {
  rebasin::Random random(size);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string output = Damaged(input, random).substr(0, max_size);
  std::copy(output.begin(), output.end(), data);
  return output.size();
}

int main(int argc, char** argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& file : FilesOf(argv[i])) {
      Replay(file);
      ++count;
    }
  }
  std::printf("%zu files replayed\n", count);
  return count == 0 ? 1 : 0;
}
