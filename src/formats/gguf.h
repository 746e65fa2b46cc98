// GGUF files, the models of llama.cpp: metadata, and tensors that are floats,
// whole numbers, or quantised in one of many ways.

#ifndef REBASIN_FORMATS_GGUF_H_
#define REBASIN_FORMATS_GGUF_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/input_file.h"
#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct GgufContent {
  std::vector<Tensor> tensors;
  Metadata metadata;  // numbers and texts; arrays are left out
};

// Reads and checks a whole file, whose bytes `owner` keeps. Tensors stay where
// they are, except that those of type Q8_0 become F32, with a warning. `source`
// starts messages. Throws Error(kBadInput) for what breaks the format's rules;
// Error(kUnsupported) for other quantised types, unless `options` leave them
// out, for other versions and for big-endian files; Error(kLimit);
// Error(kMismatch) if no tensor is left.
GgufContent ReadGguf(std::span<const std::byte> file,
                     const std::shared_ptr<const void>& owner,
                     const OpenOptions& options, const Run& run,
                     const std::string& source);

bool IsGguf(const InputFile& file);
Checkpoint ReadGgufFile(const InputFile& file, const OpenOptions& options,
                        const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_H_
