#include "mutate_safetensors.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "formats/safetensors_header.h"
#include "rebasin/tensor.h"

namespace rebasin {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLengthBytes = 8;
constexpr int64_t kMaxData = 4096;
constexpr const char* kMetadata = "__metadata__";

bool Chance(Random& random, uint64_t count) { return random.Below(count) == 0; }

Json Pick(const char* list, Random& random) {
  const Json choices = Json::parse(list);
  return choices[random.Below(choices.size())];
}

Json RandomType(Random& random) {
  return Pick(R"(["F32", "F64", "F16", "BF16", "I64", "U8", "BOOL", "F4",
                  "F6_E2M3", "C64", "F8_E4M3", "F33"])",
              random);
}

Json RandomNumber(Random& random) {
  return Pick(R"([0, 1, 2, 3, 4, 8, 16, 100, 4294967296, 9223372036854775807,
                  18446744073709551615, -1, 1.5, "2", null])",
              random);
}

void MutateShape(Json& shape, Random& random) {
  if (!shape.is_array()) return;
  if (shape.empty() || Chance(random, 4)) {
    shape.push_back(RandomNumber(random));
  } else if (Chance(random, 4)) {
    shape.erase(random.Below(shape.size()));
  } else {
    shape[random.Below(shape.size())] = RandomNumber(random);
  }
}

void MutateOffsets(Json& offsets, Random& random) {
  if (!offsets.is_array() || offsets.empty()) return;
  offsets[random.Below(offsets.size())] =
      Chance(random, 2) ? RandomNumber(random) : Json(random.Below(64));
}

void MutateEntry(Json& entry, Random& random) {
  if (!entry.is_object()) return;
  switch (random.Below(6)) {
    case 0:
      entry["dtype"] = RandomType(random);
      break;
    case 1:
      MutateOffsets(entry["data_offsets"], random);
      break;
    case 2:
      entry[Chance(random, 2) ? "extra" : "shape"] = RandomNumber(random);
      break;
    case 3:
      entry.erase("shape");
      break;
    default:
      MutateShape(entry["shape"], random);
  }
}

std::string RandomName(Random& random) {
  const std::string name =
      Pick(R"(["w", "a.weight", "größe", "", "x\ny", "__metadata__"])", random);
  return Chance(random, 4) ? name : name + std::to_string(random.Below(100));
}

void MutateHeader(Json& header, Random& random) {
  if (header.empty() || Chance(random, 12)) {
    header[kMetadata] = {{RandomName(random), "text"}};
    return;
  }
  auto entry = header.begin();
  std::advance(entry, static_cast<ptrdiff_t>(random.Below(header.size())));
  const Json copy = *entry;
  if (Chance(random, 6)) {
    header[RandomName(random)] = copy;
  } else if (Chance(random, 6)) {
    header.erase(entry);
  } else {
    MutateEntry(*entry, random);
  }
}

// Empty unless type and shape describe a small tensor.
std::optional<size_t> BytesOf(const Json& entry) {
  try {
    const auto type = DTypeFromName(entry.at("dtype").get<std::string>());
    Shape shape;
    for (const Json& size : entry.at("shape")) {
      if (!size.is_number_unsigned() || size > kMaxData) return std::nullopt;
      shape.push_back(size.get<int64_t>());
    }
    const auto bytes = type ? DataBytes(*type, shape) : std::nullopt;
    if (!bytes || *bytes > kMaxData) return std::nullopt;
    return static_cast<size_t>(*bytes);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// Lays out all tensors with a size one after another.
void Repair(Json& header, std::string& data) {
  size_t end = 0;
  for (auto& [name, entry] : header.items()) {
    const auto bytes = BytesOf(entry);
    if (!bytes || name == kMetadata) continue;
    entry["data_offsets"] = {end, end + *bytes};
    end += *bytes;
  }
  data.resize(end, 'x');
}

}  // namespace

std::string MutateSafetensors(std::string_view input, Random& random) {
  uint64_t length = 0;
  if (input.size() < kLengthBytes) return "";
  std::memcpy(&length, input.data(), kLengthBytes);
  if (length > input.size() - kLengthBytes) return "";
  Json header = Json::parse(input.substr(kLengthBytes, length), nullptr,
                            /*allow_exceptions=*/false);
  if (!header.is_object()) return "";
  std::string data(input.substr(kLengthBytes + length));
  MutateHeader(header, random);
  if (!Chance(random, 5)) Repair(header, data);
  const std::string text =
      header.dump(-1, ' ', false, Json::error_handler_t::replace);
  length = text.size();
  std::string output(reinterpret_cast<const char*>(&length), kLengthBytes);
  return output + text + data;
}

}  // namespace rebasin
