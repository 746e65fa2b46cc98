// Reads Python pickles as data. A pickle is a program that may name any Python
// function and call it. This reader calls nothing: every name in a pickle must
// be in a table that the caller gives, and a call becomes a value with its
// function and arguments.
//
// Supports protocol 2, which PyTorch writes. Written here because existing
// readers execute what they read.

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
  kBigInt,  // more than 64 bits: its bytes, lowest first
  kFloat,
  kString,
  kTuple,
  kList,
  kDict,        // items: key, value, key, value, ...
  kGlobal,      // an entry of the table of names
  kCall,        // items: the function, and a tuple of arguments
  kPersistent,  // item: id of an object outside the pickle
};

// A name that pickles may use.
struct PickleGlobal {
  enum Use { kConstant, kFunction, kMakesDict };

  std::string_view module;
  std::string_view name;
  // A kMakesDict function called without arguments gives a dictionary.
  Use use = kFunction;
  int id = 0;  // for the caller
};

// A value of a Pickle. Values may be shared, but none contains itself, and
// nesting is at most kMaxPickleDepth.
using PickleRef = uint32_t;

// The values of a pickle. Refers to the bytes that were read and to the table
// of globals; both must outlive it.
class Pickle {
 public:
  PickleRef root() const { return root_; }
  PickleKind kind(PickleRef value) const { return nodes_[value].kind; }
  bool Is(PickleRef value, PickleKind kind) const {
    return nodes_[value].kind == kind;
  }

  // The values are 0 to size() - 1; not all are part of root().
  PickleRef size() const { return static_cast<PickleRef>(nodes_.size()); }

  // Each requires a value of its kind.
  int64_t Int(PickleRef value) const { return nodes_[value].integer; }
  std::string_view Text(PickleRef value) const;
  const PickleGlobal& Global(PickleRef value) const;
  std::span<const PickleRef> Items(PickleRef value) const;
  // True if values of this kind have items.
  bool HasItems(PickleRef value) const {
    return kind(value) >= PickleKind::kTuple &&
           kind(value) != PickleKind::kGlobal;
  }

  // The dictionaries given as attributes of others, one entry for each use.
  // They may be nested, and may contain themselves.
  std::span<const PickleRef> attributes() const { return attributes_; }

 private:
  friend class PickleMachine;

  struct Node {
    PickleKind kind = PickleKind::kNone;
    uint32_t size = 0;    // of a string
    int64_t integer = 0;  // a number, or the position of text or items
  };

  std::span<const std::byte> bytes_;
  std::span<const PickleGlobal> globals_;
  std::vector<Node> nodes_;
  std::vector<std::vector<PickleRef>> items_;
  std::vector<PickleRef> attributes_;
  PickleRef root_ = 0;
};

inline constexpr int kMaxPickleDepth = 100;
// A value takes up to fifty times the bytes of its opcode, so a limit on the
// length is not enough. A tensor needs about 20 values.
inline constexpr size_t kMaxPickleValues = 5'000'000;

// Reads one pickle from the start of `bytes`; `used` becomes its length.
// `source` is the start of messages. Throws Error(kBadInput) for input that no
// pickler writes, Error(kUnsupported) for other protocols, opcodes and names,
// Error(kLimit) for values that contain themselves, are nested too deeply, or
// are too many.
Pickle ReadPickle(std::span<const std::byte> bytes,
                  std::span<const PickleGlobal> globals,
                  const std::string& source, size_t* used);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_PICKLE_H_
