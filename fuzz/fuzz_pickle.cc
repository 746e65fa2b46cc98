// The pickle reader alone: any bytes are read or refused with an Error. What is
// read refers only to itself, is nested no deeper than allowed, and is the same
// when read alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/pickle.h"
#include "formats/torch_objects.h"
#include "fuzz_check.h"
#include "memory.h"
#include "mutate_pickle.h"
#include "mutator.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

// A byte may be a tuple of one item: 100 bytes, and more while vectors grow.
constexpr size_t kTimes = 200;

bool HasItems(const Pickle& pickle, PickleRef value) {
  return pickle.kind(value) >= PickleKind::kTuple &&
         !pickle.Is(value, PickleKind::kGlobal);
}

// The nesting depth of a value; ends only if no value contains itself. `known`
// has the depths already computed, and 0 for others.
int Height(const Pickle& pickle, PickleRef value, std::vector<int>& known,
           int depth) {
  FUZZ_CHECK(value < pickle.size() && depth <= kMaxPickleDepth);
  if (known[value] > 0) return known[value];
  int height = 1;
  if (HasItems(pickle, value)) {
    for (const PickleRef item : pickle.Items(value)) {
      height = std::max(height, 1 + Height(pickle, item, known, depth + 1));
    }
  }
  return known[value] = height;
}

void CheckTexts(const Pickle& pickle, std::span<const std::byte> bytes) {
  for (PickleRef value = 0; value < pickle.size(); ++value) {
    if (!pickle.Is(value, PickleKind::kString)) continue;
    const auto text = std::as_bytes(std::span(pickle.Text(value)));
    FUZZ_CHECK(text.data() >= bytes.data() &&
               text.data() + text.size() <= bytes.data() + bytes.size());
  }
}

}  // namespace

REBASIN_CUSTOM_MUTATOR(MutatePickle)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const MemoryMeter meter;
  try {
    size_t used = 0, used_again = 0;
    const Pickle pickle = ReadPickle(bytes, TorchGlobals(), "input", &used);
    CheckMemory(meter, size, kTimes);
    FUZZ_CHECK(used > 0 && used <= size);
    CheckTexts(pickle, bytes);
    std::vector<int> known(pickle.size());
    FUZZ_CHECK(Height(pickle, pickle.root(), known, 0) <= kMaxPickleDepth);
    const Pickle again =
        ReadPickle(bytes.first(used), TorchGlobals(), "again", &used_again);
    FUZZ_CHECK(used_again == used && again.size() == pickle.size() &&
               again.root() == pickle.root());
  } catch (const Error&) {
  }
  CheckMemory(meter, size, 2 * kTimes);
  return 0;
}
