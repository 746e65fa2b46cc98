// The dictionary in an .npy header, as text.

#ifndef REBASIN_FORMATS_NPY_LITERAL_H_
#define REBASIN_FORMATS_NPY_LITERAL_H_

#include <string>
#include <string_view>

#include "formats/npy.h"

namespace rebasin {

// Takes exactly the keys descr, fortran_order and shape, each once, with a
// string, True or False, and a tuple of whole numbers; no other Python is
// understood. Fills in all of the header but data_begin. Throws as
// ReadNpyHeader does.
NpyHeader ParseNpyDictionary(std::string_view text, const std::string& source,
                             const NpyOptions& options);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_NPY_LITERAL_H_
