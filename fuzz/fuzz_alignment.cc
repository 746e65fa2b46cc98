// Alignment files: any text is read or refused with an Error. What is read can
// be written and read back, and has an inverse.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "memory.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const MemoryMeter meter;
  try {
    const Alignment alignment = Alignment::FromJson(text, "input");
    CheckSpecMemory(meter, size);
    const std::string written = alignment.ToJson("fingerprint");
    const Alignment again = Alignment::FromJson(written, "again");
    FUZZ_CHECK(again == alignment && again.ToJson("fingerprint") == written);
    const Alignment undone = alignment.Then(alignment.Inverse());
    FUZZ_CHECK(alignment.HasFactors() || undone.IsIdentity());
  } catch (const Error&) {
    CheckSpecMemory(meter, size);
  }
  return 0;
}
