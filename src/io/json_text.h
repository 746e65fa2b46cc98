// Positions in JSON text, and checks before it is parsed.

#ifndef REBASIN_IO_JSON_TEXT_H_
#define REBASIN_IO_JSON_TEXT_H_

#include <cstddef>
#include <string>

#include "io/json.h"

namespace rebasin {

// The position of the byte at `index`: "line 3, column 7" or "byte 1234 of the
// file".
std::string JsonPosition(const JsonText& text, size_t index);

// Throws for text that is too long, and for a byte order mark or NUL bytes,
// which get a message of their own.
void CheckJsonBytes(const JsonText& text, const JsonLimits& limits);

// Throws Error(kLimit) if brackets are nested too deeply, even in invalid text.
void CheckJsonDepth(const JsonText& text, const JsonLimits& limits);

[[noreturn]] void ThrowJson(ErrorCode code, const JsonText& text, size_t index,
                            const std::string& what,
                            const std::string& hint = "");

[[noreturn]] void ThrowJsonDepth(const JsonText& text, size_t index,
                                 const JsonLimits& limits);

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_TEXT_H_
