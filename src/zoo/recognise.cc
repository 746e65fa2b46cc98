// Every architecture infers its options from a few characteristic tensors. The
// graph with these options is compared with the checkpoint, tensor by tensor.
// So a graph is built only for architectures whose characteristic tensors
// exist.

#include "zoo/recognise.h"

#include <algorithm>
#include <optional>

#include "rebasin/error.h"
#include "zoo/suggest_names.h"

namespace rebasin::zoo {
namespace {

// With a smaller share of equal tensors, naming the nearest architecture would
// not help.
constexpr double kNear = 0.1;

struct Candidate {
  const Architecture* architecture;
  std::string text;        // "resnet20:width=1"
  std::string difference;  // the first one; empty if it fits
  double agreement = 0;    // share of the tensors that fit
};

std::string SizesText(const std::string& name, const Shape& expected,
                      const Shape& found) {
  return "tensor " + Quoted(name) + " is " + ShapeText(found) + ", not " +
         ShapeText(expected);
}

bool IsStoredTie(const Tensor& tensor, const Architecture& architecture,
                 const Settings& settings, const Checkpoint& model) {
  if (!architecture.stored_ties) return false;
  const auto ties = architecture.stored_ties(settings);
  return std::any_of(ties.begin(), ties.end(), [&](const auto& tie) {
    return tie.first == tensor.name &&
           Clues(model).AreEqual(tie.first, tie.second);
  });
}

bool IsOptionalTensor(const Tensor& tensor, const Architecture& architecture,
                      const Settings& settings, const Checkpoint& model) {
  return !IsArithmetic(tensor.dtype) ||
         (architecture.is_buffer && architecture.is_buffer(tensor)) ||
         IsStoredTie(tensor, architecture, settings, model);
}

// Stores the first difference and counts agreements.
class Comparison {
 public:
  void Agree() { ++agreeing_; }
  void Differ(std::string difference) {
    ++differing_;
    if (first_.empty()) first_ = std::move(difference);
  }
  const std::string& first() const { return first_; }
  double agreement() const {
    return static_cast<double>(agreeing_) / (agreeing_ + differing_ + 1);
  }

 private:
  int agreeing_ = 0, differing_ = 0;
  std::string first_;
};

Comparison Compare(const Graph& graph, const Checkpoint& model,
                   const Architecture& architecture, const Settings& settings) {
  Comparison comparison;
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    const Tensor* tensor = model.Find(weight.name);
    if (tensor == nullptr) {
      comparison.Differ("tensor " + Quoted(weight.name) + " is missing");
    } else if (tensor->shape != weight.shape) {
      comparison.Differ(SizesText(weight.name, weight.shape, tensor->shape));
    } else {
      comparison.Agree();
    }
  }
  for (const Tensor& tensor : model.tensors()) {
    if (graph.FindWeight(tensor.name) != kNoValue) continue;
    if (IsOptionalTensor(tensor, architecture, settings, model)) continue;
    comparison.Differ("tensor " + Quoted(tensor.name) + " is not part of it");
  }
  return comparison;
}

// All open options have the same names and shapes, so any of them will do.
Findings ShownOrPossible(const Architecture& architecture, const Clues& clues) {
  Findings findings = architecture.fit(clues);
  if (!architecture.choices) return findings;
  const std::vector<Findings> choices = architecture.choices(clues);
  if (choices.empty()) return findings;
  findings.insert(findings.end(), choices[0].begin(), choices[0].end());
  return findings;
}

// Returns nothing if the findings are impossible for the architecture.
std::optional<Candidate> TryFit(const Architecture& architecture,
                                const Checkpoint& model) {
  const Findings findings = ShownOrPossible(architecture, Clues(model));
  Settings settings(architecture.entry);
  try {
    for (const Finding& f : findings) settings.Set(f.option, f.value);
    const Graph graph = BuildGraph(architecture, settings);
    const Comparison comparison = Compare(graph, model, architecture, settings);
    return Candidate{&architecture,
                     TextOf(architecture.entry, architecture.fit(Clues(model))),
                     comparison.first(), comparison.agreement()};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// "rename a to b, c to d" as options, or for many names how to get them.
std::string RenamesText(const NameSuggestion& suggestion) {
  constexpr size_t kMaxAsOptions = 8;
  std::string text = "its shapes are those of " + suggestion.model +
                     "; if it is one, name its tensors so: ";
  if (suggestion.renames.size() > kMaxAsOptions) {
    const auto& [from, to] = suggestion.renames[0];
    return text + "--names FILE with lines such as " + from + "=" + to +
           " (rebasin inspect MODEL --suggest-names prints them)";
  }
  for (const auto& [from, to] : suggestion.renames) {
    text += "--rename " + from + "=" + to + " ";
  }
  text.pop_back();
  return text;
}

std::string HintFor(const Checkpoint& model,
                    std::span<const Architecture> architectures) {
  const auto suggestion = SuggestNames(model, architectures);
  return suggestion ? RenamesText(*suggestion)
                    : "no architecture is similar; rebasin zoo lists them";
}

[[noreturn]] void FailNoneFits(const Checkpoint& model,
                               std::span<const Architecture> architectures,
                               std::span<const Candidate> candidates) {
  const auto nearest =
      std::max_element(candidates.begin(), candidates.end(),
                       [](const Candidate& x, const Candidate& y) {
                         return x.agreement < y.agreement;
                       });
  const bool near = nearest != candidates.end() && nearest->agreement > kNear;
  throw NoArchitectureFits(
      ErrorCode::kMismatch, "no built-in architecture fits this model",
      near ? "the nearest is " + nearest->text + ", but " + nearest->difference
           : HintFor(model, architectures));
}

}  // namespace

std::optional<std::string> FitExactly(const Architecture& architecture,
                                      const Checkpoint& model) {
  const auto candidate = TryFit(architecture, model);
  if (!candidate || !candidate->difference.empty()) return std::nullopt;
  return candidate->text;
}

const Architecture& Recognise(const Checkpoint& model,
                              std::span<const Architecture> architectures) {
  std::vector<Candidate> candidates, fitting;
  for (const Architecture& architecture : architectures) {
    const auto candidate = TryFit(architecture, model);
    if (!candidate) continue;
    candidates.push_back(*candidate);
    if (candidate->difference.empty()) fitting.push_back(*candidate);
  }
  if (fitting.empty()) FailNoneFits(model, architectures, candidates);
  if (fitting.size() > 1) {
    throw Error(ErrorCode::kMismatch,
                "more than one architecture fits: " + fitting[0].text +
                    " and " + fitting[1].text,
                "specify one");
  }
  return *fitting[0].architecture;
}

}  // namespace rebasin::zoo
