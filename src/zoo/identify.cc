// Collects statements about a model's options from all sources, which must
// agree. Options that remain open are inferred from names and shapes, or
// refused.

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>

#include "formats/wrappers.h"
#include "rebasin/error.h"
#include "rebasin/zoo.h"
#include "zoo/architecture.h"
#include "zoo/config.h"
#include "zoo/recognise.h"

namespace rebasin {
namespace zoo {
namespace {

constexpr size_t kMaxListed = 16;
constexpr char kMetadata[] = "metadata";
constexpr char kConfig[] = "config.json";

// What one source says about a model.
struct Statement {
  std::string kind;    // "", "metadata" or "config.json"
  std::string origin;  // for messages
  const Architecture* architecture = nullptr;
  Findings options = {};
  std::string text = {};  // the original text
};

std::string OfModel(const ModelSource& model) {
  return model.name.empty() ? "" : " of " + Quoted(model.name);
}

// True for sizes of inputs, which may differ between runs.
bool IsSizeOfInputs(const std::string& option) {
  return option == "image" || option == "sequence";
}

// 0 means that the value is derived from others.
bool IsDerived(const Architecture& architecture, const Finding& finding) {
  return architecture.resolve && finding.value == "0";
}

// Metadata also specifies the defaults of options that it leaves out.
Statement CompleteStatement(const std::string& text,
                            const std::string& origin) {
  const ModelText parsed = ParseModelText(text);
  Settings settings(parsed.architecture->entry);
  for (const Finding& f : parsed.options) settings.Set(f.option, f.value);
  if (parsed.architecture->resolve) parsed.architecture->resolve(settings);
  Statement statement{.kind = kMetadata,
                      .origin = origin,
                      .architecture = parsed.architecture,
                      .text = text};
  for (const auto& [option, value] : settings.values()) {
    statement.options.emplace_back(option, value);
  }
  return statement;
}

// Returns nothing if there is no such metadata, or if it is invalid and
// `optional`.
std::optional<Statement> StatementOfMetadata(const ModelSource& model,
                                             bool optional) {
  const auto& metadata = model.weights->metadata();
  const auto found = metadata.find(kModelKey);
  if (found == metadata.end()) return std::nullopt;
  try {
    return CompleteStatement(found->second,
                             std::string(kMetadata) + OfModel(model));
  } catch (const Error& error) {
    if (optional) return std::nullopt;
    throw Error(
        ErrorCode::kUnsupported,
        "metadata " + Quoted(kModelKey) + OfModel(model) + ": " + error.what(),
        "give --model NAME");
  }
}

// Returns a statement of each source that names an architecture; may be empty.
std::vector<Statement> NamingStatements(std::span<const ModelSource> models,
                                        const IdentifyOptions& options) {
  std::vector<Statement> statements;
  const bool named = options.model != "auto";
  if (named) {
    const ModelText text = ParseModelText(options.model);
    statements.push_back({.kind = "",
                          .origin = options.origin,
                          .architecture = text.architecture,
                          .options = text.options,
                          .text = options.model});
  }
  for (const ModelSource& model : models) {
    auto statement = StatementOfMetadata(model, named);
    if (statement) statements.push_back(*std::move(statement));
  }
  return statements;
}

const Architecture& AgreedArchitecture(std::span<const Statement> statements) {
  const Statement& first = statements[0];
  for (const Statement& other : statements) {
    if (other.architecture == first.architecture) continue;
    throw Error(ErrorCode::kMismatch,
                first.origin + " says " +
                    Quoted(first.architecture->entry.name) + ", but " +
                    other.origin + " says " +
                    Quoted(other.architecture->entry.name),
                "models of different architectures cannot be combined");
  }
  return *first.architecture;
}

// The specified values of options, and their sources.
class SpecifiedOptions {
 public:
  explicit SpecifiedOptions(const Architecture& architecture)
      : architecture_(architecture) {}

  void Add(const Statement& statement) {
    for (const Finding& finding : statement.options) {
      if (!IsDerived(architecture_, finding)) Add(finding, statement);
    }
  }

  bool Has(const std::string& option) const { return values_.contains(option); }
  bool Agrees(const Findings& choice) const {
    return std::all_of(choice.begin(), choice.end(), [&](const Finding& f) {
      const auto found = values_.find(f.option);
      return found == values_.end() || found->second.value == f.value;
    });
  }
  void ApplyTo(Settings& settings) const {
    for (const auto& [option, said] : values_) settings.Set(option, said.value);
  }
  // '--model says heads=3' for the first of these options that was specified.
  std::string Text(const Findings& options) const {
    for (const Finding& f : options) {
      const auto found = values_.find(f.option);
      if (found != values_.end()) return Says(f.option, found->second);
    }
    return "";
  }
  // The sources of these options, except the user.
  std::set<std::string> KindsFor(const Findings& options) const {
    std::set<std::string> kinds;
    for (const Finding& f : options) {
      const auto found = values_.find(f.option);
      if (found != values_.end()) kinds.insert(found->second.by.kind);
    }
    kinds.erase("");
    return kinds;
  }

 private:
  struct Said {
    std::string value;
    Statement by;  // without its options
  };

  static std::string Says(const std::string& option, const Said& said) {
    return said.by.origin + " says " + option + "=" + said.value;
  }

  void Add(const Finding& finding, const Statement& statement) {
    Said said{finding.value, statement};
    said.by.options.clear();
    const auto [found, added] = values_.emplace(finding.option, said);
    if (added || found->second.value == finding.value ||
        IsSizeOfInputs(finding.option)) {
      return;
    }
    throw Error(ErrorCode::kMismatch,
                Says(finding.option, found->second) + ", but " +
                    Says(finding.option, said),
                "the models must agree on this; correct the metadata or "
                "config.json that is wrong");
  }

  const Architecture& architecture_;
  std::map<std::string, Said> values_;
};

const std::string* ValueIn(const Findings& findings,
                           const std::string& option) {
  for (const Finding& f : findings) {
    if (f.option == option) return &f.value;
  }
  return nullptr;
}

// A config.json with other sizes than the weights belongs to another model.
void CheckAgainstWeights(const Statement& config, const Findings& shown) {
  for (const Finding& finding : config.options) {
    const std::string* found = ValueIn(shown, finding.option);
    if (found == nullptr || *found == finding.value) continue;
    throw Error(ErrorCode::kMismatch,
                config.origin + " says " + finding.option + "=" +
                    finding.value + ", but the weights show " + finding.option +
                    "=" + *found,
                "move config.json away if it belongs to another model");
  }
}

// The options that all models show must agree, unless specified.
void CheckShownAlike(const Findings& first, const ModelSource& first_model,
                     const Findings& other, const ModelSource& other_model,
                     const SpecifiedOptions& stated) {
  for (const Finding& finding : other) {
    const std::string* value = ValueIn(first, finding.option);
    if (value == nullptr || *value == finding.value ||
        stated.Has(finding.option)) {
      continue;
    }
    throw Error(ErrorCode::kMismatch, "the weights" + OfModel(first_model) +
                                          " show " + finding.option + "=" +
                                          *value + ", those" +
                                          OfModel(other_model) + " " +
                                          finding.option + "=" + finding.value);
  }
}

// The first options of a choice that distinguish it from the others.
Findings Shortened(const Findings& choice, std::span<const Findings> choices) {
  Findings shortened;
  for (const Finding& finding : choice) {
    shortened.push_back(finding);
    const auto same = std::count_if(
        choices.begin(), choices.end(), [&](const Findings& other) {
          return std::all_of(shortened.begin(), shortened.end(),
                             [&](const Finding& f) {
                               const std::string* v = ValueIn(other, f.option);
                               return v != nullptr && *v == f.value;
                             });
        });
    if (same == 1) break;
  }
  return shortened;
}

// "llama:heads=1, llama:heads=2 or llama:heads=4"
std::string ChoicesText(const Architecture& architecture,
                        std::span<const Findings> choices) {
  std::string text;
  for (size_t c = 0; c < choices.size(); ++c) {
    if (c == kMaxListed) {
      return text + " and " + std::to_string(choices.size() - c) + " more";
    }
    text += (c == 0                    ? ""
             : c + 1 == choices.size() ? " or "
                                       : ", ") +
            TextOf(architecture.entry, Shortened(choices[c], choices));
  }
  return text;
}

[[noreturn]] void FailOpen(const ModelSource& model,
                           const Architecture& architecture,
                           std::span<const Findings> choices) {
  std::set<std::string> options;
  for (const Findings& choice : choices) {
    options.insert(Shortened(choice, choices).front().option);
  }
  throw Error(ErrorCode::kMismatch,
              (model.name.empty() ? "the model" : Quoted(model.name)) + " is " +
                  architecture.entry.name + ", but its weights do not show " +
                  *options.begin() + ", which its symmetries depend on",
              std::string("specify it: --model ") +
                  ChoicesText(architecture, choices) +
                  (architecture.config_keys.empty()
                       ? ""
                       : "; or keep the model's config.json beside it"));
}

// The open options, as far as they were specified; empty if none was open.
Findings DecideOpenOptions(const ModelSource& model,
                           const Architecture& architecture,
                           const SpecifiedOptions& stated) {
  if (!architecture.choices) return {};
  const auto choices = architecture.choices(Clues(*model.weights));
  if (choices.empty()) return {};
  std::vector<Findings> left;
  for (const Findings& choice : choices) {
    if (stated.Agrees(choice)) left.push_back(choice);
  }
  if (left.empty()) {
    throw Error(ErrorCode::kMismatch,
                stated.Text(choices[0]) + ", which does not fit the weights" +
                    OfModel(model),
                "possible: " + ChoicesText(architecture, choices));
  }
  if (left.size() > 1) FailOpen(model, architecture, left);
  return left[0];
}

// Sets valid values; others are noticed when weights are compared.
void ApplyValidFindings(const Findings& findings, Settings& settings) {
  for (const Finding& finding : findings) {
    try {
      settings.Set(finding.option, finding.value);
    } catch (const Error&) {
      // The tensors with this value belong to something else.
    }
  }
}

bool HasRelu(const Architecture& architecture, const Settings& settings) {
  const Graph graph = BuildGraph(architecture, settings);
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op == "Relu"; });
}

// Units of ReLU can be rescaled, those of other activations cannot.
void CheckActivations(const Architecture& architecture,
                      const Settings& settings) {
  if (!HasRelu(architecture, settings)) return;
  throw Error(ErrorCode::kMismatch,
              "weights do not show activations, on which scales and signs "
              "depend",
              "give --model " + architecture.entry.name +
                  " if its activations are ReLU");
}

std::vector<Companion> CompanionsIn(std::span<const ModelSource> models,
                                    const Architecture& architecture,
                                    const Settings& settings) {
  std::vector<Companion> companions;
  for (const Tensor& tensor : models[0].weights->tensors()) {
    if (architecture.is_buffer && architecture.is_buffer(tensor)) {
      companions.push_back({.tensor = tensor.name});
    }
  }
  if (!architecture.stored_ties) return companions;
  for (const auto& tie : architecture.stored_ties(settings)) {
    const bool tied = std::all_of(
        models.begin(), models.end(), [&](const ModelSource& model) {
          return Clues(*model.weights).AreEqual(tie.first, tie.second);
        });
    if (tied)
      companions.push_back({.tensor = tie.first, .copy_of = tie.second});
  }
  return companions;
}

// The options that were specified, shown or decided, in the order of the entry,
// and others that differ from their defaults.
std::string CompleteText(const Architecture& architecture,
                         const Settings& settings, const Findings& mentioned) {
  const Settings defaults(architecture.entry);
  Findings options;
  for (const ZooOption& option : architecture.entry.options) {
    const std::string& value = settings.Text(option.name);
    if (ValueIn(mentioned, option.name) != nullptr ||
        value != defaults.Text(option.name)) {
      options.emplace_back(option.name, value);
    }
  }
  return TextOf(architecture.entry, options);
}

// Options missing in metadata have their defaults; options missing in the
// user's text are open.
bool IsSame(const Statement& statement, const Settings& settings) {
  Settings said(statement.architecture->entry);
  for (const Finding& f : statement.options) said.Set(f.option, f.value);
  return said.values() == settings.values();
}

class Identification {
 public:
  Identification(std::span<const ModelSource> models,
                 const IdentifyOptions& options)
      : models_(models),
        options_(options),
        naming_(NamingStatements(models, options)),
        architecture_(naming_.empty()
                          ? Recognise(*models[0].weights, AllArchitectures())
                          : AgreedArchitecture(naming_)),
        stated_(architecture_),
        shown_(architecture_.fit(Clues(*models[0].weights))) {}

  IdentifiedModel Run() {
    for (const Statement& statement : naming_) stated_.Add(statement);
    AddConfigs();
    for (const ModelSource& model : models_.subspan(1)) {
      CheckShownAlike(shown_, models_[0],
                      architecture_.fit(Clues(*model.weights)), model, stated_);
    }
    const Findings decided =
        DecideOpenOptions(models_[0], architecture_, stated_);
    Settings settings(architecture_.entry);
    ApplyValidFindings(shown_, settings);
    stated_.ApplyTo(settings);
    ApplyValidFindings(decided, settings);
    if (options_.scalings && naming_.empty()) {
      CheckActivations(architecture_, settings);
    }
    auto kinds = stated_.KindsFor(decided);
    if (options_.model == "auto" && !naming_.empty()) kinds.insert(kMetadata);
    return {.text = Text(settings, decided),
            .sources = {kinds.begin(), kinds.end()},
            .companions = CompanionsIn(models_, architecture_, settings)};
  }

 private:
  void AddConfigs() {
    if (architecture_.config_keys.empty()) return;
    for (const ModelSource& model : models_) {
      if (model.config.empty()) continue;
      const Statement config{
          .kind = kConfig,
          .origin = Quoted(model.config.native()),
          .architecture = &architecture_,
          .options = ReadConfig(model.config, architecture_)};
      CheckAgainstWeights(config, shown_);
      stated_.Add(config);
    }
  }

  // The original text if it is complete.
  std::string Text(const Settings& settings, const Findings& decided) const {
    for (const Statement& statement : naming_) {
      if (IsSame(statement, settings)) return statement.text;
    }
    Findings mentioned = shown_;
    mentioned.insert(mentioned.end(), decided.begin(), decided.end());
    return CompleteText(architecture_, settings, mentioned);
  }

  std::span<const ModelSource> models_;
  const IdentifyOptions& options_;
  const std::vector<Statement> naming_;
  const Architecture& architecture_;
  SpecifiedOptions stated_;
  const Findings shown_;
};

}  // namespace
}  // namespace zoo

namespace {

// Identifies the models with `prefix` removed from all tensor names.
IdentifiedModel IdentifyWithout(const std::string& prefix,
                                std::span<const ModelSource> models,
                                const IdentifyOptions& options) {
  if (prefix.empty()) return zoo::Identification(models, options).Run();
  std::vector<Checkpoint> weights;
  weights.reserve(models.size());
  std::vector<ModelSource> sources(models.begin(), models.end());
  for (ModelSource& source : sources) {
    weights.push_back(WithoutPrefix(*source.weights, prefix));
    source.weights = &weights.back();
  }
  IdentifiedModel found = zoo::Identification(sources, options).Run();
  for (Companion& companion : found.companions) {
    companion.tensor = prefix + companion.tensor;
    if (!companion.copy_of.empty()) {
      companion.copy_of = prefix + companion.copy_of;
    }
  }
  return found;
}

// The common prefix of the names of all models.
std::string CommonPrefix(std::span<const ModelSource> models) {
  std::string prefix = WrapperPrefix(*models[0].weights, kAnyWrapper);
  for (const ModelSource& model : models) {
    const std::string other = WrapperPrefix(*model.weights, kAnyWrapper);
    if (other.size() < prefix.size()) prefix = other;
  }
  return prefix;
}

}  // namespace

// In some architectures such prefixes are part of the names, so the shortest
// prefix that fits is used. If none fits, the error is that of the first one
// that is close to an architecture.
IdentifiedModel IdentifyModel(std::span<const ModelSource> models,
                              const IdentifyOptions& options) {
  const std::string prefix = CommonPrefix(models);
  std::exception_ptr reason;
  for (size_t size = 0;; size = prefix.find('.', size) + 1) {
    try {
      return IdentifyWithout(prefix.substr(0, size), models, options);
    } catch (const zoo::NoArchitectureFits&) {
      const bool last = size == prefix.size();
      if (last && reason) std::rethrow_exception(reason);
      if (last) throw;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kMismatch) throw;
      if (!reason) reason = std::current_exception();
      if (size == prefix.size()) std::rethrow_exception(reason);
    }
  }
}

}  // namespace rebasin
