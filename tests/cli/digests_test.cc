// What commands write, byte by byte: digests.txt lists a digest for each file
// and text, so that a change of the program that should change nothing can be
// told from one that does. REBASIN_WRITE_DIGESTS=FILE writes the list anew.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>

#include "base/random.h"
#include "cli/program.h"
#include "cli/zoo_models.h"
#include "io/sha256.h"
#include "rebasin/alignment.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "support/onnx_models.h"

namespace rebasin {
namespace {

using testing::Outcome;
using testing::RandomZooModel;
using testing::RunIn;

using Digests = std::map<std::string, std::string>;

std::string DigestOf(const std::string& text) {
  return Sha256Of(std::as_bytes(std::span(text))).substr(0, 16);
}

std::string WithoutTimes(const std::string& text) {
  static const std::regex time(", [0-9.]+ m?s");
  return std::regex_replace(text, time, "");
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Checkpoint WithNoise(const Checkpoint& model, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    for (float& x : values) x += static_cast<float>(0.01 * random.Normal());
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

// A permuted and slightly noisy copy.
Checkpoint CopyOf(const Checkpoint& model, const std::string& text,
                  uint64_t seed) {
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(ZooGraph(text)).symmetry);
  return Permute(WithNoise(model, seed), Alignment::Random(symmetry, seed));
}

// Runs commands in a folder and keeps the digests of what they leave.
class Recorder {
 public:
  Recorder(std::string name, Digests& digests)
      : name_(std::move(name)), digests_(digests) {}

  void Save(const std::string& file, const Checkpoint& model) {
    SaveCheckpoint(model, folder_ / file);
  }
  void Write(const std::string& file, const std::string& bytes) {
    std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }
  // The file that the command writes.
  void File(std::vector<std::string> args, const std::string& output) {
    const std::string what = Joined(args);
    if (args[0] != "convert") args.push_back("-o");
    args.push_back(output);
    const Outcome run = RunIn(folder_, args);
    ASSERT_EQ(run.exit_code, 0) << what << ": " << run.err;
    digests_[name_ + " " + what + " > " + output] =
        DigestOf(ReadAll(folder_ / output));
  }
  // The text that the command prints.
  void Text(const std::vector<std::string>& args) {
    const Outcome run = RunIn(folder_, args);
    ASSERT_LE(run.exit_code, 1) << Joined(args) << ": " << run.err;
    digests_[name_ + " " + Joined(args)] = DigestOf(WithoutTimes(run.out));
  }

 private:
  static std::string Joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
      text += (text.empty() ? "" : " ") + word;
    return text;
  }

  std::string name_;
  Digests& digests_;
  TempDir folder_;
};

void RecordPair(Recorder& recorder, const std::string& text) {
  const std::string a = "a.safetensors", b = "b.safetensors";
  for (const char* method : {"weights", "greedy", "paper"}) {
    recorder.File({"match", a, b, "--model", text, "--method", method},
                  std::string(method) + ".json");
  }
  recorder.File({"match", a, b, "--model", text, "--start", "best"},
                "best.json");
  recorder.File({"merge", a, b, "--model", text}, "m.safetensors");
  recorder.File({"apply", b, "--align", "weights.json"}, "moved.safetensors");
  recorder.Text({"diff", a, b, "--model", text});
}

void RecordArchitecture(const std::string& text, Digests& digests) {
  Recorder recorder(text, digests);
  const Checkpoint a = RandomZooModel(text);
  recorder.Save("a.safetensors", a);
  recorder.Save("b.safetensors", CopyOf(a, text, 2));
  RecordPair(recorder, text);
}

// Everything beyond a pair and its defaults.
void RecordManyWays(Digests& digests) {
  const std::string text = "mlp:width=16,in=8,depth=3";
  Recorder recorder("ways", digests);
  const Checkpoint a = RandomZooModel(text);
  const std::vector<std::string> files = {"a.safetensors", "b.safetensors",
                                          "c.safetensors"};
  recorder.Save(files[0], a);
  recorder.Save(files[1], CopyOf(a, text, 2));
  recorder.Save(files[2], CopyOf(a, text, 3));
  const auto merge = [&](size_t count, std::vector<std::string> more,
                         const std::string& output) {
    std::vector<std::string> args = {"merge"};
    args.insert(args.end(), files.begin(), files.begin() + count);
    args.insert(args.end(), more.begin(), more.end());
    recorder.File(args, output);
  };
  merge(2, {"--model", text, "--lambda", "0.3"}, "lambda.safetensors");
  merge(2, {"--align", "none"}, "plain.safetensors");
  merge(2, {"--model", text, "--repair", "bias"}, "bias.safetensors");
  merge(2, {"--model", text, "--base", "c.safetensors"}, "base.safetensors");
  merge(2, {"--model", text}, "m.pt");
  merge(2, {"--model", text}, "m.npz");
  merge(3, {"--model", text}, "many.safetensors");
  merge(3, {"--model", text, "--many", "consistent"}, "consistent.safetensors");
  merge(3, {"--model", text, "--weights", "0.5,0.3,0.2"}, "w.safetensors");
  recorder.File({"convert", "a.safetensors"}, "a.pt");
  recorder.File({"convert", "a.safetensors"}, "a.npz");
  recorder.File({"convert", "a.pt"}, "again.safetensors");
  recorder.File({"convert", "a.npz"}, "once.safetensors");
  recorder.Text({"inspect", "a.pt", "--model", text});
}

// input [batch, 6] -> 12 -> Relu -> 5.
std::string OnnxMlp(uint64_t seed) {
  Random random(seed);
  const auto numbers = [&](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& x : values) x = static_cast<float>(random.Normal());
    return values;
  };
  OnnxBuilder builder;
  builder.Input("x", {-1, 6}, {"batch"});
  builder.Weight("fc1.weight", {12, 6}, numbers(72));
  builder.Weight("fc1.bias", {12}, numbers(12));
  builder.Weight("fc2.weight", {5, 12}, numbers(60));
  SetInt(builder.Node("Gemm", {"x", "fc1.weight", "fc1.bias"}, {"h"}), "transB",
         1);
  builder.Node("Relu", {"h"}, {"r"});
  SetInt(builder.Node("Gemm", {"r", "fc2.weight"}, {"y"}), "transB", 1);
  builder.Output("y");
  return builder.Bytes();
}

void RecordOnnx(Digests& digests) {
  Recorder recorder("onnx", digests);
  recorder.Write("a.onnx", OnnxMlp(1));
  recorder.Write("b.onnx", OnnxMlp(2));
  recorder.File({"match", "a.onnx", "b.onnx"}, "b.json");
  recorder.File({"merge", "a.onnx", "b.onnx"}, "m.safetensors");
  recorder.File({"convert", "a.onnx"}, "a.safetensors");
  recorder.Text({"diff", "a.onnx", "b.onnx"});
}

Digests RecordAll() {
  Digests digests;
  for (const char* text :
       {"mlp:width=32,in=16,depth=4", "residual_mlp:width=16,hidden=24,in=8",
        "vgg11:divide=16,head=cifar,classes=10", "resnet20:width=1",
        "resnet20:width=1,norm=layer,shortcut=A",
        "convmixer:depth=2,width=16,patch=4",
        "vit:depth=2,width=32,heads=4,mlp=48,patch=8,image=32,classes=7",
        "gpt2:depth=2,width=32,heads=4,vocab=50,context=16",
        "llama:depth=2,width=32,heads=4,kv_heads=2,mlp=48,vocab=50",
        "lstm:input=tokens,in=8,width=12,vocab=30,layers=2"}) {
    RecordArchitecture(text, digests);
  }
  RecordManyWays(digests);
  RecordOnnx(digests);
  return digests;
}

Digests ReadList(const std::string& path) {
  Digests digests;
  std::ifstream in(path);
  std::string digest, what;
  while (in >> digest && std::getline(in >> std::ws, what)) {
    digests[what] = digest;
  }
  return digests;
}

void WriteList(const Digests& digests, const std::string& path) {
  std::ofstream out(path);
  for (const auto& [what, digest] : digests)
    out << digest << " " << what << "\n";
}

// Slow: not for sanitizers, since another compiler rounds some sums otherwise.
TEST(SlowDigests, CommandsWriteTheBytesThatTheyWroteBefore) {
  const Digests found = RecordAll();
  if (const char* path = std::getenv("REBASIN_WRITE_DIGESTS")) {
    WriteList(found, path);
  }
  const Digests known = ReadList(DIGESTS_FILE);
  EXPECT_GT(known.size(), 50u);
  for (const auto& [what, digest] : found) {
    const auto it = known.find(what);
    ASSERT_NE(it, known.end()) << what;
    EXPECT_EQ(it->second, digest) << what;
  }
  EXPECT_EQ(found.size(), known.size());
}

}  // namespace
}  // namespace rebasin
