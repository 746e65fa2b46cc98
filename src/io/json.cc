#include "io/json.h"

#include <utility>
#include <vector>

#include "io/file.h"
#include "io/json_reader.h"
#include "io/json_text.h"

namespace rebasin {

using Json = nlohmann::json;

namespace {

// Builds the tree.
class TreeBuilder final : public JsonVisitor {
 public:
  Json Take() { return std::move(root_); }

  void StartObject() override { open_.push_back(Add(Json::object())); }
  void EndObject() override { open_.pop_back(); }
  void StartArray() override { open_.push_back(Add(Json::array())); }
  void EndArray() override { open_.pop_back(); }
  void Key(std::string& key) override {
    if (open_.back()->contains(key)) {
      Fail(ErrorCode::kBadInput, "duplicate key " + Quoted(key));
    }
    key_ = std::move(key);
  }
  void String(std::string& value) override { Add(Json(std::move(value))); }
  void Unsigned(uint64_t value) override { Add(Json(value)); }
  void Other(const Json& value) override { Add(value); }

 private:
  Json* Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  Json root_;
  std::vector<Json*> open_;  // the containers around the current place
  std::string key_;
};

}  // namespace

void JsonVisitor::Fail(ErrorCode code, const std::string& what,
                       const std::string& hint) const {
  reader_->Fail(code, what, hint);
}

void VisitJson(const JsonText& text, const JsonLimits& limits,
               JsonVisitor& visitor) {
  CheckJsonBytes(text, limits);
  try {
    JsonReader(text, limits, visitor).Run();
  } catch (const Error& error) {
    // Reports excessive nesting as such, even if the visitor accepts no
    // brackets.
    if (error.code() == ErrorCode::kBadInput) CheckJsonDepth(text, limits);
    throw;
  }
}

Json ParseJson(const JsonText& text, const JsonLimits& limits) {
  TreeBuilder builder;
  VisitJson(text, limits, builder);
  return builder.Take();
}

Json ReadJsonFile(const std::filesystem::path& path, const JsonLimits& limits) {
  const std::string content = ReadSmallFile(path, limits.bytes);
  return ParseJson({.text = content, .source = Quoted(path.native())}, limits);
}

}  // namespace rebasin
