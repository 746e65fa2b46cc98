#include "formats/pickle.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "io/bytes.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// The names of Python's pickletools.
enum Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kDict = 'd',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyTuple = ')',
  kEmptyList = ']',
  kEmptyDict = '}',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
};

constexpr uint8_t kProtocol = 2;
constexpr size_t kMaxLongBytes = 16;

}  // namespace

std::string_view Pickle::Text(PickleRef value) const {
  const Node& node = nodes_[value];
  assert(node.kind == PickleKind::kString || node.kind == PickleKind::kBigInt);
  return {reinterpret_cast<const char*>(bytes_.data()) + node.integer,
          node.size};
}

const PickleGlobal& Pickle::Global(PickleRef value) const {
  assert(Is(value, PickleKind::kGlobal));
  return globals_[static_cast<size_t>(nodes_[value].integer)];
}

std::span<const PickleRef> Pickle::Items(PickleRef value) const {
  assert(HasItems(value));
  return items_[static_cast<size_t>(nodes_[value].integer)];
}

// Executes opcodes. Marks are stored separately, as heights of the stack.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes,
                std::span<const PickleGlobal> globals,
                const std::string& source)
      : bytes_(bytes), source_(source) {
    pickle_.bytes_ = bytes;
    pickle_.globals_ = globals;
  }

  Pickle Run(size_t* used) {
    ReadProtocol();
    while (Step()) {
    }
    if (!marks_.empty()) Corrupt("a mark is left over");
    if (stack_.size() != 1) {
      Corrupt("it ends with " + std::to_string(stack_.size()) +
              " objects, not with one");
    }
    pickle_.root_ = stack_.front();
    CheckNesting();
    *used = at_;
    return std::move(pickle_);
  }

 private:
  using Node = Pickle::Node;
  using Kind = PickleKind;

  [[noreturn]] void Fail(ErrorCode code, const std::string& what,
                         const std::string& hint = "") const {
    throw Error(code, source_ + ": pickle: " + what, hint);
  }
  [[noreturn]] void Corrupt(const std::string& what) const {
    Fail(ErrorCode::kBadInput,
         what + " (at byte " + std::to_string(opcode_at_) + ")");
  }

  // --- bytes

  std::span<const std::byte> Take(size_t size) {
    if (size > bytes_.size() - at_) {
      Corrupt("it is cut short: " + std::to_string(size) +
              " bytes are needed, " + std::to_string(bytes_.size() - at_) +
              " are left");
    }
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }
  template <typename T>
  T Number() {
    return LoadLittle<T>(Take(sizeof(T)), 0);
  }
  std::string_view Line() {
    const std::string_view rest(
        reinterpret_cast<const char*>(bytes_.data()) + at_,
        bytes_.size() - at_);
    const size_t end = rest.find('\n');
    if (end == rest.npos) Corrupt("a line has no end");
    at_ += end + 1;
    return rest.substr(0, end);
  }

  // --- values

  PickleRef Add(Kind kind, int64_t integer = 0, size_t size = 0) {
    if (pickle_.nodes_.size() == kMaxPickleValues) {
      Fail(ErrorCode::kLimit,
           "it has more than " + std::to_string(kMaxPickleValues) + " values");
    }
    pickle_.nodes_.push_back({kind, static_cast<uint32_t>(size), integer});
    return static_cast<PickleRef>(pickle_.nodes_.size() - 1);
  }
  void Push(PickleRef value) { stack_.push_back(value); }
  void PushText(Kind kind, size_t size) {
    const size_t begin = at_;
    Take(size);
    Push(Add(kind, static_cast<int64_t>(begin), size));
  }
  void PushItems(Kind kind, std::vector<PickleRef> items) {
    Push(Add(kind, static_cast<int64_t>(pickle_.items_.size())));
    pickle_.items_.push_back(std::move(items));
  }
  PickleRef Pop() {
    if (stack_.size() <= Floor()) Corrupt("the stack is empty");
    const PickleRef top = stack_.back();
    stack_.pop_back();
    return top;
  }
  // Values below the last mark are not accessible.
  size_t Floor() const { return marks_.empty() ? 0 : marks_.back(); }
  std::vector<PickleRef> PopToMark() {
    if (marks_.empty()) Corrupt("there is no mark");
    const auto begin = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    std::vector<PickleRef> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<PickleRef> PopMany(size_t count) {
    std::vector<PickleRef> items(count);
    for (size_t i = count; i-- > 0;) items[i] = Pop();
    return items;
  }

  // The items of the container on top of the stack.
  std::vector<PickleRef>& TopItems(Kind kind) {
    if (stack_.size() <= Floor()) Corrupt("the stack is empty");
    const Node& node = pickle_.nodes_[stack_.back()];
    if (node.kind != kind) {
      Fail(ErrorCode::kUnsupported,
           std::string("items are added to an object that is not a ") +
               (kind == Kind::kList ? "list" : "dictionary"));
    }
    return pickle_.items_[static_cast<size_t>(node.integer)];
  }
  void Extend(Kind kind, const std::vector<PickleRef>& added) {
    if (kind == Kind::kDict && added.size() % 2 != 0) {
      Corrupt("a key has no value");
    }
    std::vector<PickleRef>& items = TopItems(kind);
    items.insert(items.end(), added.begin(), added.end());
  }

  // --- opcodes

  void ReadProtocol() {
    const bool told = bytes_.size() >= 2 && bytes_[0] == std::byte{kProto};
    if (told && bytes_[1] == std::byte{kProtocol}) {
      at_ = 2;
      return;
    }
    Fail(ErrorCode::kUnsupported,
         told ? "protocol " + std::to_string(static_cast<int>(bytes_[1])) +
                    "; only protocol 2 is supported"
              : "it does not start with its protocol",
         "save it again with torch.save, which writes protocol 2");
  }

  void ReadGlobal() {
    const std::string_view module = Line(), name = Line();
    const auto& table = pickle_.globals_;
    const auto known = std::find_if(
        table.begin(), table.end(), [&](const PickleGlobal& global) {
          return global.module == module && global.name == name;
        });
    if (known == table.end()) {
      Fail(ErrorCode::kUnsupported,
           "it names " + Quoted(std::string(module) + "." + std::string(name)) +
               ", which is not part of a tensor",
           "save the state_dict of the model, and nothing else");
    }
    Push(Add(Kind::kGlobal, known - table.begin()));
  }

  void Reduce() {
    const PickleRef arguments = Pop(), function = Pop();
    if (pickle_.kind(function) != Kind::kGlobal ||
        pickle_.Global(function).use == PickleGlobal::kConstant ||
        pickle_.kind(arguments) != Kind::kTuple) {
      Fail(ErrorCode::kUnsupported,
           "it calls an object that is not a known function");
    }
    if (pickle_.Global(function).use == PickleGlobal::kMakesDict &&
        pickle_.Items(arguments).empty()) {
      PushItems(Kind::kDict, {});
      return;
    }
    PushItems(Kind::kCall, {function, arguments});
  }

  // Accepts attributes of dictionaries, because PyTorch adds versions of
  // modules.
  void Build() {
    const PickleRef state = Pop();
    TopItems(Kind::kDict);
    if (pickle_.kind(state) != Kind::kDict) {
      Fail(ErrorCode::kUnsupported,
           "it sets attributes that are not a dictionary");
    }
    pickle_.attributes_.push_back(state);
  }

  void ReadLong() {
    const size_t size = Number<uint8_t>();
    if (size > kMaxLongBytes) {
      Corrupt("a number has " + std::to_string(size) + " bytes");
    }
    if (size > sizeof(int64_t)) {
      PushText(Kind::kBigInt, size);
      return;
    }
    const auto bytes = Take(size);
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
    }
    const bool negative =
        size > 0 && (bytes[size - 1] & std::byte{0x80}) != std::byte{0};
    if (negative && size < sizeof value) value |= ~uint64_t{0} << (8 * size);
    Push(Add(Kind::kInt, static_cast<int64_t>(value)));
  }

  void Get(uint32_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) Corrupt("a memo entry is missing");
    Push(found->second);
  }
  void Put(uint32_t index) {
    if (stack_.size() <= Floor()) Corrupt("the stack is empty");
    memo_[index] = stack_.back();
  }

  // Returns false at the end.
  bool Step() {
    opcode_at_ = at_;
    if (at_ == bytes_.size()) Corrupt("it has no end");
    const auto opcode = Number<uint8_t>();
    if (opcode == kStop) return false;
    const bool known = DoesStack(opcode) || DoesMemo(opcode) ||
                       PushesScalar(opcode) || PushesText(opcode) ||
                       MakesContainer(opcode) || FillsContainer(opcode) ||
                       MakesObject(opcode);
    if (!known) {
      Fail(ErrorCode::kUnsupported, "opcode " + HexByte(opcode) + " at byte " +
                                        std::to_string(opcode_at_));
    }
    return true;
  }

  // Each of the following functions runs opcodes of one kind, or returns false.

  bool DoesStack(uint8_t opcode) {
    switch (opcode) {
      case kMark:
        marks_.push_back(stack_.size());
        return true;
      case kPop:
        Pop();
        return true;
      case kPopMark:
        PopToMark();
        return true;
      case kDup:
        Push(Pop());
        Push(stack_.back());
        return true;
      default:
        return false;
    }
  }

  bool DoesMemo(uint8_t opcode) {
    switch (opcode) {
      case kBinGet:
        Get(Number<uint8_t>());
        return true;
      case kLongBinGet:
        Get(Number<uint32_t>());
        return true;
      case kBinPut:
        Put(Number<uint8_t>());
        return true;
      case kLongBinPut:
        Put(Number<uint32_t>());
        return true;
      default:
        return false;
    }
  }

  bool PushesScalar(uint8_t opcode) {
    switch (opcode) {
      case kNone:
        Push(Add(Kind::kNone));
        return true;
      case kNewTrue:
      case kNewFalse:
        Push(Add(Kind::kBool, opcode == kNewTrue));
        return true;
      case kBinInt:
        Push(Add(Kind::kInt, static_cast<int32_t>(Number<uint32_t>())));
        return true;
      case kBinInt1:
        Push(Add(Kind::kInt, Number<uint8_t>()));
        return true;
      case kBinInt2:
        Push(Add(Kind::kInt, Number<uint16_t>()));
        return true;
      case kLong1:
        ReadLong();
        return true;
      case kBinFloat:  // its value is never needed
        Take(sizeof(double));
        Push(Add(Kind::kFloat));
        return true;
      default:
        return false;
    }
  }

  bool PushesText(uint8_t opcode) {
    switch (opcode) {
      case kBinUnicode:
        PushText(Kind::kString, Number<uint32_t>());
        if (!IsUtf8(pickle_.Text(stack_.back()))) {
          Corrupt("a text is not UTF-8");
        }
        return true;
      case kBinString:
        PushText(Kind::kString, Number<uint32_t>());
        return true;
      case kShortBinString:
        PushText(Kind::kString, Number<uint8_t>());
        return true;
      default:
        return false;
    }
  }

  bool MakesContainer(uint8_t opcode) {
    switch (opcode) {
      case kEmptyTuple:
        PushItems(Kind::kTuple, {});
        return true;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        PushItems(Kind::kTuple, PopMany(opcode - kTuple1 + size_t{1}));
        return true;
      case kTuple:
        PushItems(Kind::kTuple, PopToMark());
        return true;
      case kEmptyList:
        PushItems(Kind::kList, {});
        return true;
      case kList:
        PushItems(Kind::kList, PopToMark());
        return true;
      case kEmptyDict:
        PushItems(Kind::kDict, {});
        return true;
      case kDict: {
        const auto items = PopToMark();
        PushItems(Kind::kDict, {});
        Extend(Kind::kDict, items);
        return true;
      }
      default:
        return false;
    }
  }

  bool FillsContainer(uint8_t opcode) {
    switch (opcode) {
      case kAppend:
        Extend(Kind::kList, PopMany(1));
        return true;
      case kAppends:
        Extend(Kind::kList, PopToMark());
        return true;
      case kSetItem:
        Extend(Kind::kDict, PopMany(2));
        return true;
      case kSetItems:
        Extend(Kind::kDict, PopToMark());
        return true;
      default:
        return false;
    }
  }

  bool MakesObject(uint8_t opcode) {
    switch (opcode) {
      case kGlobal:
        ReadGlobal();
        return true;
      case kReduce:
        Reduce();
        return true;
      case kBuild:
        Build();
        return true;
      case kBinPersId:
        PushItems(Kind::kPersistent, PopMany(1));
        return true;
      default:
        return false;
    }
  }

  static std::string HexByte(uint8_t byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {'0', 'x', kDigits[byte / 16], kDigits[byte % 16]};
  }

  // Visits every value once, and not deeper than the limit. A value that is
  // visited again on the way down contains itself.
  void CheckNesting() const {
    enum State : uint8_t { kNew, kOpen, kDone };
    struct Place {
      PickleRef value;
      size_t next;
    };
    std::vector<uint8_t> state(pickle_.nodes_.size(), kNew);
    std::vector<uint8_t> height(pickle_.nodes_.size(), 0);
    std::vector<Place> path = {{pickle_.root_, 0}};
    const auto lift = [&](PickleRef value, uint8_t below) {
      height[value] = std::max<uint8_t>(height[value], below + 1);
    };
    while (!path.empty()) {
      auto& [value, next] = path.back();
      state[value] = kOpen;
      if (pickle_.HasItems(value) && next < pickle_.Items(value).size()) {
        const PickleRef item = pickle_.Items(value)[next++];
        if (state[item] == kOpen) {
          Fail(ErrorCode::kLimit, "an object contains itself");
        }
        if (path.size() + height[item] >= kMaxPickleDepth) {
          Fail(ErrorCode::kLimit, "objects are nested deeper than " +
                                      std::to_string(kMaxPickleDepth));
        }
        // A value visited before has the same height.
        lift(value, height[item]);
        if (state[item] == kNew) path.push_back({item, 0});
        continue;
      }
      state[value] = kDone;
      const uint8_t own = height[value];
      path.pop_back();
      if (!path.empty()) lift(path.back().value, own);
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  size_t at_ = 0;
  size_t opcode_at_ = 0;
  Pickle pickle_;
  std::vector<PickleRef> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, PickleRef> memo_;
};

Pickle ReadPickle(std::span<const std::byte> bytes,
                  std::span<const PickleGlobal> globals,
                  const std::string& source, size_t* used) {
  return PickleMachine(bytes, globals, source).Run(used);
}

}  // namespace rebasin
