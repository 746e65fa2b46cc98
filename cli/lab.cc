// rebasin lab: the experiments of the paper.

#include <cstdlib>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/interrupt.h"
#include "cli/option_adder.h"
#include "cli/progress.h"
#include "io/file.h"
#include "lab/all.h"
#include "lab/experiment.h"
#include "rebasin/error.h"
#include "report/files.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

struct Flags {
  std::string name, output, cache, epochs, preset = "quick";
  std::string data, mnist, cifar10, cifar100, imagenet;
  std::vector<std::string> imagenet_networks, only;
  bool list = false;
  ComputeFlags compute;
};

// The word for all experiments.
constexpr const char* kAll = "all";

// The user's cache folder, which may also contain data sets.
fs::path DefaultCache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return fs::path(cache) / "rebasin";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr && *home ? home : ".") / ".cache/rebasin";
}

fs::path GivenOr(const std::string& given, const fs::path& otherwise) {
  return given.empty() ? otherwise : fs::path(given);
}

std::string ListText() {
  Table table("llll", {"name", "paper", "what", "networks for --only"});
  for (const lab::Experiment& experiment : lab::Experiments()) {
    table.Add({experiment.name, experiment.paper, experiment.what,
               experiment.networks});
  }
  return table.Text();
}

Json ListJson() {
  Json list = Json::array();
  for (const lab::Experiment& experiment : lab::Experiments()) {
    list.push_back({{"name", experiment.name},
                    {"paper", experiment.paper},
                    {"what", experiment.what},
                    {"networks", experiment.networks}});
  }
  return {{"command", "lab"}, {"experiments", std::move(list)}};
}

Json ClaimsJson(const std::vector<Claim>& claims) {
  Json list = Json::array();
  for (const Claim& claim : claims) {
    list.push_back({{"claim", claim.claim},
                    {"verdict", SupportText(claim.support)},
                    {"finding", claim.finding}});
  }
  return list;
}

class LabCommand {
 public:
  LabCommand(const Flags& flags, const Context& context)
      : flags_(flags),
        context_(context),
        console_(context),
        progress_(console_) {}

  int Run() {
    if (flags_.list || flags_.name.empty()) {
      console_.Result(ListText(), ListJson());
      return 0;
    }
    if (flags_.name == kAll) return RunAll();
    const lab::Experiment& experiment = lab::FindExperiment(flags_.name);
    lab::LabOptions options = Options();
    if (IsRegularFile(options.folder / "report.html") && !context_.force) {
      throw Error(
          ErrorCode::kUsage,
          Quoted((options.folder / "report.html").string()) + " exists already",
          "choose another folder with -o, or replace it with --force");
    }
    if (context_.dry_run) return DryRun(experiment, options);
    return Work(experiment, options);
  }

 private:
  lab::LabOptions Options() {
    lab::LabOptions options;
    options.preset = ParseChoice<lab::Preset>("--preset", flags_.preset,
                                              {{"quick", lab::Preset::kQuick},
                                               {"full", lab::Preset::kFull},
                                               {"paper", lab::Preset::kPaper}});
    if (!flags_.epochs.empty()) {
      constexpr int64_t kMostEpochs = 1000000;
      options.epochs = ParseInteger("--epochs", flags_.epochs, 1, kMostEpochs);
    }
    options.folder = GivenOr(flags_.output, "lab-" + flags_.name);
    options.cache = GivenOr(flags_.cache, DefaultCache());
    const fs::path root = GivenOr(flags_.data, "datasets");
    options.mnist = GivenOr(flags_.mnist, root / "mnist");
    options.cifar10 = GivenOr(flags_.cifar10, root / "cifar10");
    options.cifar100 = GivenOr(flags_.cifar100, root / "cifar100");
    options.only = flags_.only;
    options.imagenet = GivenOr(flags_.imagenet, root / "imagenet");
    options.imagenet_networks = {flags_.imagenet_networks.begin(),
                                 flags_.imagenet_networks.end()};
    options.data = {.npy_bf16 = context_.file.npy_bf16};
    options.compute = flags_.compute.Options();
    options.run = RunFor(console_, &progress_);
    options.run.stop = [] { return Interrupted(); };
    return options;
  }

  int DryRun(const lab::Experiment& experiment,
             const lab::LabOptions& options) {
    console_.Result(std::string("would run ") + experiment.name + " (" +
                        flags_.preset + "): " + experiment.what +
                        "\nreport: " + options.folder.string() +
                        "\ntrained networks: " + options.cache.string() + "\n",
                    {{"command", "lab"},
                     {"experiment", experiment.name},
                     {"preset", flags_.preset},
                     {"folder", options.folder.string()},
                     {"cache", options.cache.string()}});
    return 0;
  }

  int Work(const lab::Experiment& experiment, const lab::LabOptions& options) {
    const InterruptGuard guard;
    lab::Lab laboratory(options);
    try {
      const Document document =
          lab::RunExperiment(experiment, laboratory, CommandText(flags_.name));
      progress_.Clear();
      WriteReport(document, options.folder, /*force=*/true);
      laboratory.CleanUp();
      PrintResult(experiment, document, options.folder);
      return 0;
    } catch (const Error& error) {
      return Interruption(error);
    }
  }

  int RunAll() {
    const lab::LabOptions options = Options();
    if (!options.only.empty() || !options.imagenet_networks.empty()) {
      throw Error(ErrorCode::kUsage,
                  "--only and --networks are for one experiment");
    }
    if (context_.dry_run) {
      console_.Result("would run all experiments (" + flags_.preset +
                          ")\nreport: " + options.folder.string() + "\n",
                      {{"command", "lab"},
                       {"experiment", kAll},
                       {"preset", flags_.preset},
                       {"folder", options.folder.string()}});
      return 0;
    }
    const InterruptGuard guard;
    try {
      return FinishAll(lab::RunAll(
                           lab::Experiments(), options,
                           [this](const lab::Experiment& experiment) {
                             return CommandText(experiment.name);
                           },
                           context_.force),
                       options.folder);
    } catch (const Error& error) {
      return Interruption(error);
    }
  }

  int FinishAll(const std::vector<lab::Outcome>& outcomes,
                const fs::path& folder) {
    progress_.Clear();
    const Document index = lab::IndexOf(outcomes, CommandText(kAll));
    WriteReport(index, folder, /*force=*/true);
    Table table("lll", {"experiment", "verdict", "claim"});
    Json list = Json::array();
    for (const lab::Outcome& outcome : outcomes) {
      for (const Claim& claim : outcome.claims) {
        table.Add({outcome.experiment->name, SupportText(claim.support),
                   claim.claim});
      }
      if (!outcome.problem.empty()) {
        table.Add({outcome.experiment->name, "not run", outcome.problem});
      }
      list.push_back({{"experiment", outcome.experiment->name},
                      {"problem", outcome.problem},
                      {"claims", ClaimsJson(outcome.claims)}});
    }
    const std::string report = (folder / "report.html").string();
    console_.Result(table.Text() + "\nreport: " + report + "\n",
                    {{"command", "lab"},
                     {"experiment", kAll},
                     {"experiments", std::move(list)},
                     {"report", report}});
    return 0;
  }

  // Throws what is no interruption.
  int Interruption(const Error& error) {
    if (error.code() != ErrorCode::kStopped) throw;
    progress_.Clear();
    console_.Warn("interrupted: run the same command again to continue");
    return InterruptedExitCode();
  }

  // The command line for repeating the run of an experiment.
  std::string CommandText(const std::string& name) const {
    std::string text = "rebasin lab " + name;
    if (flags_.preset != "quick") text += " --preset " + flags_.preset;
    if (!flags_.epochs.empty()) text += " --epochs " + flags_.epochs;
    if (context_.seed != 0) text += " --seed " + std::to_string(context_.seed);
    if (flags_.compute.precision != "f32") {
      text += " --precision " + flags_.compute.precision;
    }
    if (!flags_.only.empty()) text += " --only";
    for (const std::string& network : flags_.only) text += " " + network;
    if (!flags_.imagenet_networks.empty()) text += " --networks";
    for (const std::string& network : flags_.imagenet_networks) {
      text += " " + Printable(network);
    }
    return text;
  }

  void PrintResult(const lab::Experiment& experiment, const Document& document,
                   const fs::path& folder) {
    std::string text = document.question + "\n\n";
    for (const Claim& claim : document.claims) {
      text += claim.claim + "\n  " + SupportText(claim.support) + ": " +
              claim.finding + "\n";
    }
    console_.Result(
        text + "\nreport: " + (folder / "report.html").string() + "\n",
        {{"command", "lab"},
         {"experiment", experiment.name},
         {"claims", ClaimsJson(document.claims)},
         {"report", (folder / "report.html").string()}});
  }

  const Flags& flags_;
  const Context& context_;
  Console console_;
  ProgressBar progress_;
};

void AddFlags(CLI::App& command, Flags& flags) {
  command.add_option("name", flags.name,
                     "The experiment (--list shows their names), or all");
  const OptionAdder add(command);
  command.add_flag("--list", flags.list, "List the experiments");
  add("-o,--output", flags.output, "The report's folder; default lab-NAME",
      "FOLDER");
  add("--preset", flags.preset,
      "Sizes: quick (default: two cores, minutes), full (hours), or paper (the "
      "paper's sizes; a GPU)",
      "WORD");
  add("--epochs", flags.epochs,
      "Train for so many epochs instead of the preset's (at most the paper's)",
      "N");
  command
      .add_option("--only", flags.only,
                  "Run only these networks of the experiment; --list shows "
                  "their names")
      ->type_name("NETWORK...");
  add("--data", flags.data,
      "The folder with mnist, cifar10 (scripts/get-data) and, for split, "
      "cifar100; default datasets",
      "FOLDER");
  add("--mnist", flags.mnist, "The folder of MNIST, if elsewhere", "FOLDER");
  add("--cifar10", flags.cifar10, "The folder of CIFAR-10, if elsewhere",
      "FOLDER");
  add("--cifar100", flags.cifar100,
      "The folder of CIFAR-100 (binary version), if elsewhere", "FOLDER");
  add("--imagenet", flags.imagenet,
      "The folder of ImageNet, for --networks: train and val with a folder of "
      "JPEG files for each class, or train.npz and test.npz",
      "FOLDER");
  command
      .add_option("--networks", flags.imagenet_networks,
                  "With interpolation: only the line between these two "
                  "networks trained on ImageNet")
      ->type_name("A B")
      ->expected(2);
  add("--cache", flags.cache,
      "The folder of trained networks; default ~/.cache/rebasin", "FOLDER");
  flags.compute.AddTo(command);
}

}  // namespace

Command AddLab(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand("lab", kLabDescription);
  AddFlags(*command, *flags);
  command->footer(R"(
Trains what it needs, or takes it from the cache, and writes a folder with
report.html, the numbers as CSV and JSON, and the pictures. An experiment that
was interrupted goes on when it is run again. `all` runs those for which there
is data, keeps reports that are finished, and writes an index of the claims.

Examples:
  rebasin lab --list
  rebasin lab symmetries
  rebasin lab all --preset full
  rebasin lab interpolation --data datasets -o reports/interpolation
  rebasin lab interpolation --only mnist-mlp --preset paper
  rebasin lab interpolation --only cifar-vgg16 --preset full --epochs 100
  rebasin lab interpolation --networks a.pth b.pth --imagenet imagenet-npz)");
  return {command,
          [flags, &context] { return LabCommand(*flags, context).Run(); }};
}

}  // namespace rebasin::cli
