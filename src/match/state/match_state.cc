#include "match/state/match_state.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "io/sha256.h"
#include "match/state/state_tensors.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr const char* kMatching = "rebasin.matching";
// Writing takes at most this share of the time.
constexpr double kMostOfTime = 0.05;

class Hash {
 public:
  template <typename T>
  void Add(std::span<const T> values) {
    sha_.Add(std::as_bytes(values));
  }
  void Add(double value) { Add(std::span<const double>(&value, 1)); }
  void Add(int64_t value) { Add(std::span<const int64_t>(&value, 1)); }
  void Add(const std::string& text) {
    Add(static_cast<int64_t>(text.size()));
    Add(std::span<const char>(text));
  }
  std::string Hex() { return sha_.Finish(); }

 private:
  Sha256 sha_;
};

void AddAlignment(const Alignment& alignment, Hash& hash) {
  const auto groups = static_cast<int>(alignment.symmetry().groups().size());
  for (int group = 0; group < groups; ++group) {
    for (int64_t c = 0; c < alignment.symmetry().Copies(group); ++c) {
      hash.Add(alignment.permutation(group, c));
    }
  }
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

std::string DescribeMatching(const Problem& problem,
                             const MatchOptions& options, uint64_t seed) {
  Hash hash;
  for (const Group& group : problem.symmetry()->groups()) {
    hash.Add(group.name);
    hash.Add(group.size);
    hash.Add(int64_t{group.parent});
  }
  for (const TensorPair& pair : problem.tensors()) {
    hash.Add(pair.name);
    hash.Add(pair.size);
    for (const double x : {pair.norm_a, pair.norm_b, pair.dot}) hash.Add(x);
  }
  for (const int64_t option :
       {static_cast<int64_t>(options.start),
        static_cast<int64_t>(options.random_order),
        static_cast<int64_t>(options.max_passes),
        static_cast<int64_t>(options.balance), options.cost_memory,
        options.memory, static_cast<int64_t>(seed)}) {
    hash.Add(option);
  }
  for (const int group : options.keep) hash.Add(int64_t{group});
  if (options.from != nullptr) AddAlignment(*options.from, hash);
  return hash.Hex();
}

MatchStateFile::MatchStateFile(std::filesystem::path path,
                               std::string description, double seconds)
    : path_(std::move(path)),
      description_(std::move(description)),
      seconds_(seconds),
      last_(Clock::now()) {}

void MatchStateFile::Offer(const Descent& descent,
                           const MatchPosition& position) {
  if (SecondsSince(last_) < seconds_) return;
  const Clock::time_point start = Clock::now();
  Write(descent, position);
  if (seconds_ > 0) {
    seconds_ = std::max(seconds_, SecondsSince(start) / kMostOfTime);
  }
  last_ = Clock::now();
}

void MatchStateFile::Write(const Descent& descent,
                           const MatchPosition& position) const {
  StateWriter writer;
  descent.Save(writer);
  const std::vector<int64_t> at = {position.in_start ? 1 : 0, position.pass,
                                   position.next};
  writer.Add("position", std::span<const int64_t>(at));
  std::vector<double> gains = position.gains;
  gains.push_back(position.gain);
  writer.Add("gains", std::span<const double>(gains));
  SaveCheckpoint(Checkpoint(writer.Take(), {{kMatching, description_}}), path_,
                 {.force = true});
}

MatchPosition MatchStateFile::Load(Descent& descent) const {
  const Checkpoint state = Checkpoint::Open(path_);
  const auto found = state.metadata().find(kMatching);
  if (found == state.metadata().end() || found->second != description_) {
    throw Error(ErrorCode::kMismatch,
                Quoted(path_.string()) +
                    " is the state of another matching (models, options or "
                    "seed)",
                "repeat the command that was interrupted, or remove the file");
  }
  const StateReader reader(state, Quoted(path_.string()));
  std::vector<int64_t> at(3);
  reader.Read("position", std::span(at));
  std::vector<double> gains(static_cast<size_t>(reader.SizeOf("gains")));
  reader.Read("gains", std::span(gains));
  const bool sound = at[1] >= 1 && at[2] >= 0 && at[2] <= descent.trees() &&
                     static_cast<int64_t>(gains.size()) == at[1];
  if (!sound) reader.Fail("position");
  descent.Restore(reader);
  MatchPosition position{.in_start = at[0] == 1,
                         .pass = static_cast<int>(at[1]),
                         .next = at[2],
                         .gain = gains.back()};
  gains.pop_back();
  position.gains = std::move(gains);
  return position;
}

}  // namespace rebasin
