#include "formats/torch_objects.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>

#include "base/checked.h"
#include "base/utf8.h"
#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Kind = PickleKind;

enum GlobalId {
  kOrderedDict,
  kRebuildTensor,  // of either version: the second has more arguments
  kRebuildParameter,
  kOtherTensor,  // sparse, quantised, without data
  kShape,
  kOther,         // devices and element types, which no tensor here needs
  kOtherStorage,  // element types that there is no name for here
  kStorage,       // and from here on storages, by element type
};

constexpr PickleGlobal Storage(std::string_view name, DType dtype) {
  return {"torch", name, PickleGlobal::kConstant,
          kStorage + static_cast<int>(dtype)};
}
constexpr PickleGlobal OtherStorage(std::string_view name) {
  return {"torch", name, PickleGlobal::kConstant, kOtherStorage};
}
constexpr PickleGlobal OtherTensor(std::string_view name) {
  return {"torch._utils", name, PickleGlobal::kFunction, kOtherTensor};
}
constexpr PickleGlobal TypeName(std::string_view name) {
  return {"torch", name, PickleGlobal::kConstant, kOther};
}

constexpr std::array kGlobals = {
    PickleGlobal{"collections", "OrderedDict", PickleGlobal::kMakesDict,
                 kOrderedDict},
    PickleGlobal{"torch._utils", "_rebuild_tensor_v2", PickleGlobal::kFunction,
                 kRebuildTensor},
    PickleGlobal{"torch._utils", "_rebuild_tensor", PickleGlobal::kFunction,
                 kRebuildTensor},
    PickleGlobal{"torch._utils", "_rebuild_parameter", PickleGlobal::kFunction,
                 kRebuildParameter},
    PickleGlobal{"torch", "Size", PickleGlobal::kFunction, kShape},
    PickleGlobal{"torch", "device", PickleGlobal::kFunction, kOther},
    Storage("FloatStorage", DType::kF32),
    Storage("DoubleStorage", DType::kF64),
    Storage("HalfStorage", DType::kF16),
    Storage("BFloat16Storage", DType::kBF16),
    Storage("LongStorage", DType::kI64),
    Storage("IntStorage", DType::kI32),
    Storage("ShortStorage", DType::kI16),
    Storage("CharStorage", DType::kI8),
    Storage("ByteStorage", DType::kU8),
    Storage("BoolStorage", DType::kBool),
    OtherStorage("ComplexFloatStorage"),
    OtherStorage("ComplexDoubleStorage"),
    OtherStorage("QInt8Storage"),
    OtherStorage("QUInt8Storage"),
    OtherStorage("QInt32Storage"),
    OtherTensor("_rebuild_sparse_tensor"),
    OtherTensor("_rebuild_sparse_csr_tensor"),
    OtherTensor("_rebuild_qtensor"),
    OtherTensor("_rebuild_meta_tensor_no_storage"),
    TypeName("float32"),
    TypeName("float64"),
    TypeName("float16"),
    TypeName("bfloat16"),
    TypeName("int64"),
    TypeName("int32"),
    TypeName("int16"),
    TypeName("int8"),
    TypeName("uint8"),
    TypeName("bool"),
    TypeName("complex64"),
    TypeName("complex128"),
    TypeName("qint8"),
    TypeName("quint8"),
    TypeName("per_tensor_affine"),
    TypeName("per_channel_affine"),
    TypeName("sparse_coo"),
    TypeName("sparse_csr"),
    TypeName("strided"),
};

int IdOfCall(const Pickle& pickle, PickleRef value) {
  if (!pickle.Is(value, Kind::kCall)) return kOther;
  return pickle.Global(pickle.Items(value)[0]).id;
}

bool IsTensor(const Pickle& pickle, PickleRef value) {
  const int id = IdOfCall(pickle, value);
  return id == kRebuildTensor || id == kRebuildParameter || id == kOtherTensor;
}

// One tensor, and messages that name it.
class ViewReader {
 public:
  ViewReader(const Pickle& pickle, std::string name, const std::string& source)
      : pickle_(pickle), where_(source + ": tensor " + Quoted(name)) {
    view_.name = std::move(name);
  }

  TorchView Read(PickleRef value) {
    const std::span<const PickleRef> arguments = Arguments(value);
    if (IdOfCall(pickle_, value) == kRebuildParameter) {
      if (arguments.empty() || !IsTensor(pickle_, arguments[0]) ||
          IdOfCall(pickle_, arguments[0]) == kRebuildParameter) {
        Fail("is a parameter without a tensor");
      }
      return Read(arguments[0]);
    }
    if (IdOfCall(pickle_, value) == kOtherTensor) {
      Fail("is sparse, quantised or without data", ErrorCode::kUnsupported);
    }
    if (arguments.size() < 4 || !pickle_.Is(arguments[0], Kind::kPersistent)) {
      Fail("has no storage, offset, shape and strides");
    }
    view_.storage =
        ReadTorchStorage(pickle_, pickle_.Items(arguments[0])[0], where_);
    view_.offset = Number(arguments[1]);
    view_.shape = Numbers(arguments[2]);
    view_.strides = Numbers(arguments[3]);
    Check();
    return std::move(view_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what,
                         ErrorCode code = ErrorCode::kBadInput) const {
    throw Error(code, where_ + " " + what);
  }

  std::span<const PickleRef> Arguments(PickleRef call) const {
    return pickle_.Items(pickle_.Items(call)[1]);
  }

  int64_t Number(PickleRef value) const {
    if (!pickle_.Is(value, Kind::kInt) || pickle_.Int(value) < 0) {
      Fail("has a size, stride or offset that is no number from 0 on");
    }
    return pickle_.Int(value);
  }

  // A tuple, or the one that a torch.Size is made of.
  Shape Numbers(PickleRef value) const {
    if (IdOfCall(pickle_, value) == kShape) {
      const auto arguments = Arguments(value);
      if (arguments.size() == 1) value = arguments[0];
    }
    if (!pickle_.Is(value, Kind::kTuple)) Fail("has no shape");
    Shape numbers;
    if (pickle_.Items(value).size() > kMaxRank) {
      Fail("has more than " + std::to_string(kMaxRank) + " axes",
           ErrorCode::kLimit);
    }
    for (const PickleRef item : pickle_.Items(value)) {
      numbers.push_back(Number(item));
    }
    return numbers;
  }

  // That all elements lie in the storage, and are no more than it has: a view
  // may repeat elements, and would then be larger than the file by far.
  void Check() const {
    if (view_.shape.size() != view_.strides.size()) {
      Fail("has " + std::to_string(view_.shape.size()) + " axes, but " +
           std::to_string(view_.strides.size()) + " strides");
    }
    const auto elements = CheckedProduct(view_.shape);
    if (elements == 0) return;
    std::optional<int64_t> last = view_.offset;
    for (size_t axis = 0; last && axis < view_.shape.size(); ++axis) {
      const auto step = CheckedMul(view_.shape[axis] - 1, view_.strides[axis]);
      last = step ? CheckedAdd(*last, *step) : std::nullopt;
    }
    if (!elements || !last || *last >= view_.storage.size) {
      Fail("of shape " + ShapeText(view_.shape) + " reaches beyond the " +
           std::to_string(view_.storage.size) + " elements of its storage");
    }
    if (*elements > view_.storage.size) {
      Fail("has " + std::to_string(*elements) +
               " elements, but its storage has " +
               std::to_string(view_.storage.size),
           ErrorCode::kLimit);
    }
  }

  const Pickle& pickle_;
  const std::string where_;
  TorchView view_;
};

struct Entry {
  std::string_view key;
  PickleRef value;
};

// The entries of a dictionary whose keys are texts.
std::vector<Entry> EntriesOf(const Pickle& pickle, PickleRef dict) {
  std::vector<Entry> entries;
  const auto items = pickle.Items(dict);
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!pickle.Is(items[i], Kind::kString)) continue;
    entries.push_back({pickle.Text(items[i]), items[i + 1]});
  }
  return entries;
}

bool HoldsTensors(const Pickle& pickle, PickleRef value) {
  if (!pickle.Is(value, Kind::kDict)) return false;
  const auto items = pickle.Items(value);
  for (size_t i = 1; i < items.size(); i += 2) {
    if (IsTensor(pickle, items[i])) return true;
  }
  return false;
}

// Where in a dictionary, and in those in it, there are dictionaries that hold
// tensors. Each is looked at once, where it is first: a short pickle can put
// one large dictionary, or one long key, in a million places.
class CandidateFinder {
 public:
  explicit CandidateFinder(const Pickle& pickle) : pickle_(pickle) {}

  // `key` leads to the dictionary.
  std::vector<std::string> Find(PickleRef dict, const std::string& key = "") {
    Look(dict, key.empty() ? "" : key + ".");
    return std::move(found_);
  }

 private:
  static constexpr size_t kMost = 10;
  static constexpr size_t kMostSeen = 1000;

  void Look(PickleRef dict, const std::string& prefix) {
    if (!pickle_.Is(dict, Kind::kDict)) return;
    for (const Entry& entry : EntriesOf(pickle_, dict)) {
      if (found_.size() == kMost || seen_.size() == kMostSeen) return;
      if (!pickle_.Is(entry.value, Kind::kDict) ||
          prefix.size() + entry.key.size() > kMaxNameBytes ||
          !seen_.insert(entry.value).second) {
        continue;
      }
      const std::string key = prefix + std::string(entry.key);
      if (HoldsTensors(pickle_, entry.value)) found_.push_back(key);
      Look(entry.value, key + ".");
    }
  }

  const Pickle& pickle_;
  std::unordered_set<PickleRef> seen_;
  std::vector<std::string> found_;
};

std::string KeyHint(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    text += (text.empty() ? "choose with --key: " : ", ") + Printable(key);
  }
  return text;
}

// The value at "a.b": under the key "a.b", or "b" of what is under "a".
std::optional<PickleRef> FindKey(const Pickle& pickle, PickleRef dict,
                                 std::string_view key) {
  if (!pickle.Is(dict, Kind::kDict)) return std::nullopt;
  // By length: the same key may be there any number of times.
  std::map<size_t, PickleRef> parts;
  for (const Entry& entry : EntriesOf(pickle, dict)) {
    if (entry.key == key) return entry.value;
    const size_t size = entry.key.size();
    if (key.starts_with(entry.key) && key.size() > size && key[size] == '.') {
      parts.emplace(size, entry.value);
    }
  }
  for (const auto& [size, value] : parts) {
    const auto deeper = FindKey(pickle, value, key.substr(size + 1));
    if (deeper) return deeper;
  }
  return std::nullopt;
}

PickleRef ChooseDict(const Pickle& pickle, const std::string& key,
                     const std::string& source) {
  PickleRef dict = pickle.root();
  if (!key.empty()) {
    const auto found = FindKey(pickle, dict, key);
    if (!found) {
      throw Error(ErrorCode::kMismatch,
                  source + ": there is nothing under the key " + Quoted(key),
                  KeyHint(CandidateFinder(pickle).Find(pickle.root())));
    }
    dict = *found;
  }
  if (HoldsTensors(pickle, dict)) return dict;
  const auto candidates = CandidateFinder(pickle).Find(dict, key);
  throw Error(ErrorCode::kMismatch,
              source + (candidates.empty()
                            ? ": it holds no tensors"
                            : ": its tensors are in dictionaries within it"),
              KeyHint(candidates));
}

// Names that are used twice are refused here, not later: each may be long, and
// take two bytes of the pickle.
void CheckName(std::string_view name, std::unordered_set<std::string_view>& all,
               const std::string& source) {
  if (!all.insert(name).second) {
    throw Error(ErrorCode::kBadInput,
                source + ": tensor " + Quoted(name) + " occurs twice");
  }
  if (name.size() > kMaxNameBytes) {
    throw Error(ErrorCode::kLimit, source + ": a name has " +
                                       std::to_string(name.size()) + " bytes");
  }
  if (name.empty() || !IsUtf8(name) || name.find('\0') != name.npos) {
    throw Error(ErrorCode::kBadInput,
                source + ": a tensor cannot be called " + Quoted(name));
  }
}

void StripPrefix(std::vector<TorchView>& views) {
  constexpr std::string_view kPrefix = "module.";
  const bool all =
      std::all_of(views.begin(), views.end(), [&](const TorchView& view) {
        return view.name.starts_with(kPrefix) &&
               view.name.size() > kPrefix.size();
      });
  if (!all) return;
  for (TorchView& view : views) view.name.erase(0, kPrefix.size());
}

}  // namespace

std::span<const PickleGlobal> TorchGlobals() { return kGlobals; }

TorchStorage ReadTorchStorage(const Pickle& pickle, PickleRef id,
                              const std::string& source) {
  const auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, source + ": " + what);
  };
  // ("storage", type, key, place, elements), and in old files a view of it.
  const bool tuple = pickle.Is(id, Kind::kTuple);
  const auto parts = tuple ? pickle.Items(id) : std::span<const PickleRef>();
  if (parts.size() < 5 || parts.size() > 6 ||
      !pickle.Is(parts[0], Kind::kString) ||
      pickle.Text(parts[0]) != "storage" ||
      !pickle.Is(parts[1], Kind::kGlobal) ||
      !pickle.Is(parts[2], Kind::kString) || !pickle.Is(parts[4], Kind::kInt) ||
      pickle.Int(parts[4]) < 0) {
    fail(ErrorCode::kBadInput, "what it refers to is no storage");
  }
  if (pickle.Text(parts[2]).size() > kMaxNameBytes) {
    fail(ErrorCode::kLimit, "the key of a storage has more than " +
                                std::to_string(kMaxNameBytes) + " bytes");
  }
  const PickleGlobal& type = pickle.Global(parts[1]);
  if (type.id < kStorage) {
    fail(type.id == kOtherStorage ? ErrorCode::kUnsupported
                                  : ErrorCode::kBadInput,
         "element type " + Quoted(type.name) + " is not supported");
  }
  if (parts.size() == 6 && !pickle.Is(parts[5], Kind::kNone)) {
    fail(ErrorCode::kUnsupported, "its storage is a part of another one");
  }
  return {pickle.Text(parts[2]), static_cast<DType>(type.id - kStorage),
          pickle.Int(parts[4])};
}

std::vector<TorchView> ReadStateDict(const Pickle& pickle,
                                     const StateDictOptions& options,
                                     const std::string& source) {
  const PickleRef dict = ChooseDict(pickle, options.key, source);
  const auto items = pickle.Items(dict);
  std::vector<TorchView> views;
  std::unordered_set<std::string_view> names;
  int64_t others = 0;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!IsTensor(pickle, items[i + 1])) {
      ++others;
      continue;
    }
    if (!pickle.Is(items[i], Kind::kString)) {
      throw Error(ErrorCode::kBadInput,
                  source + ": the key of a tensor is no text");
    }
    if (views.size() == kMaxTensors) {
      throw Error(ErrorCode::kLimit, source + ": it has more than " +
                                         std::to_string(kMaxTensors) +
                                         " tensors");
    }
    const std::string_view name = pickle.Text(items[i]);
    CheckName(name, names, source);
    views.push_back(
        ViewReader(pickle, std::string(name), source).Read(items[i + 1]));
  }
  if (others > 0 && options.warn) {
    options.warn(source + ": entries that are no tensors are left out: " +
                 std::to_string(others));
  }
  StripPrefix(views);
  return views;
}

}  // namespace rebasin
