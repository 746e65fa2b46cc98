#include "cli/suggest.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "symmetry/names.h"

namespace rebasin::cli {
namespace {

constexpr const char* kSeeHelp = "see rebasin --help";

std::vector<std::string> CommandNames(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options({})) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool LooksLikeOption(const std::string& arg) {
  return arg.size() > 1 && arg[0] == '-' && !(arg[1] >= '0' && arg[1] <= '9') &&
         arg[1] != '.';
}

// The first option in the arguments that `command` does not know.
std::optional<std::string> UnknownOption(const CLI::App& command,
                                         std::span<const char* const> args) {
  const std::vector<std::string> known = OptionNames(command);
  for (const std::string arg : args) {
    if (arg == "--") break;
    if (!LooksLikeOption(arg)) continue;
    const std::string name =
        arg.starts_with("--") ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
    if (!Contains(known, name)) return name;
  }
  return std::nullopt;
}

// True if the argument is an option whose value is the next argument.
bool TakesNext(const CLI::App& program, const std::string& arg) {
  if (!LooksLikeOption(arg) || arg.find('=') != std::string::npos) return false;
  const CLI::Option* option = program.get_option_no_throw(arg);
  return option != nullptr && option->get_items_expected_max() > 0;
}

// The index of the command: the first argument that is neither an option nor
// the value of one.
size_t FindCommand(const CLI::App& program, std::span<const char* const> args) {
  size_t at = 0;
  while (at < args.size() && args[at][0] == '-') {
    at += TakesNext(program, args[at]) ? 2 : 1;
  }
  return std::min(at, args.size());
}

std::string Hint(const std::string& name,
                 const std::vector<std::string>& candidates) {
  const std::string hint = DidYouMean(name, candidates);
  return hint.empty() ? kSeeHelp : hint;
}

Error UnknownOptionError(const CLI::App& command, const std::string& name) {
  return Error(ErrorCode::kUsage, "unknown option " + Quoted(name),
               Hint(name, OptionNames(command)));
}

}  // namespace

Error ExplainUsage(const CLI::App& program, std::span<const char* const> args,
                   const std::string& parser_says) {
  const size_t at = FindCommand(program, args);
  const auto before = args.first(at);
  if (const auto unknown = UnknownOption(program, before)) {
    return UnknownOptionError(program, *unknown);
  }
  if (at == args.size()) {
    return Error(ErrorCode::kUsage, "no command given", kSeeHelp);
  }
  const char* word = args[at];
  const std::vector<std::string> commands = CommandNames(program);
  if (!Contains(commands, word)) {
    return Error(ErrorCode::kUsage, "unknown command " + Quoted(word),
                 Hint(word, commands));
  }
  const CLI::App& command = *program.get_subcommand(word);
  const auto rest = args.subspan(before.size() + 1);
  if (const auto unknown = UnknownOption(command, rest)) {
    return UnknownOptionError(command, *unknown);
  }
  return Error(ErrorCode::kUsage, Printable(parser_says),
               "see rebasin " + std::string(word) + " --help");
}

}  // namespace rebasin::cli
