// Encodes bytes as text.

#ifndef REBASIN_IO_BASE64_H_
#define REBASIN_IO_BASE64_H_

#include <string>
#include <string_view>

namespace rebasin {

// RFC 4648, padded, without line breaks.
std::string Base64(std::string_view bytes);

}  // namespace rebasin

#endif  // REBASIN_IO_BASE64_H_
