// Replaces the names of tensors.

#ifndef REBASIN_SYMMETRY_RENAME_H_
#define REBASIN_SYMMETRY_RENAME_H_

#include <map>
#include <string>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

using NewNames = std::map<std::string, std::string>;  // from old to new

// Tensors that are not in `names` keep their names.
Checkpoint RenameTensors(const Checkpoint& model, const NewNames& names);
Alignment RenameTensors(const Alignment& alignment, const NewNames& names);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_RENAME_H_
