// JSON: what is accepted is also accepted by the underlying parser, means the
// same, and survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_check.h"
#include "io/json.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const nlohmann::json tree = ParseJson({.text = text, .source = "input"});
    FUZZ_CHECK(tree == nlohmann::json::parse(text));
    const std::string again = tree.dump();
    FUZZ_CHECK(ParseJson({.text = again, .source = "again"}) == tree);
  } catch (const Error&) {
  }
  return 0;
}
