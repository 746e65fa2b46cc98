#include "zoo/settings.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>
#include <utility>

#include "symmetry/names.h"

namespace rebasin::zoo {
namespace {

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

bool Allows(const ZooOption& option, const std::string& value) {
  if (!option.choices.empty()) {
    return std::find(option.choices.begin(), option.choices.end(), value) !=
           option.choices.end();
  }
  const auto number = ParseInt(value);
  return number && *number >= option.least && *number <= option.most;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string AllowedText(const ZooOption& option) {
  if (!option.choices.empty()) return "one of " + Joined(option.choices);
  return "a number from " + std::to_string(option.least) + " to " +
         std::to_string(option.most);
}

}  // namespace

ZooOption Number(std::string name, int64_t default_value, int64_t least,
                 int64_t most, std::string description) {
  return {.name = std::move(name),
          .default_value = std::to_string(default_value),
          .description = std::move(description),
          .choices = {},
          .least = least,
          .most = most};
}

ZooOption Choice(std::string name, std::vector<std::string> choices,
                 std::string description) {
  ZooOption option;
  option.name = std::move(name);
  option.default_value = choices.front();
  option.description = std::move(description);
  option.choices = std::move(choices);
  return option;
}

ZooOption Flag(std::string name, std::string description) {
  return Choice(std::move(name), {"false", "true"}, std::move(description));
}

ZooOption Classes(int64_t default_value) {
  return Number("classes", default_value, 1, 1000000, "outputs");
}

ZooOption Image(int64_t default_value) {
  return Number("image", default_value, 32, 4096,
                "height and width of the input");
}

ZooOption Sequence() {
  return Number("sequence", 16, 1, 4096, "length of the input");
}

Settings::Settings(const ZooEntry& entry) : entry_(entry) {
  for (const ZooOption& option : entry.options) {
    values_[option.name] = option.default_value;
  }
}

const ZooOption& Settings::Find(const std::string& name) const {
  std::vector<std::string> names;
  for (const ZooOption& option : entry_.options) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  const std::string suggestion = DidYouMean(name, names);
  throw Error(ErrorCode::kUsage,
              "model " + Quoted(entry_.name) + " has no option " + Quoted(name),
              suggestion + (suggestion.empty() ? "" : " ") +
                  "its options: " + Joined(names));
}

void Settings::Set(const std::string& name, const std::string& value) {
  const ZooOption& option = Find(name);
  if (Allows(option, value)) {
    values_[name] = value;
    return;
  }
  const std::string suggestion = DidYouMean(value, option.choices);
  throw Error(ErrorCode::kUsage,
              "option " + name + " of model " + Quoted(entry_.name) +
                  " cannot be " + Quoted(value),
              suggestion + (suggestion.empty() ? "" : " ") +
                  "expected: " + AllowedText(option));
}

const std::string& Settings::Text(std::string_view option) const {
  const auto found = values_.find(option);
  assert(found != values_.end());
  return found->second;
}

int64_t Settings::Int(std::string_view option) const {
  return ParseInt(Text(option)).value();
}

Error Settings::Bad(const std::string& message) const {
  return Error(ErrorCode::kUsage,
               "model " + Quoted(entry_.name) + ": " + message);
}

}  // namespace rebasin::zoo
