#include "formats/torch_flatten.h"

#include <utility>

#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Kind = PickleKind;

// Total size of all names. Each may repeat a long key that the pickle stores
// once.
constexpr size_t kMaxNameTotal = size_t{64} << 20;
// Average number of paths to a value.
constexpr size_t kMaxVisits = 16;
constexpr size_t kMaxOthers = 10;

class Flattener {
 public:
  Flattener(const Pickle& pickle, DataFinder& finder, const std::string& source)
      : pickle_(pickle),
        finder_(finder),
        source_(source),
        visits_left_(kMaxVisits * pickle.size()) {}

  FlatObject Run(PickleRef object) {
    Walk(object, "");
    return std::move(flat_);
  }

 private:
  // The depth is limited by that of the pickle.
  void Walk(PickleRef value, const std::string& name) {
    switch (pickle_.kind(value)) {
      case Kind::kDict:
        return WalkPairs(pickle_.Items(value), name);
      case Kind::kList:
      case Kind::kTuple:
        return WalkList(pickle_.Items(value), name);
      default:
        break;
    }
    if (IsFilledDict(pickle_, value)) return WalkCall(value, name);
    if (flat_.data.size() == kMaxTensors) {
      Fail(ErrorCode::kLimit,
           "it has more than " + std::to_string(kMaxTensors) + " tensors");
    }
    flat_.data.push_back({name, value});
  }

  // Keys and values alternate.
  void WalkPairs(std::span<const PickleRef> items, const std::string& name) {
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      WalkEntry(items[i], items[i + 1], name);
    }
  }

  void WalkEntry(PickleRef key, PickleRef value, const std::string& name) {
    CountVisit();
    if (finder_.HoldsData(key)) {
      Fail(ErrorCode::kBadInput, "a tensor is the key of another object");
    }
    if (!finder_.HoldsData(value)) return LeaveOut(name, key);
    Walk(value, Join(name, KeyText(key, value, name)));
  }

  void WalkList(std::span<const PickleRef> items, const std::string& name) {
    for (size_t i = 0; i < items.size(); ++i) {
      CountVisit();
      if (finder_.HoldsData(items[i])) {
        Walk(items[i], Join(name, std::to_string(i)));
      } else {
        CountOther([&] { return Join(name, std::to_string(i)); });
      }
    }
  }

  // A dictionary from a list of pairs.
  void WalkCall(PickleRef call, const std::string& name) {
    const auto arguments = pickle_.Items(pickle_.Items(call)[1]);
    if (arguments.size() != 1 || !pickle_.Is(arguments[0], Kind::kList)) {
      FailCall(name);
    }
    for (const PickleRef pair : pickle_.Items(arguments[0])) {
      const bool sound =
          pickle_.Is(pair, Kind::kList) || pickle_.Is(pair, Kind::kTuple);
      if (!sound || pickle_.Items(pair).size() != 2) FailCall(name);
      WalkPairs(pickle_.Items(pair), name);
    }
  }

  std::string KeyText(PickleRef key, PickleRef value, const std::string& name) {
    if (pickle_.Is(key, Kind::kString)) return std::string(pickle_.Text(key));
    const bool inside = !name.empty() || !IsTorchTensor(pickle_, value);
    if (pickle_.Is(key, Kind::kInt) && inside) {
      return std::to_string(pickle_.Int(key));
    }
    Fail(ErrorCode::kBadInput,
         "the key of a tensor is no text" +
             (name.empty() ? "" : ", in " + Quoted(name)));
  }

  std::string Join(const std::string& name, std::string key) {
    if (!name.empty()) key = name + "." + key;
    if (key.size() > kMaxNameBytes) {
      Fail(ErrorCode::kLimit,
           "a name has " + std::to_string(key.size()) + " bytes");
    }
    name_bytes_ += key.size();
    if (name_bytes_ > kMaxNameTotal) {
      Fail(ErrorCode::kLimit, "the names of its tensors have more than " +
                                  std::to_string(kMaxNameTotal) + " bytes");
    }
    return key;
  }

  template <typename MakeName>
  void CountOther(const MakeName& make_name) {
    if (flat_.other_count++ < static_cast<int64_t>(kMaxOthers)) {
      flat_.others.push_back(make_name());
    }
  }

  void LeaveOut(const std::string& name, PickleRef key) {
    CountOther([&]() -> std::string {
      if (pickle_.Is(key, Kind::kString)) {
        const std::string_view text = pickle_.Text(key);
        // Only for display, so a long name is cut rather than refused.
        return (name.empty() ? "" : name + ".") +
               std::string(text.substr(0, kMaxNameBytes));
      }
      if (!pickle_.Is(key, Kind::kInt)) return name.empty() ? "?" : name + ".?";
      return (name.empty() ? "" : name + ".") +
             std::to_string(pickle_.Int(key));
    });
  }

  void CountVisit() {
    if (visits_left_-- > 0) return;
    Fail(ErrorCode::kLimit,
         "its containers are shared so often that they would expand to " +
             std::to_string(kMaxVisits) + " times as many objects");
  }

  [[noreturn]] void FailCall(const std::string& name) const {
    Fail(ErrorCode::kUnsupported,
         "the dictionary " + Quoted(name) + " is made of no list of pairs");
  }
  [[noreturn]] void Fail(ErrorCode code, const std::string& what) const {
    throw Error(code, source_ + ": " + what);
  }

  const Pickle& pickle_;
  DataFinder& finder_;
  const std::string& source_;
  size_t visits_left_;
  size_t name_bytes_ = 0;
  FlatObject flat_;
};

enum Knowledge : uint8_t { kUnknown, kHoldsNone, kHoldsData };

}  // namespace

DataFinder::DataFinder(const Pickle& pickle)
    : pickle_(pickle), known_(pickle.size(), kUnknown) {}

bool DataFinder::HoldsData(PickleRef value) {
  if (known_[value] != kUnknown) return known_[value] == kHoldsData;
  bool holds =
      pickle_.Is(value, Kind::kPersistent) || IsTorchTensor(pickle_, value);
  if (!holds && pickle_.HasItems(value)) {
    for (const PickleRef item : pickle_.Items(value)) {
      if (HoldsData(item)) {
        holds = true;
        break;
      }
    }
  }
  known_[value] = holds ? kHoldsData : kHoldsNone;
  return holds;
}

FlatObject Flatten(const Pickle& pickle, PickleRef object, DataFinder& finder,
                   const std::string& source) {
  return Flattener(pickle, finder, source).Run(object);
}

}  // namespace rebasin
