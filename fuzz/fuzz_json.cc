// JSON: another parser also accepts what is accepted, with the same meaning,
// and it can be written and read back. The other parser also refuses what is
// refused, except for our stricter rules.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "io/json.h"
#include "memory.h"
#include "rebasin/error.h"

namespace {

// Duplicate keys, byte order marks, NUL bytes, and anything that exceeds a
// limit.
bool IsOurRule(const rebasin::Error& error) {
  const std::string message = error.what();
  const auto says = [&](const char* text) {
    return message.find(text) != std::string::npos;
  };
  return error.code() == rebasin::ErrorCode::kLimit || says("duplicate key") ||
         says("byte order mark") || says("NUL byte");
}

}  // namespace

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
  } catch (const Error& error) {
    CheckMemory(meter, size, kTimes);
    FUZZ_CHECK(IsOurRule(error) || !nlohmann::json::accept(text));
  }
  return 0;
}
