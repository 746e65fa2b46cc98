#include "support/torch_files.h"

#include <cstring>

namespace rebasin {
namespace pickled {

std::string Program(const std::string& opcodes) {
  return "\x80\x02" + opcodes + ".";
}

std::string Text(const std::string& text) {
  return "X" + Little(text.size(), 4) + text;
}

std::string Int(int64_t number) {
  if (number >= 0 && number < 256) return "K" + Little(number, 1);
  if (number >= INT32_MIN && number <= INT32_MAX) {
    return "J" + Little(static_cast<uint32_t>(number), 4);
  }
  return "\x8a\x08" + Little(static_cast<uint64_t>(number), 8);
}

std::string Global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

std::string Tuple(const std::vector<std::string>& items) {
  std::string opcodes = "(";
  for (const std::string& item : items) opcodes += item;
  return opcodes + "t";
}

std::string Ints(const std::vector<int64_t>& numbers) {
  std::vector<std::string> items;
  for (const int64_t number : numbers) items.push_back(Int(number));
  return Tuple(items);
}

std::string Call(const std::string& function, const std::string& arguments) {
  return function + arguments + "R";
}

namespace {

std::string Filled(const std::string& dict, const std::vector<Item>& items) {
  std::string opcodes = dict + "(";
  for (const Item& item : items) opcodes += item.key + item.value;
  return opcodes + "u";
}

}  // namespace

std::string Dict(const std::vector<Item>& items) { return Filled("}", items); }

std::string OrderedDict(const std::vector<Item>& items) {
  return Filled(Call(Global("collections", "OrderedDict"), ")"), items);
}

std::string StorageId(const View& view) {
  return Tuple({Text("storage"), Global("torch", view.type), Text(view.key),
                Text("cpu"), Int(view.elements)}) +
         "Q";
}

std::string TensorOf(const View& view) {
  return Call(Global("torch._utils", "_rebuild_tensor_v2"),
              Tuple({StorageId(view), Int(view.offset), Ints(view.shape),
                     Ints(view.strides), "\x89",
                     Call(Global("collections", "OrderedDict"), ")")}));
}

}  // namespace pickled

std::string TorchArchive(const std::string& pickle,
                         const std::vector<Stored>& storages,
                         const std::vector<ZipPart>& more) {
  std::vector<ZipPart> parts = {{.name = "model/data.pkl", .content = pickle}};
  for (const Stored& storage : storages) {
    parts.push_back(
        {.name = "model/data/" + storage.key, .content = storage.bytes});
  }
  parts.push_back({.name = "model/version", .content = "3\n"});
  parts.insert(parts.end(), more.begin(), more.end());
  return MakeZip(parts);
}

std::string LegacyTorch(const std::string& pickle,
                        const std::vector<Stored>& storages, size_t item) {
  using pickled::Program;
  std::string keys, bytes;
  for (const Stored& storage : storages) {
    keys += pickled::Text(storage.key);
    bytes += Little(storage.bytes.size() / item, 8) + storage.bytes;
  }
  return Program("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") +
         Program(pickled::Int(1001)) + Program("}") + pickle +
         Program("](" + keys + "e") + bytes;
}

std::string SixFloats() {
  std::string bytes;
  for (int i = 0; i < 6; ++i) {
    const auto value = static_cast<float>(i);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bytes += Little(bits, 4);
  }
  return bytes;
}

namespace {

std::string OneTensor() {
  using namespace pickled;
  return Program(OrderedDict({{Text("w"), TensorOf()}}));
}

}  // namespace

std::string SoundTorchArchive() {
  return TorchArchive(OneTensor(), {{"0", SixFloats()}});
}

std::string SoundLegacyTorch() {
  return LegacyTorch(OneTensor(), {{"0", SixFloats()}});
}

}  // namespace rebasin
