// rebasin merge-driver: what git runs to merge two versions of a model.

#include <exception>
#include <filesystem>
#include <new>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/merge_request.h"
#include "cli/model_output.h"
#include "io/system.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

namespace fs = std::filesystem;

// What git understands: a conflict is left to people, with the file as it was;
// from 129 on the whole operation is given up.
constexpr int kConflict = 1;
constexpr int kGiveUp = 129;

struct Flags {
  std::string base, ours, theirs, path;
  MergeFlags merge;
};

// Git knows no base where both sides have added a file.
bool IsEmpty(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) ThrowIo("look at", file, error.value());
  return size == 0;
}

void CheckFormats(const Flags& flags) {
  const FileFormat ours = FormatOf(flags.ours), theirs = FormatOf(flags.theirs);
  if (ours == theirs) return;
  throw Error(ErrorCode::kMismatch,
              std::string("one side is a file of ") + FormatName(ours) +
                  ", the other of " + FormatName(theirs),
              "convert one of them first: rebasin convert");
}

// What lies beside an archive's tensors would be lost.
void CheckKey(const Context& context) {
  if (context.key.empty()) return;
  throw Error(ErrorCode::kUnsupported,
              "a file that holds more than its tensors cannot be written again",
              "keep the state_dict alone under version control");
}

MergeFlags MergeOf(const Flags& flags) {
  MergeFlags merge = flags.merge;
  merge.models = {flags.ours, flags.theirs};
  if (!IsEmpty(flags.base)) merge.base = flags.base;
  merge.output = flags.ours;
  merge.in_place = true;
  merge.output_name = flags.path.empty() ? flags.ours : flags.path;
  return merge;
}

int Merge(const Flags& flags, const Context& context) {
  CheckFormats(flags);
  CheckKey(context);
  Context own = context;
  own.force = true;  // what git hands over is there to be replaced
  // Other files lie beside the working tree's version, not beside this one.
  own.external_data = false;
  own.keep_prefixes = true;  // names in the repository stay as they are
  return RunMerge(MergeOf(flags), own);
}

void Explain(const Flags& flags, const std::string& what,
             const std::string& hint = "") {
  PrintError((flags.path.empty() ? "" : Quoted(flags.path) + ": ") + what,
             hint);
}

int MergeForGit(const Flags& flags, const Context& context) {
  try {
    return Merge(flags, context);
  } catch (const Error& error) {
    Explain(flags, error.what(), error.hint());
    return error.code() == ErrorCode::kIo ? kGiveUp : kConflict;
  } catch (const std::bad_alloc&) {
    throw;  // to be reported without asking for memory
  } catch (const std::exception& error) {
    Explain(flags, "internal error: " + Printable(error.what()));
    return kGiveUp;
  }
}

}  // namespace

Command AddMergeDriver(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "merge-driver", "Merge versions of a model in a git repository");
  command
      ->add_option("base", flags->base, "%O: before both sides; may be empty")
      ->required();
  command
      ->add_option("ours", flags->ours,
                   "%A: our side; replaced by the merged model")
      ->required();
  command->add_option("theirs", flags->theirs, "%B: their side")->required();
  command->add_option("path", flags->path, "%P: what messages call the model");
  flags->merge.AddTo(*command);
  command->footer(R"(
Tensors that one side alone has changed are taken from it. Where both have, the
models are aligned and averaged; without --model or --spec the structure is what
the model itself says, else --model auto. Exit codes are git's: 0 merged, 1
conflict, 129 and more: given up.

Once for a repository:
  git config merge.rebasin.name "models, aligned and merged"
  git config merge.rebasin.driver "rebasin merge-driver %O %A %B -- %P"
  git config merge.rebasin.recursive binary
  echo "*.safetensors merge=rebasin -text" >> .gitattributes)");
  return {command, [flags, &context] { return MergeForGit(*flags, context); }};
}

}  // namespace rebasin::cli
