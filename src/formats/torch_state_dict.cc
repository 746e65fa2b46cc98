#include "formats/torch_state_dict.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/utf8.h"
#include "formats/limits.h"
#include "formats/torch_flatten.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Kind = PickleKind;

struct Entry {
  std::string_view key;
  PickleRef value;
};

// The entries of a dictionary whose keys are strings.
std::vector<Entry> EntriesOf(const Pickle& pickle, PickleRef dict) {
  std::vector<Entry> entries;
  const auto items = pickle.Items(dict);
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!pickle.Is(items[i], Kind::kString)) continue;
    entries.push_back({pickle.Text(items[i]), items[i + 1]});
  }
  return entries;
}

// True if it contains tensors directly, not in inner containers.
bool HoldsTensors(const Pickle& pickle, PickleRef value) {
  if (!pickle.Is(value, Kind::kDict)) return false;
  const auto items = pickle.Items(value);
  for (size_t i = 1; i < items.size(); i += 2) {
    if (IsTorchTensor(pickle, items[i])) return true;
  }
  return false;
}

// Finds the paths of dictionaries that contain tensors, in a dictionary and
// inside it. Each is visited once, at its first path: a short pickle can
// contain one large dictionary, or one long key, a million times.
class CandidateFinder {
 public:
  explicit CandidateFinder(const Pickle& pickle) : pickle_(pickle) {}

  // `key` is the path of the dictionary.
  std::vector<std::string> Find(PickleRef dict, const std::string& key = "") {
    Look(dict, key.empty() ? "" : key + ".");
    return std::move(found_);
  }

 private:
  static constexpr size_t kMost = 10;
  static constexpr size_t kMaxSeen = 1000;

  void Look(PickleRef dict, const std::string& prefix) {
    if (!pickle_.Is(dict, Kind::kDict)) return;
    for (const Entry& entry : EntriesOf(pickle_, dict)) {
      if (found_.size() == kMost || seen_.size() == kMaxSeen) return;
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

// Returns the value at "a.b": with the key "a.b", or "b" in the value of "a".
std::optional<PickleRef> FindKey(const Pickle& pickle, PickleRef dict,
                                 std::string_view key) {
  if (!pickle.Is(dict, Kind::kDict)) return std::nullopt;
  // By length, because the same key may occur any number of times.
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

PickleRef FindObject(const Pickle& pickle, const std::string& key,
                     const std::string& source) {
  if (key.empty()) return pickle.root();
  const auto found = FindKey(pickle, pickle.root(), key);
  if (found) return *found;
  throw Error(ErrorCode::kMismatch,
              source + ": there is nothing under the key " + Quoted(key),
              KeyHint(CandidateFinder(pickle).Find(pickle.root())));
}

struct Candidate {
  std::string key;
  PickleRef value;
};

// Returns the only dictionary inside `object` that contains tensors, if there
// is exactly one.
std::optional<Candidate> OnlyStateDict(const Pickle& pickle, PickleRef object,
                                       const std::string& key,
                                       DataFinder& finder) {
  Candidate found = {key, object};
  while (!HoldsTensors(pickle, found.value)) {
    if (!pickle.Is(found.value, Kind::kDict)) return std::nullopt;
    std::optional<Entry> only;
    const auto items = pickle.Items(found.value);
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (!finder.HoldsData(items[i + 1])) continue;
      if (only || !pickle.Is(items[i], Kind::kString)) return std::nullopt;
      only = {pickle.Text(items[i]), items[i + 1]};
    }
    if (!only) return std::nullopt;
    if (found.key.size() + only->key.size() > kMaxNameBytes) return {};
    found.key += (found.key.empty() ? "" : ".") + std::string(only->key);
    found.value = only->value;
  }
  return found;
}

// Returns the object whose tensors are requested. If only inner dictionaries
// contain tensors, one of them must be chosen.
PickleRef ChooseObject(const Pickle& pickle, const StateDictOptions& options,
                       DataFinder& finder, const std::string& source) {
  const std::string& key = options.key;
  const PickleRef object = FindObject(pickle, key, source);
  if (HoldsTensors(pickle, object)) return object;
  if (IsTorchTensor(pickle, object)) {
    throw Error(ErrorCode::kMismatch,
                source + ": it is a single tensor, which has no name",
                "save a dictionary: {\"name\": tensor}");
  }
  const auto candidates = CandidateFinder(pickle).Find(object, key);
  if (candidates.size() == 1 && options.find_key) {
    if (const auto only = OnlyStateDict(pickle, object, key, finder)) {
      if (options.warn) {
        options.warn(source + ": its tensors are taken from " +
                     Quoted(only->key) + " (--key), which alone holds any");
      }
      return only->value;
    }
  }
  if (!candidates.empty()) {
    throw Error(ErrorCode::kBadInput,
                source + ": its tensors are in dictionaries within it",
                KeyHint(candidates));
  }
  if (finder.HoldsData(object)) return object;
  throw Error(ErrorCode::kMismatch, source + ": it holds no tensors");
}

void CheckName(const std::string& name,
               std::unordered_set<std::string_view>& all,
               const std::string& source) {
  if (name.empty() || !IsUtf8(name) || name.find('\0') != name.npos) {
    throw Error(ErrorCode::kBadInput,
                source + ": a tensor cannot be called " + Quoted(name));
  }
  if (!all.insert(name).second) {
    throw Error(ErrorCode::kBadInput,
                source + ": tensor " + Quoted(name) + " occurs twice");
  }
}

// Checked before any tensor is read: a long name may occur a million times.
void CheckNames(std::span<const NamedValue> values, const std::string& source) {
  std::unordered_set<std::string_view> names;
  for (const NamedValue& value : values) CheckName(value.name, names, source);
}

// "a", "b" and 3 more
std::string NameList(std::span<const std::string> names, int64_t count) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + Quoted(name);
  }
  const int64_t more = count - static_cast<int64_t>(names.size());
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

TorchView ReadValue(const Pickle& pickle, NamedValue& value,
                    const std::string& source) {
  if (IsTorchTensor(pickle, value.value)) {
    return ReadTorchView(pickle, value.value, std::move(value.name), source);
  }
  throw Error(ErrorCode::kUnsupported, source + ": " + Quoted(value.name) +
                                           " is a storage without a tensor");
}

// Reads tensors, and collects the names of skipped ones.
class TensorReader {
 public:
  TensorReader(const Pickle& pickle, const StateDictOptions& options,
               const std::string& source)
      : pickle_(pickle), options_(options), source_(source) {}

  std::vector<TorchView> ReadAll(std::vector<NamedValue> values) {
    std::vector<TorchView> views;
    views.reserve(values.size());
    for (NamedValue& value : values) {
      const std::string name = options_.skip_unsupported ? value.name : "";
      try {
        views.push_back(ReadValue(pickle_, value, source_));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kUnsupported) throw;
        LeaveOut(name, error);
      }
    }
    WarnOfSkipped(!views.empty());
    return views;
  }

 private:
  static constexpr size_t kMaxNamed = 1000;

  void LeaveOut(const std::string& name, const Error& error) {
    if (!options_.skip_unsupported) {
      throw Error(error.code(), error.what(),
                  "--skip-unsupported leaves such tensors out");
    }
    if (count_++ < static_cast<int64_t>(kMaxNamed)) left_out_.push_back(name);
  }

  void WarnOfSkipped(bool any_left) const {
    if (count_ == 0) return;
    const std::string what = NameList(left_out_, count_);
    if (!any_left) {
      throw Error(ErrorCode::kMismatch,
                  source_ + ": all of its tensors are unsupported: " + what);
    }
    if (!options_.warn) return;
    options_.warn(source_ +
                  ": tensors that are not supported are left out: " + what);
  }

  const Pickle& pickle_;
  const StateDictOptions& options_;
  const std::string& source_;
  std::vector<std::string> left_out_;
  int64_t count_ = 0;
};

// Checks attributes of dictionaries, which are usually versions of modules.
void CheckAttributes(const Pickle& pickle, const std::string& source) {
  std::vector<PickleRef> pending(pickle.attributes().begin(),
                                 pickle.attributes().end());
  std::vector<bool> seen(pickle.size());
  while (!pending.empty()) {
    const PickleRef value = pending.back();
    pending.pop_back();
    if (seen[value]) continue;
    seen[value] = true;
    if (IsTorchTensor(pickle, value) || pickle.Is(value, Kind::kPersistent)) {
      throw Error(ErrorCode::kUnsupported,
                  source + ": an attribute of a dictionary holds tensors",
                  "save the state_dict of the model, and nothing else");
    }
    if (!pickle.HasItems(value)) continue;
    const auto items = pickle.Items(value);
    pending.insert(pending.end(), items.begin(), items.end());
  }
}

}  // namespace

std::vector<TorchView> ReadStateDict(const Pickle& pickle,
                                     const StateDictOptions& options,
                                     const std::string& source) {
  CheckAttributes(pickle, source);
  DataFinder finder(pickle);
  const PickleRef object = ChooseObject(pickle, options, finder, source);
  FlatObject flat = Flatten(pickle, object, finder, source);
  CheckNames(flat.data, source);
  std::vector<TorchView> views =
      TensorReader(pickle, options, source).ReadAll(std::move(flat.data));
  if (flat.other_count > 0 && options.warn) {
    options.warn(source + ": entries that are no tensors are left out: " +
                 NameList(flat.others, flat.other_count));
  }
  return views;
}

}  // namespace rebasin
