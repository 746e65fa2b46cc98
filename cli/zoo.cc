// rebasin zoo: lists the built-in architectures.

#include "rebasin/zoo.h"

#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/context.h"

namespace rebasin::cli {
namespace {

// The valid values of an option: its choices or its range.
std::string ValuesText(const ZooOption& option) {
  if (option.choices.empty()) {
    return std::to_string(option.least) + ".." + std::to_string(option.most);
  }
  std::string text;
  for (const std::string& choice : option.choices) {
    text += (text.empty() ? "" : "|") + choice;
  }
  return text;
}

// "width=1, classes=10"
std::string DefaultsText(const ZooEntry& entry) {
  std::string text;
  for (const ZooOption& option : entry.options) {
    text +=
        (text.empty() ? "" : ", ") + option.name + "=" + option.default_value;
  }
  return text;
}

std::string EntriesText(const std::vector<ZooEntry>& entries) {
  Table table("lll", {"name", "what", "options and their defaults"});
  for (const ZooEntry& entry : entries) {
    table.Add({entry.name, entry.description, DefaultsText(entry)});
  }
  return table.Text();
}

Json OptionJson(const ZooOption& option) {
  Json json = {{"name", option.name},
               {"default", option.default_value},
               {"description", option.description}};
  if (option.choices.empty()) {
    json["least"] = option.least;
    json["most"] = option.most;
  } else {
    json["choices"] = option.choices;
  }
  return json;
}

Json EntryJson(const ZooEntry& entry) {
  Json json = {{"name", entry.name},
               {"description", entry.description},
               {"options", Json::array()}};
  for (const ZooOption& option : entry.options) {
    json["options"].push_back(OptionJson(option));
  }
  return json;
}

std::string FamiliesText() {
  Table table("ll", {"model_type", "models"});
  for (const FamilyEntry& family : FamilyEntries()) {
    table.Add({family.name, family.description});
  }
  return "\nfolders of Hugging Face, by their config.json\n" + table.Text();
}

int List(Console& console) {
  const std::vector<ZooEntry> entries = ZooEntries();
  Json json = {{"command", "zoo"}, {"entries", Json::array()}};
  for (const ZooEntry& entry : entries) {
    json["entries"].push_back(EntryJson(entry));
  }
  for (const FamilyEntry& family : FamilyEntries()) {
    json["families"].push_back(
        {{"model_type", family.name}, {"description", family.description}});
  }
  console.Result(EntriesText(entries) + FamiliesText(), std::move(json));
  return 0;
}

// Returns the entry of an architecture that exists.
ZooEntry EntryOf(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const std::vector<ZooEntry> entries = ZooEntries();
  return *std::find_if(entries.begin(), entries.end(),
                       [&](const ZooEntry& e) { return e.name == name; });
}

std::string OptionsText(const ZooEntry& entry) {
  Table table("llll", {"option", "default", "values", "what"});
  for (const ZooOption& option : entry.options) {
    table.Add({option.name, option.default_value, ValuesText(option),
               option.description});
  }
  return table.Text();
}

int Show(const std::string& text, Console& console) {
  const Graph graph = ZooGraph(text);
  const ZooEntry entry = EntryOf(text);
  int64_t parameters = 0;
  Json weights = Json::array();
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    parameters += CheckedProduct(weight.shape).value();
    weights.push_back({{"name", weight.name}, {"shape", weight.shape}});
  }
  const int64_t count = static_cast<int64_t>(graph.weights().size());
  Json json = {{"command", "zoo"}, {"model", text}};
  json.update(EntryJson(entry));
  json["parameters"] = parameters;
  json["weights"] = std::move(weights);
  console.Result(entry.name + ": " + entry.description + "\n\n" +
                     OptionsText(entry) + "\n" + text + " has " +
                     Count(count, "weight") + " with " +
                     Count(parameters, "parameter") + "\n",
                 std::move(json));
  return 0;
}

int Zoo(const std::string& text, const Context& context) {
  Console console(context);
  return text.empty() ? List(console) : Show(text, console);
}

}  // namespace

Command AddZoo(CLI::App& program, Context& context) {
  const auto text = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "zoo", "List the built-in architectures, or show one");
  command->add_option("name", *text, "An architecture, optionally with options")
      ->type_name("NAME[:OPTION=VALUE,...]");
  command->footer(R"(
Examples:
  rebasin zoo
  rebasin zoo resnet20
  rebasin zoo resnet20:width=4,norm=layer --json | jq .weights)");
  return {command, [text, &context] { return Zoo(*text, context); }};
}

}  // namespace rebasin::cli
