// GGUF files, the models of llama.cpp: metadata, and tensors of floating-point,
// integer or quantised types.

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
  Metadata metadata;  // numbers and strings; arrays are skipped
};

// Reads and checks a whole file; `owner` keeps its bytes alive. Tensors refer
// to the file, except that type Q8_0 is converted to F32, with a warning.
// `source` is the start of messages. Throws Error(kBadInput) if the file breaks
// the rules of the format; Error(kUnsupported) for other quantised types,
// unless `options` skips them, for other versions, and for big-endian files;
// Error(kLimit); Error(kMismatch) if no tensor remains.
GgufContent ReadGguf(std::span<const std::byte> file,
                     const std::shared_ptr<const void>& owner,
                     const OpenOptions& options, const Run& run,
                     const std::string& source);

bool IsGguf(const InputFile& file);
Checkpoint ReadGgufFile(const InputFile& file, const OpenOptions& options,
                        const Run& run);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_H_
