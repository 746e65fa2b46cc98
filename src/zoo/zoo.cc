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

// Removes the text up to the first `separator` from `text` and returns it.
std::string CutFront(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  std::string front(text.substr(0, at));
  text.remove_prefix(std::min(at + 1, text.size()));
  return front;
}

Findings ParseOptions(std::string_view options, const ZooEntry& entry) {
  Settings settings(entry);
  Findings findings;
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
    findings.emplace_back(name, std::string(value));
  }
  return findings;
}

Settings SettingsOf(const ModelText& model) {
  Settings settings(model.architecture->entry);
  for (const Finding& f : model.options) settings.Set(f.option, f.value);
  return settings;
}

}  // namespace

const std::vector<Architecture>& AllArchitectures() {
  static const std::vector<Architecture> all = Collect();
  return all;
}

const Architecture& FindArchitecture(const std::string& name) {
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

ModelText ParseModelText(std::string_view text) {
  const std::string name = CutFront(text, ':');
  const Architecture& architecture = FindArchitecture(name);
  return {&architecture, ParseOptions(text, architecture.entry)};
}

std::string TextOf(const ZooEntry& entry, const Findings& options) {
  std::string text = entry.name;
  char separator = ':';
  for (const Finding& finding : options) {
    text += separator + finding.option + "=" + finding.value;
    separator = ',';
  }
  return text;
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
  const zoo::ModelText model = zoo::ParseModelText(text);
  zoo::Settings settings = zoo::SettingsOf(model);
  return zoo::BuildGraph(*model.architecture, settings);
}

std::string ZooText(std::string_view text) {
  const zoo::ModelText model = zoo::ParseModelText(text);
  zoo::Settings settings = zoo::SettingsOf(model);
  if (!model.architecture->resolve) return std::string(text);
  const zoo::Settings given = settings;
  model.architecture->resolve(settings);
  zoo::Findings options = model.options;
  std::erase_if(options, [&](const zoo::Finding& f) {
    return settings.Text(f.option) != given.Text(f.option);
  });
  for (const ZooOption& option : model.architecture->entry.options) {
    const std::string& value = settings.Text(option.name);
    if (value != given.Text(option.name)) {
      options.emplace_back(option.name, value);
    }
  }
  return zoo::TextOf(model.architecture->entry, options);
}

std::string FullZooText(std::string_view text) {
  const zoo::ModelText model = zoo::ParseModelText(text);
  zoo::Settings settings = zoo::SettingsOf(model);
  if (model.architecture->resolve) model.architecture->resolve(settings);
  zoo::Findings all;
  for (const ZooOption& option : model.architecture->entry.options) {
    all.emplace_back(option.name, settings.Text(option.name));
  }
  return zoo::TextOf(model.architecture->entry, all);
}

Graph ZooGraph(std::string_view text, const Checkpoint& weights) {
  return zoo::FitNames(ZooGraph(text), weights);
}

std::string RecogniseModel(const Checkpoint& model) {
  const ModelSource source{.name = {}, .weights = &model, .config = {}};
  return IdentifyModel({&source, 1}).text;
}

}  // namespace rebasin
