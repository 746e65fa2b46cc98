// Positions in JSON text, and what can be said of it before it is parsed.

#ifndef REBASIN_IO_JSON_TEXT_H_
#define REBASIN_IO_JSON_TEXT_H_

#include <cstddef>
#include <string>

#include "io/json.h"

namespace rebasin {

// "line 3, column 7" or "byte 1234 of the file", for the byte at `index`.
std::string JsonPosition(const JsonText& text, size_t index);

// Throws for too much text, and for what deserves a word of its own: a byte
// order mark, NUL bytes.
void CheckJsonBytes(const JsonText& text, const JsonLimits& limits);

// Throws Error(kLimit) if brackets are nested too deeply, valid or not.
void CheckJsonDepth(const JsonText& text, const JsonLimits& limits);

[[noreturn]] void ThrowJson(ErrorCode code, const JsonText& text, size_t index,
                            const std::string& what,
                            const std::string& hint = "");

[[noreturn]] void ThrowJsonDepth(const JsonText& text, size_t index,
                                 const JsonLimits& limits);

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_TEXT_H_
