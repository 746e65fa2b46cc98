// The header of a safetensors file: any bytes are read or refused with an
// Error. What is read satisfies the reader's guarantees, and can be written and
// read back.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/safetensors_header.h"
#include "fuzz_check.h"
#include "memory.h"
#include "mutate_safetensors.h"
#include "mutator.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

// Header entries of about 50 bytes take about 200 in memory, and twice that
// while a vector grows.
constexpr size_t kTimes = 64;

bool SameForm(const TensorEntry& a, const TensorEntry& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
}

void CheckLayout(const SafetensorsHeader& header, size_t file_bytes) {
  int64_t total = header.data_offset;
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorEntry& entry = header.tensors[i];
    FUZZ_CHECK(DataBytes(*entry.dtype, entry.shape) == entry.end - entry.begin);
    FUZZ_CHECK(i == 0 || header.tensors[i - 1].name < entry.name);
    total += entry.end - entry.begin;
  }
  FUZZ_CHECK(total == static_cast<int64_t>(file_bytes));
}

void CheckWrittenAgain(const SafetensorsHeader& header, size_t data_bytes) {
  std::vector<TensorPlan> plan;
  for (const TensorEntry& entry : header.tensors) {
    plan.push_back({entry.name, *entry.dtype, entry.shape});
  }
  std::string file = MakeSafetensorsHeader(plan, header.metadata);
  file.resize(file.size() + data_bytes);
  const SafetensorsHeader again =
      ReadSafetensorsHeader(std::as_bytes(std::span(file)), "again", {});
  FUZZ_CHECK(std::equal(again.tensors.begin(), again.tensors.end(),
                        header.tensors.begin(), header.tensors.end(),
                        SameForm));
  FUZZ_CHECK(again.metadata == header.metadata);
}

}  // namespace

REBASIN_CUSTOM_MUTATOR(MutateSafetensors)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const MemoryMeter meter;
  try {
    const SafetensorsHeader header =
        ReadSafetensorsHeader(file, "input", [](const std::string&) {});
    CheckMemory(meter, size, kTimes);
    CheckLayout(header, size);
    CheckWrittenAgain(header, size - static_cast<size_t>(header.data_offset));
  } catch (const Error&) {
  }
  CheckMemory(meter, size, 2 * kTimes);
  return 0;
}
