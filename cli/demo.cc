// rebasin demo: creates two small models for trying the other commands.

#include <cmath>
#include <filesystem>

#include "base/random.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/model_output.h"
#include "io/system.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kWidths[] = {64, 128, 128, 10};
constexpr double kNoise = 0.2;  // of the weights' standard deviation

// Normal numbers, added to `around` if it is not null.
Tensor RandomTensor(const std::string& name, const Shape& shape, double scale,
                    const Tensor* around, Random& random) {
  int64_t size = 1;
  for (int64_t dim : shape) size *= dim;
  std::vector<float> values(static_cast<size_t>(size), 0.0f);
  if (around != nullptr) ReadFloats(*around, 0, values);
  for (float& value : values) {
    value += static_cast<float>(scale * random.Normal());
  }
  return MakeTensor(name, shape, values);
}

// A chain of dense layers, scaled as after initialisation, or a noisy copy of
// one.
Checkpoint MakeModel(double scale, const Checkpoint* around, Random& random) {
  std::vector<Tensor> tensors;
  const auto add = [&](const std::string& name, const Shape& shape, double sd) {
    const Tensor* old = around == nullptr ? nullptr : around->Find(name);
    tensors.push_back(RandomTensor(name, shape, scale * sd, old, random));
  };
  for (size_t layer = 1; layer < std::size(kWidths); ++layer) {
    const int64_t in = kWidths[layer - 1], out = kWidths[layer];
    const double sd = std::sqrt(2.0 / static_cast<double>(in));
    const std::string name = "fc" + std::to_string(layer);
    add(name + ".weight", {out, in}, sd);
    add(name + ".bias", {out}, 0.1 * sd);
  }
  return Checkpoint(std::move(tensors));
}

std::string NextCommands(const fs::path& folder) {
  const auto file = [&](const char* name) {
    return Printable((folder / name).native(), 4096);
  };
  const std::string both = file("a.safetensors") + " " + file("b.safetensors");
  return "wrote " + both +
         "\n\nB is a noisy copy of A with its hidden units shuffled. Try:\n"
         "  rebasin diff " +
         both +
         "\n"
         "  rebasin merge " +
         both + " -o " + file("merged.safetensors") +
         "\n"
         "  rebasin diff " +
         file("a.safetensors") + " " + file("merged.safetensors") + "\n";
}

int Demo(const std::string& folder, const Context& context) {
  Console console(context);
  Random random(context.seed);
  const Checkpoint a = MakeModel(1, nullptr, random);
  const Checkpoint noisy = MakeModel(kNoise, &a, random);
  const auto symmetry = std::make_shared<const Symmetry>(InferMlp(a));
  const Checkpoint b =
      Permute(noisy, Alignment::Random(symmetry, context.seed + 1));
  std::error_code error;
  if (!context.dry_run) {
    fs::create_directories(folder, error);
    if (error) ThrowIo("create", folder, error.value());
    const WriteOptions options{.force = context.force};
    CheckModelOutput(
        {.path = fs::path(folder) / "b.safetensors", .write = options}, b,
        context);
    SaveCheckpoint(a, fs::path(folder) / "a.safetensors", options);
    SaveCheckpoint(b, fs::path(folder) / "b.safetensors", options);
  }
  console.Result(
      context.dry_run ? "dry run: nothing is written\n" : NextCommands(folder),
      {{"command", "demo"},
       {"a", (fs::path(folder) / "a.safetensors").native()},
       {"b", (fs::path(folder) / "b.safetensors").native()}});
  return 0;
}

}  // namespace

Command AddDemo(CLI::App& program, Context& context) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "demo", "Write two small models to try the other commands on");
  command->add_option("folder", *folder, "Where to write them")->required();
  command->footer("\nExample:\n  rebasin demo play");
  return {command, [folder, &context] { return Demo(*folder, context); }};
}

}  // namespace rebasin::cli
