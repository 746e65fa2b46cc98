#include "formats/torch_objects.h"

#include <array>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "formats/layout.h"
#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Kind = PickleKind;

enum GlobalId {
  kOrderedDict,
  kRebuildTensor,  // both versions; the second has more arguments
  kRebuildParameter,
  kOtherTensor,  // sparse, quantised, without data
  kShape,
  kOther,    // devices and element types: not needed
  kStorage,  // this and all higher values: storages, by element type
};

constexpr PickleGlobal Storage(std::string_view name, DType dtype) {
  return {"torch", name, PickleGlobal::kConstant,
          kStorage + static_cast<int>(dtype)};
}
// Storages with element types that have no DType; the id is minus the element
// size.
constexpr PickleGlobal OtherStorage(std::string_view name, int bytes) {
  return {"torch", name, PickleGlobal::kConstant, -bytes};
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
    PickleGlobal{"torch.serialization", "_get_layout", PickleGlobal::kFunction,
                 kOther},
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
    OtherStorage("ComplexFloatStorage", 8),
    OtherStorage("ComplexDoubleStorage", 16),
    OtherStorage("QInt8Storage", 1),
    OtherStorage("QUInt8Storage", 1),
    OtherStorage("QInt32Storage", 4),
    OtherStorage("QUInt4x2Storage", 1),
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
    TypeName("qint32"),
    TypeName("quint4x2"),
    TypeName("per_tensor_affine"),
    TypeName("per_channel_affine"),
    TypeName("per_channel_affine_float_qparams"),
    TypeName("sparse_coo"),
    TypeName("sparse_csr"),
    TypeName("strided"),
};

int IdOfCall(const Pickle& pickle, PickleRef value) {
  if (!pickle.Is(value, Kind::kCall)) return kOther;
  return pickle.Global(pickle.Items(value)[0]).id;
}

// Reads one tensor; messages name it.
class ViewReader {
 public:
  ViewReader(const Pickle& pickle, std::string name, const std::string& source)
      : pickle_(pickle), where_(source + ": tensor " + Quoted(name)) {
    view_.name = std::move(name);
  }

  TorchView Read(PickleRef value) {
    const std::span<const PickleRef> arguments = Arguments(value);
    if (IdOfCall(pickle_, value) == kRebuildParameter) {
      if (arguments.empty() || !IsTorchTensor(pickle_, arguments[0]) ||
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
    if (!view_.storage.dtype) {
      Fail("has elements of type " + Quoted(view_.storage.type),
           ErrorCode::kUnsupported);
    }
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

  // A tuple, or the tuple from which a torch.Size is made.
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

  // Checks that all elements are in the storage and are not more than it has. A
  // view may repeat elements, and could then be far larger than the file.
  void Check() const {
    if (view_.shape.size() != view_.strides.size()) {
      Fail("has " + std::to_string(view_.shape.size()) + " axes, but " +
           std::to_string(view_.strides.size()) + " strides");
    }
    const auto bytes = DataBytes(*view_.storage.dtype, view_.shape);
    const auto end = End();
    if (!bytes || !end || *end > view_.storage.size) {
      Fail("of shape " + ShapeText(view_.shape) + " at element " +
           std::to_string(view_.offset) + " reaches beyond the " +
           std::to_string(view_.storage.size) + " elements of its storage");
    }
    const int64_t elements = *bytes / view_.storage.item_bytes;
    if (elements > view_.storage.size) {
      Fail("has " + std::to_string(elements) +
               " elements, but its storage has " +
               std::to_string(view_.storage.size),
           ErrorCode::kLimit);
    }
  }

  // The position after the last element in the storage; nothing if it
  // overflows. A tensor without elements ends at its offset, but its strides
  // are still checked.
  std::optional<int64_t> End() const {
    std::optional<int64_t> last = view_.offset;
    bool empty = false;
    for (size_t axis = 0; last && axis < view_.shape.size(); ++axis) {
      const int64_t size = view_.shape[axis];
      empty |= size == 0;
      const auto step =
          CheckedMul(size == 0 ? 0 : size - 1, view_.strides[axis]);
      last = step ? CheckedAdd(*last, *step) : std::nullopt;
    }
    if (last && empty) return view_.offset;
    return last ? CheckedAdd(*last, 1) : std::nullopt;
  }

  const Pickle& pickle_;
  const std::string where_;
  TorchView view_;
};

}  // namespace

std::span<const PickleGlobal> TorchGlobals() { return kGlobals; }

bool IsTorchTensor(const Pickle& pickle, PickleRef value) {
  const int id = IdOfCall(pickle, value);
  return id == kRebuildTensor || id == kRebuildParameter || id == kOtherTensor;
}

bool IsFilledDict(const Pickle& pickle, PickleRef value) {
  return pickle.Is(value, Kind::kCall) &&
         IdOfCall(pickle, value) == kOrderedDict;
}

TorchView ReadTorchView(const Pickle& pickle, PickleRef tensor,
                        std::string name, const std::string& source) {
  return ViewReader(pickle, std::move(name), source).Read(tensor);
}

TorchStorage ReadTorchStorage(const Pickle& pickle, PickleRef id,
                              const std::string& source) {
  const auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, source + ": " + what);
  };
  // ("storage", type, key, location, elements), and in old files a view of it.
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
  if (type.id >= 0 && type.id < kStorage) {
    fail(ErrorCode::kBadInput,
         Quoted(type.name) + " is not the type of a storage");
  }
  if (parts.size() == 6 && !pickle.Is(parts[5], Kind::kNone)) {
    fail(ErrorCode::kUnsupported, "its storage is a part of another one");
  }
  TorchStorage storage{.key = pickle.Text(parts[2]),
                       .type = type.name,
                       .item_bytes = -type.id,
                       .size = pickle.Int(parts[4])};
  if (type.id >= kStorage) {
    storage.dtype = static_cast<DType>(type.id - kStorage);
    storage.item_bytes = DTypeBits(*storage.dtype) / 8;
  }
  return storage;
}

}  // namespace rebasin
