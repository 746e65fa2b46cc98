// Python pickles, read as data. A pickle is a program for a small machine that
// may name any function of Python and call it; this machine calls nothing. What
// a pickle names must be in a table that the caller gives, and a call becomes a
// value that says what would have been called with what.
//
// Protocol 2, which is what PyTorch writes. (Written by hand: the readers there
// are all execute what they read.)

#ifndef REBASIN_FORMATS_PICKLE_H_
#define REBASIN_FORMATS_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rebasin {

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kBigInt,  // beyond 64 bits: its bytes as text, the lowest first
  kFloat,
  kString,
  kTuple,
  kList,
  kDict,        // items: key, value, key, value, ...
  kGlobal,      // a name of the table
  kCall,        // items: the function, and a tuple of arguments
  kPersistent,  // item: an id of something outside of the pickle
};

// What a pickle may name.
struct PickleGlobal {
  enum Use { kConstant, kFunction, kMakesDict };

  std::string_view module;
  std::string_view name;
  Use use = kFunction;  // a dictionary maker called without arguments gives one
  int id = 0;           // for the caller
};

// A value of a Pickle. Values may be shared, but none contains itself, and none
// is nested deeper than kMaxPickleDepth.
using PickleRef = uint32_t;

// The values of a pickle. Texts lie in the bytes that were read, and those must
// outlive this; the table of globals, too.
class Pickle {
 public:
  PickleRef root() const { return root_; }
  PickleKind kind(PickleRef value) const { return nodes_[value].kind; }
  bool Is(PickleRef value, PickleKind kind) const {
    return nodes_[value].kind == kind;
  }

  // All values, from 0 to this, are in the pickle; not all in its root.
  PickleRef size() const { return static_cast<PickleRef>(nodes_.size()); }

  // Each for values of its kind only.
  int64_t Int(PickleRef value) const { return nodes_[value].integer; }
  std::string_view Text(PickleRef value) const;
  const PickleGlobal& Global(PickleRef value) const;
  std::span<const PickleRef> Items(PickleRef value) const;
  // Whether a value is of a kind that has items.
  bool HasItems(PickleRef value) const {
    return kind(value) >= PickleKind::kTuple &&
           kind(value) != PickleKind::kGlobal;
  }

  // The dictionaries that were given to others as their attributes, each once
  // for every time. They may be nested in any way, and contain themselves.
  std::span<const PickleRef> attributes() const { return attributes_; }

 private:
  friend class PickleMachine;

  struct Node {
    PickleKind kind = PickleKind::kNone;
    uint32_t size = 0;    // of a text
    int64_t integer = 0;  // a number, or where text or items are
  };

  std::span<const std::byte> bytes_;
  std::span<const PickleGlobal> globals_;
  std::vector<Node> nodes_;
  std::vector<std::vector<PickleRef>> items_;
  std::vector<PickleRef> attributes_;
  PickleRef root_ = 0;
};

inline constexpr int kMaxPickleDepth = 100;
// A value takes up to fifty times the byte of its opcode, so the length alone
// bounds nothing. A tensor has some 20.
inline constexpr size_t kMaxPickleValues = 5'000'000;

// Reads one pickle from the front of `bytes`; `used` becomes its length.
// `source` starts messages. Throws Error(kBadInput) for what no pickler writes,
// Error(kUnsupported) for other protocols, opcodes and names than those known,
// Error(kLimit) for values in themselves, nested too deeply or too many.
Pickle ReadPickle(std::span<const std::byte> bytes,
                  std::span<const PickleGlobal> globals,
                  const std::string& source, size_t* used);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_PICKLE_H_
