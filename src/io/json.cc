#include "io/json.h"

#include <utility>
#include <vector>

#include "io/file.h"
#include "io/json_text.h"

namespace rebasin {

using Json = nlohmann::json;

// Passes the parser's events on to a visitor and keeps the limits.
class JsonEvents final : public nlohmann::json_sax<Json> {
 public:
  JsonEvents(const JsonText& text, const JsonLimits& limits,
             JsonVisitor& visitor)
      : text_(text), limits_(limits), visitor_(visitor), at_(text.text.data()) {
    visitor.events_ = this;
  }
  ~JsonEvents() override { visitor_.events_ = nullptr; }

  void Run() {
    const char* begin = text_.text.data();
    const char* end = begin + text_.text.size();
    Json::sax_parse(TrackedIterator(begin, &at_), TrackedIterator(end, &at_),
                    this);
  }

  [[noreturn]] void Fail(ErrorCode code, const std::string& what,
                         const std::string& hint = "") const {
    ThrowJson(code, text_, Position(), what, hint);
  }

  bool null() override { return Scalar(Json()); }
  bool boolean(bool value) override { return Scalar(Json(value)); }
  bool number_integer(int64_t value) override { return Scalar(Json(value)); }
  bool number_unsigned(uint64_t value) override {
    Count();
    visitor_.Unsigned(value);
    return true;
  }
  bool number_float(double value, const std::string&) override {
    return Scalar(Json(value));
  }
  bool string(std::string& value) override {
    Count();
    visitor_.String(value);
    return true;
  }
  bool binary(Json::binary_t&) override { return false; }  // not in JSON
  bool start_object(size_t) override {
    Descend();
    visitor_.StartObject();
    return true;
  }
  bool key(std::string& value) override {
    Count();
    visitor_.Key(value);
    return true;
  }
  bool end_object() override {
    --depth_;
    visitor_.EndObject();
    return true;
  }
  bool start_array(size_t) override {
    Descend();
    visitor_.StartArray();
    return true;
  }
  bool end_array() override {
    --depth_;
    visitor_.EndArray();
    return true;
  }
  bool parse_error(size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    Fail(ErrorCode::kBadInput, "not valid JSON: " + Reason(error.what()));
  }

 private:
  bool Scalar(const Json& value) {
    Count();
    visitor_.Other(value);
    return true;
  }

  void Count() {
    if (++values_ > limits_.values) {
      Fail(ErrorCode::kLimit,
           "more than " + std::to_string(limits_.values) + " values");
    }
  }

  void Descend() {
    Count();
    if (++depth_ > limits_.depth) ThrowJsonDepth(text_, Position(), limits_);
  }

  // Of the byte read last; what is wrong ends there.
  size_t Position() const {
    const size_t read = static_cast<size_t>(at_ - text_.text.data());
    return read == 0 ? 0 : read - 1;
  }

  // The parser says "[json.exception.x.101] parse error at line 1, column 2:
  // reason"; the position is ours to tell.
  static std::string Reason(std::string_view what) {
    const size_t column = what.find(", column ");
    const size_t colon =
        what.find(": ", column == std::string_view::npos ? 0 : column);
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
    return Printable(what);
  }

  const JsonText& text_;
  const JsonLimits& limits_;
  JsonVisitor& visitor_;
  const char* at_;
  int64_t values_ = 0;
  int depth_ = 0;
};

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
  events_->Fail(code, what, hint);
}

void VisitJson(const JsonText& text, const JsonLimits& limits,
               JsonVisitor& visitor) {
  CheckJsonBytes(text, limits);
  try {
    JsonEvents(text, limits, visitor).Run();
  } catch (const Error& error) {
    // A bomb is called a bomb, also where the visitor wants no brackets.
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
