#include "rebasin/zoo.h"

#include <algorithm>

#include "formats/wrappers.h"
#include "rebasin/error.h"
#include "symmetry/names.h"
#include "zoo/architecture.h"
#include "zoo/names.h"
#include "zoo/recognise.h"

namespace rebasin {
namespace zoo {
namespace {

std::vector<Architecture> Collect() {
  std::vector<Architecture> all;
  for (const auto family :
       {MlpArchitectures, VggArchitectures, CifarResNetArchitectures,
        ResNetArchitectures, DenseNetArchitectures, MobileNetArchitectures,
        ConvNextArchitectures, ConvMixerArchitectures, VitArchitectures,
        Gpt2Architectures, LlamaArchitectures, LstmArchitectures}) {
    for (Architecture& architecture : family()) {
      all.push_back(std::move(architecture));
    }
  }
  return all;
}

const Architecture& Find(const std::string& name) {
  std::vector<std::string> names;
  std::string known;
  for (const Architecture& architecture : AllArchitectures()) {
    if (architecture.entry.name == name) return architecture;
    names.push_back(architecture.entry.name);
    known += (known.empty() ? "known: " : ", ") + architecture.entry.name;
  }
  const std::string suggestion = DidYouMean(name, names);
  throw Error(ErrorCode::kUsage, "there is no model " + Quoted(name),
              suggestion + (suggestion.empty() ? "" : " ") + known);
}

// Cuts what stands before the first `separator` off the front of `text`.
std::string CutFront(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  std::string front(text.substr(0, at));
  text.remove_prefix(std::min(at + 1, text.size()));
  return front;
}

void SetAll(std::string_view options, Settings& settings) {
  while (!options.empty()) {
    const std::string option = CutFront(options, ',');
    if (option.find('=') == std::string::npos) {
      throw Error(ErrorCode::kUsage,
                  "option " + Quoted(option) + " of a model has no value",
                  "write name:option=value,option=value");
    }
    std::string_view value = option;
    const std::string name = CutFront(value, '=');
    settings.Set(name, std::string(value));
  }
}

}  // namespace

const std::vector<Architecture>& AllArchitectures() {
  static const std::vector<Architecture> all = Collect();
  return all;
}

Graph BuildGraph(const Architecture& architecture, const Settings& settings) {
  GraphBuilder builder;
  architecture.build(builder, settings);
  return builder.Build();
}

}  // namespace zoo

std::vector<ZooEntry> ZooEntries() {
  std::vector<ZooEntry> entries;
  for (const zoo::Architecture& architecture : zoo::AllArchitectures()) {
    entries.push_back(architecture.entry);
  }
  return entries;
}

Graph ZooGraph(std::string_view text) {
  const std::string name = zoo::CutFront(text, ':');
  const zoo::Architecture& architecture = zoo::Find(name);
  zoo::Settings settings(architecture.entry);
  zoo::SetAll(text, settings);
  return zoo::BuildGraph(architecture, settings);
}

Graph ZooGraph(std::string_view text, const Checkpoint& weights) {
  return zoo::FitNames(ZooGraph(text), weights);
}

std::string RecogniseModel(const Checkpoint& model) {
  const std::string prefix = WrapperPrefix(model, kAnyWrapper);
  if (prefix.empty()) return zoo::Recognise(model, zoo::AllArchitectures());
  // Some architectures have such names of their own.
  for (size_t size = 0; size < prefix.size();
       size = prefix.find('.', size) + 1) {
    try {
      return zoo::Recognise(WithoutPrefix(model, prefix.substr(0, size)),
                            zoo::AllArchitectures());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kMismatch) throw;
    }
  }
  return zoo::Recognise(WithoutPrefix(model, prefix), zoo::AllArchitectures());
}

}  // namespace rebasin
