// Symmetry specs: any text is read or refused with an Error. What is read can
// be written and read back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "memory.h"
#include "rebasin/error.h"
#include "rebasin/symmetry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const MemoryMeter meter;
  try {
    const Symmetry symmetry = Symmetry::FromJson(text, "input");
    CheckSpecMemory(meter, size);
    const std::string written = symmetry.ToJson();
    const Symmetry again = Symmetry::FromJson(written, "again");
    FUZZ_CHECK(again.ToJson() == written);
    FUZZ_CHECK(again.groups().size() == symmetry.groups().size() &&
               again.scalings() == symmetry.scalings());
  } catch (const Error&) {
    CheckSpecMemory(meter, size);
  }
  return 0;
}
