// Converts the JSON of a safetensors header to entries, in one pass without a
// tree. Checks field names, JSON types, ranges of numbers and limits; layout.h
// checks how entries fit together.

#ifndef REBASIN_FORMATS_HEADER_VISITOR_H_
#define REBASIN_FORMATS_HEADER_VISITOR_H_

#include <set>
#include <string>

#include "formats/safetensors_header.h"
#include "io/json.h"

namespace rebasin {

class HeaderVisitor final : public JsonVisitor {
 public:
  // The entries in file order.
  SafetensorsHeader Take();
  // Names of fields that the format does not define.
  const std::set<std::string>& unknown_fields() const {
    return unknown_fields_;
  }

  void StartObject() override;
  void EndObject() override;
  void StartArray() override;
  void EndArray() override;
  void Key(std::string& key) override;
  void String(std::string& value) override;
  void Unsigned(uint64_t value) override;
  void Other(const nlohmann::json& value) override;

 private:
  // What the parser expects next.
  enum class State {
    kTop,     // the outermost object
    kName,    // a tensor's name or __metadata__
    kTensor,  // the object that describes a tensor
    kField,   // a field of it
    kDtype,   // ... and their values
    kShape,
    kDims,
    kOffsets,
    kOffset,
    kUnknown,   // the value of an unknown field
    kMetadata,  // the object after __metadata__
    kMetadataKey,
    kMetadataValue,
  };

  void StartTensor(std::string& name);
  void StartField(const std::string& field);
  void StartUnknownField(const std::string& field);
  void FinishTensor();
  void AddMetadata(std::string& value);
  bool SkipScalar();
  [[noreturn]] void FailType(const std::string& found) const;
  std::string Where() const;

  SafetensorsHeader header_;
  std::set<std::string> unknown_fields_;
  unsigned seen_ = 0;  // fields of the current tensor, as bits
  State state_ = State::kTop;
  int skip_depth_ = 0;  // containers open inside an unknown field
  bool has_metadata_ = false;
  std::string metadata_key_;
  int offsets_ = 0;
  TensorEntry entry_;
};

}  // namespace rebasin

#endif  // REBASIN_FORMATS_HEADER_VISITOR_H_
