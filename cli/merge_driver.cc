// rebasin merge-driver: merges two versions of a model, called by git.

#include <exception>
#include <filesystem>
#include <new>
#include <optional>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/merge_request.h"
#include "cli/model_output.h"
#include "cli/networks.h"
#include "git/stored_file.h"
#include "io/system.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

namespace fs = std::filesystem;

// Exit codes for git: after a conflict the file is left as it was, and the user
// must resolve it; from 129 on, git aborts the whole operation.
constexpr int kConflict = 1;
constexpr int kGiveUp = 129;

struct Flags {
  std::string base, ours, theirs, path;
  MergeFlags merge;
};

// Git passes an empty base if both sides have added a file.
bool IsEmpty(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) ThrowIo("look at", file, error.value());
  return size == 0;
}

// The versions as models. Stored versions may be LFS pointers.
struct Versions {
  Content ours, theirs;
  std::optional<Content> base;
};

Versions ReadVersions(const Flags& flags, const StoredPath& stored) {
  Versions versions{stored.Read(flags.ours, "ours"),
                    stored.Read(flags.theirs, "theirs"), std::nullopt};
  if (!IsEmpty(flags.base)) versions.base = stored.Read(flags.base, "the base");
  return versions;
}

void CheckFormats(const Versions& versions) {
  const Format* ours = FormatOf(versions.ours.path());
  const Format* theirs = FormatOf(versions.theirs.path());
  if (ours != theirs) {
    throw Error(ErrorCode::kMismatch,
                "one side is a file of " + std::string(ours->name) +
                    ", the other of " + std::string(theirs->name),
                "convert one of them first: rebasin convert");
  }
  if (!ours->write) {
    throw Error(ErrorCode::kUnsupported,
                std::string(ours->name) + " files are read, not written",
                "keep an .npz or .safetensors file: rebasin convert");
  }
}

// Advice for archives with other content, which merging would lose.
constexpr const char* kTensorsAlone =
    "keep only the tensors under version control, as "
    "torch.save(model.state_dict(), FILE) writes them";

void CheckFileOptions(const Context& context) {
  if (!context.file.renames.empty()) {
    throw Error(ErrorCode::kUsage,
                "the merge driver keeps the names of tensors as they are");
  }
  if (context.file.key.empty()) return;
  throw Error(ErrorCode::kUnsupported,
              "the file has other content than tensors, which the merged file "
              "would lack",
              kTensorsAlone);
}

// rebasin-nn starts from scratch, so it must be executed before there are
// temporary files.
void ExecForMerge(const MergeFlags& merge, const Context& context) {
  if (ParseMergeRequest(merge, context).needs_networks()) {
    RequireNetworks(context);
  }
}

MergeFlags MergeOf(const Flags& flags) {
  MergeFlags merge = flags.merge;
  merge.models = {flags.ours, flags.theirs};
  merge.output = flags.ours;
  merge.in_place = true;
  merge.output_name = flags.path.empty() ? flags.ours : flags.path;
  return merge;
}

int MergeVersions(const Flags& flags, MergeFlags merge,
                  const Context& context) {
  const StoredPath stored(flags.path);
  const Versions versions = ReadVersions(flags, stored);
  CheckFormats(versions);
  merge.models = {versions.ours.path(), versions.theirs.path()};
  if (versions.base) merge.base = versions.base->path();
  if (!stored.Converts(flags.ours)) return RunMerge(merge, context);
  const Content merged(StoredPath::NewFile(flags.ours));
  merge.output = merged.path();
  merge.written = [&] { stored.Store(merged.path(), flags.ours); };
  return RunMerge(merge, context);
}

int Merge(const Flags& flags, const Context& context) {
  CheckFileOptions(context);
  Context own = context;
  own.force = true;  // replaces the file that git passes
  // Other files are beside the working tree's version, not beside this copy.
  own.external_data = false;
  own.file.keep_prefixes = true;  // names in the repository do not change
  // Content beside the tensors would be lost (see CheckFileOptions).
  own.file.find_key = false;
  const MergeFlags merge = MergeOf(flags);
  ExecForMerge(merge, own);
  return MergeVersions(flags, merge, own);
}

// Hints are written for all commands; some options do not exist here.
std::string DriverHint(const std::string& hint) {
  return hint.find("--key") == std::string::npos ? hint : kTensorsAlone;
}

void Explain(const Flags& flags, const std::string& what,
             const std::string& hint = "") {
  PrintError((flags.path.empty() ? "" : Quoted(flags.path) + ": ") + what,
             DriverHint(hint));
}

int MergeForGit(const Flags& flags, const Context& context) {
  try {
    return Merge(flags, context);
  } catch (const Error& error) {
    Explain(flags, error.what(), error.hint());
    return error.code() == ErrorCode::kIo ? kGiveUp : kConflict;
  } catch (const std::bad_alloc&) {
    throw;  // reported without allocating
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
      ->add_option("base", flags->base, "%O: the common ancestor; may be empty")
      ->required();
  command
      ->add_option("ours", flags->ours,
                   "%A: our side; replaced by the merged model")
      ->required();
  command->add_option("theirs", flags->theirs, "%B: their side")->required();
  command->add_option("path", flags->path,
                      "%P: the name of the model in messages");
  flags->merge.AddTo(*command);
  command->footer(R"(
Where both sides are close to the base, their changes are added: ours + (theirs -
base). Models trained apart are aligned and averaged, but for tensors that one
side alone has changed (see --three-way). Without --model or --spec the structure
is what the model itself says, else --model auto. Git LFS pointers and filters
are resolved, and the result is stored as they are. Exit codes are git's: 0
merged, 1 conflict, 129 and more: given up.

Once for a repository:
  git config merge.rebasin.name "models, aligned and merged"
  git config merge.rebasin.driver "rebasin merge-driver %O %A %B -- %P"
  git config merge.rebasin.recursive binary
  git config diff.rebasin.textconv "rebasin inspect --textconv --"
  git config diff.rebasin.cachetextconv true
  echo "*.safetensors merge=rebasin diff=rebasin -text" >> .gitattributes
With Git LFS: *.safetensors filter=lfs merge=rebasin diff=rebasin -text)");
  return {command, [flags, &context] { return MergeForGit(*flags, context); }};
}

}  // namespace rebasin::cli
