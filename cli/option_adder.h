// Adds options with a text value to a command.

#ifndef REBASIN_CLI_OPTION_ADDER_H_
#define REBASIN_CLI_OPTION_ADDER_H_

#include <CLI/App.hpp>
#include <string>
#include <utility>

namespace rebasin::cli {

//   const OptionAdder add(command, "Recipe");
//   add("--epochs", flags.epochs, "Passes over the data", "N");
class OptionAdder {
 public:
  // `group` is the heading in the help text; empty: the default one.
  explicit OptionAdder(CLI::App& command, std::string group = "")
      : command_(command), group_(std::move(group)) {}

  CLI::Option* operator()(const std::string& name, std::string& into,
                          const std::string& what,
                          const std::string& type) const {
    CLI::Option* option = command_.add_option(name, into, what);
    if (!group_.empty()) option->group(group_);
    return option->type_name(type);
  }

 private:
  CLI::App& command_;
  std::string group_;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_OPTION_ADDER_H_
