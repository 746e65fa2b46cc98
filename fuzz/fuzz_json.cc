// JSON: what is accepted is also accepted by the underlying parser, means the
// same, and survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "io/json.h"
#include "memory.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  constexpr size_t kTimes = 100;  // "{}," is a map
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const MemoryMeter meter;
  try {
    const nlohmann::json tree = ParseJson({.text = text, .source = "input"});
    CheckMemory(meter, size, kTimes);
    FUZZ_CHECK(tree == nlohmann::json::parse(text));
    const std::string again = tree.dump();
    FUZZ_CHECK(ParseJson({.text = again, .source = "again"}) == tree);
  } catch (const Error&) {
    CheckMemory(meter, size, kTimes);
  }
  return 0;
}
