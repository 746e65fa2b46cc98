// Parses the dictionary in an .npy header.

#ifndef REBASIN_FORMATS_NPY_LITERAL_H_
#define REBASIN_FORMATS_NPY_LITERAL_H_

#include <string>
#include <string_view>

#include "formats/npy.h"

namespace rebasin {

// Accepts exactly the keys descr, fortran_order and shape, each once, with a
// string, True or False, and a tuple of integers; no other Python syntax. Fills
// in the header except data_begin. Throws like ReadNpyHeader.
NpyHeader ParseNpyDictionary(std::string_view text, const std::string& source,
                             const NpyOptions& options);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPY_LITERAL_H_
