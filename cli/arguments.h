// Parses the texts of arguments, strictly and independent of the locale.
// Invalid texts throw Error(kUsage).

#ifndef REBASIN_CLI_ARGUMENTS_H_
#define REBASIN_CLI_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rebasin::cli {

int64_t ParseInteger(const std::string& option, const std::string& text,
                     int64_t least, int64_t most);

// Any number from 0 to 2^64 - 1.
uint64_t ParseSeed(const std::string& text);

// A number from 0 to 1.
double ParseShare(const std::string& option, const std::string& text);

// Any finite number.
double ParseNumber(const std::string& option, const std::string& text);

// Shares separated by commas.
std::vector<double> ParseShares(const std::string& option,
                                const std::string& text);

// A number of bytes with an optional unit: 500MB, 2GB, 1.5GiB.
int64_t ParseBytes(const std::string& option, const std::string& text);

// Throws an error that lists the choices and suggests the most similar one.
[[noreturn]] void FailChoice(const std::string& option, const std::string& text,
                             const std::vector<std::string>& choices);

// Parses one of a few words.
template <typename T>
T ParseChoice(const std::string& option, const std::string& text,
              const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) {
    if (word == text) return value;
    words.push_back(word);
  }
  FailChoice(option, text, words);
}

// Replaces a default by an argument if one was given.
void Override(const std::string& option, const std::string& text,
              double* value);
void Override(const std::string& option, const std::string& text,
              int64_t* value, int64_t least = 1);

template <typename T>
void Override(const std::string& option, const std::string& text,
              const std::vector<std::pair<std::string, T>>& choices, T* value) {
  if (!text.empty()) *value = ParseChoice<T>(option, text, choices);
}

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_ARGUMENTS_H_
