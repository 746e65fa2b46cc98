// The program without LibTorch. It lists the commands that run networks, and
// executes rebasin-nn for them.

#include "cli/networks.h"

namespace rebasin::cli {
namespace {

// rebasin-nn knows the options and the help.
Command AddStub(CLI::App& program, Context& context, const char* name,
                const char* description) {
  CLI::App* command = program.add_subcommand(name, description);
  command->set_help_flag();
  command->prefix_command();
  command->allow_extras();
  return {command, [&context]() -> int { ExecWithNetworks(context); }};
}

}  // namespace

Command AddTrain(CLI::App& program, Context& context) {
  return AddStub(program, context, "train", kTrainDescription);
}

Command AddEval(CLI::App& program, Context& context) {
  return AddStub(program, context, "eval", kEvalDescription);
}

Command AddInterpolate(CLI::App& program, Context& context) {
  return AddStub(program, context, "interpolate", kInterpolateDescription);
}

Command AddPlane(CLI::App& program, Context& context) {
  return AddStub(program, context, "plane", kPlaneDescription);
}

Command AddCompare(CLI::App& program, Context& context) {
  return AddStub(program, context, "compare", kCompareDescription);
}

Command AddLab(CLI::App& program, Context& context) {
  return AddStub(program, context, "lab", kLabDescription);
}

}  // namespace rebasin::cli

int main(int argc, char** argv) {
  return rebasin::cli::RunProgram({argv, static_cast<size_t>(argc)}, nullptr);
}
