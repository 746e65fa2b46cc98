#include "mutate_pickle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rebasin {
namespace {

using Opcodes = std::vector<std::string>;  // each with its argument

constexpr char kStop = '.';

// The size of an argument: fixed, or preceded by a length of this many bytes.
struct Argument {
  size_t fixed = 0;
  size_t counted_in = 0;
  int lines = 0;
};

std::optional<Argument> ArgumentOf(char opcode) {
  constexpr std::string_view kNone = "(.012NQRabdelstu)]}\x85\x86\x87\x88\x89";
  constexpr std::string_view kOneByte = "Khq\x80";
  constexpr std::string_view kFourBytes = "Jjr";
  if (kNone.find(opcode) != kNone.npos) return Argument{};
  if (kOneByte.find(opcode) != kOneByte.npos) return Argument{.fixed = 1};
  if (kFourBytes.find(opcode) != kFourBytes.npos) return Argument{.fixed = 4};
  if (opcode == 'M') return Argument{.fixed = 2};
  if (opcode == 'G') return Argument{.fixed = 8};
  if (opcode == 'X' || opcode == 'T') return Argument{.counted_in = 4};
  if (opcode == 'U' || opcode == '\x8a') return Argument{.counted_in = 1};
  if (opcode == 'c') return Argument{.lines = 2};
  return std::nullopt;
}

// The length of the first opcode with its argument; 0 if there is none.
size_t OpcodeBytes(std::string_view text) {
  const auto argument = text.empty() ? std::nullopt : ArgumentOf(text.front());
  if (!argument) return 0;
  size_t end = 1 + argument->fixed + argument->counted_in;
  if (end > text.size()) return 0;
  for (size_t i = argument->counted_in, size = 0; i > 0; --i) {
    size = size << 8 | static_cast<uint8_t>(text[i]);
    if (i == 1) end += size;
  }
  for (int line = 0; line < argument->lines; ++line) {
    end = text.find('\n', end);
    if (end++ == text.npos) return 0;
  }
  return end <= text.size() ? end : 0;
}

// Splits as many as can be read; `rest` becomes the remainder.
Opcodes Split(std::string_view text, std::string_view* rest) {
  Opcodes opcodes;
  while (const size_t bytes = OpcodeBytes(text)) {
    opcodes.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
    if (opcodes.back()[0] == kStop && !text.starts_with('\x80')) break;
  }
  *rest = text;
  return opcodes;
}

template <size_t n>
std::string Pick(const std::array<std::string_view, n>& choices,
                 Random& random) {
  return std::string(choices[random.Below(n)]);
}

// Opcodes that push one object.
std::string RandomValue(Random& random) {
  using namespace std::string_view_literals;
  static constexpr std::array kPlain = {
      "N"sv,   "\x88"sv,  ")"sv,    "]"sv,   "}"sv,     "K\5"sv,
      "h\1"sv, "(K\2t"sv, "U\1k"sv, "h\2"sv, "N\x85"sv, "\x8a\1\x80"sv};
  static constexpr std::array kNames = {"X\x07\0\0\0storage"sv,
                                        "ctorch\nFloatStorage\n"sv,
                                        "ctorch\nSize\n(K\2t\x85R"sv,
                                        "ccollections\nOrderedDict\n)R"sv,
                                        "ctorch._utils\n_rebuild_tensor_v2\n"sv,
                                        "cos\nsystem\n"sv};
  return random.Below(3) == 0 ? Pick(kNames, random) : Pick(kPlain, random);
}

// Opcodes that do not change the number of objects.
std::string RandomChange(Random& random) {
  using namespace std::string_view_literals;
  static constexpr std::array kChanges = {
      "q\1"sv,      "q\2"sv, "r\3\0\0\0"sv, "20"sv,    "(1"sv,   "}b"sv,
      "\x85"sv,     "Q"sv,   "Na"sv,        "NNs"sv,   "h\1a"sv, "(NNe"sv,
      "(h\1h\2u"sv, ")R"sv,  "\x85Q"sv,     "(K\1l0"sv};
  if (random.Below(2) == 0) return RandomValue(random) + "0";
  return Pick(kChanges, random);
}

bool MakesOne(const std::string& opcode) {
  constexpr std::string_view kMakers = "NKMJUXTGc)]}h\x88\x89\x8a";
  return kMakers.find(opcode[0]) != kMakers.npos;
}

void Change(Opcodes& opcodes, Random& random) {
  const size_t at = random.Below(opcodes.size());
  const size_t other = random.Below(opcodes.size());
  const auto place = opcodes.begin() + static_cast<ptrdiff_t>(at);
  switch (random.Below(8)) {
    case 0:
      opcodes.erase(place);
      break;
    case 1:
      opcodes.insert(place, std::string(opcodes[other]));
      break;
    case 2:
      std::swap(opcodes[at], opcodes[other]);
      break;
    case 3:
      opcodes.insert(place, RandomValue(random));
      break;
    case 4:
      opcodes.insert(place, RandomChange(random));
      break;
    case 5:  // only opcodes from the file
      if (opcodes[at].size() > 1) {
        opcodes[at].back() = static_cast<char>(random.Below(256));
      }
      break;
    default:
      if (MakesOne(opcodes[at])) opcodes[at] = RandomValue(random);
  }
}

}  // namespace

std::string MutatePickle(std::string_view input, Random& random) {
  std::string_view rest;
  Opcodes opcodes = Split(input, &rest);
  for (uint64_t i = 1 + random.Below(3); i > 0 && !opcodes.empty(); --i) {
    Change(opcodes, random);
  }
  std::string output;
  for (const std::string& opcode : opcodes) output += opcode;
  return output.empty() ? "" : output.append(rest);
}

}  // namespace rebasin
