// Tables of files that break rules, one row each, shared by the tests and the
// fuzzing seeds. Row ids (S01, I02, ...) are those of docs/formats.md.

#ifndef REBASIN_TESTS_SUPPORT_BAD_INPUT_H_
#define REBASIN_TESTS_SUPPORT_BAD_INPUT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "rebasin/error.h"

namespace rebasin {

struct InputRow {
  std::string name;  // id and what it is: S01_EmptyFile
  std::function<std::string()> make;
  std::optional<ErrorCode> error;  // empty: the file must be accepted
  std::vector<std::string> says;   // parts of the message (and hint)
};

inline void PrintTo(const InputRow& row, std::ostream* out) {
  *out << row.name;
}

// A safetensors file: length, header, data.
std::string File(const std::string& header, const std::string& data = "");

// Only rows that are small enough to be seeds, and no sparse giants.
std::vector<InputRow> SafetensorsRows();
std::vector<InputRow> IndexTextRows();
std::vector<InputRow> JsonRows();
std::vector<InputRow> OnnxRows();
std::vector<InputRow> ZipRows();
std::vector<InputRow> NpyRows();
std::vector<InputRow> GgufRows();
std::vector<InputRow> TorchRows();
std::vector<InputRow> IdxRows();  // as images
std::vector<InputRow> NpzRows();  // as data sets

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_BAD_INPUT_H_
