// Outputs that cannot be meant: names of inputs, endings of no format, and a
// device that is full.

#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;
using testing::Program;

using Args = std::vector<std::string>;

// Refused as usage, and nothing is written.
void ExpectRefused(const ModelFolder& folder, const Args& args,
                   const std::string& says) {
  std::string command;
  for (const std::string& word : args) command += " " + word;
  SCOPED_TRACE("rebasin" + command);
  const auto files = folder.Files();
  const std::string a = ReadAll(folder / "a.safetensors");
  const Outcome run = folder.Run(args);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_TRUE(run.says(says)) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(folder.Files(), files);
  EXPECT_EQ(ReadAll(folder / "a.safetensors"), a);
}

Args Matching(const Args& more) {
  Args args = {"match",  "a.safetensors", "b.safetensors",
               "--spec", "mlp",           "--force"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

Args Merging(const Args& more) {
  Args args = {"merge",  "a.safetensors", "b.safetensors",
               "--spec", "mlp",           "--force"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Outputs, X11_AnAlignmentReplacesNoModel) {
  const ModelFolder folder;
  ExpectRefused(folder, Matching({"-o", "a.safetensors"}), "of a model");
  ExpectRefused(folder, Matching({"--output=./a.safetensors"}), "of a model");
  ExpectRefused(
      folder, Merging({"-o", "m.safetensors", "--save-align", "a.safetensors"}),
      "of a model");
  ExpectRefused(folder,
                Merging({"-o", "m.safetensors", "--save-align=b.safetensors"}),
                "of a model");
}

TEST(Outputs, X11_NoTextReplacesAnInputWhateverItsName) {
  const ModelFolder folder;
  std::filesystem::copy(folder / "a.safetensors", folder / "a");
  std::filesystem::create_hard_link(folder / "a", folder / "link");
  const std::string around = "../" + folder.path().filename().native() + "/a";
  for (const std::string& output :
       {std::string("a"), std::string("./a"), std::string("link"), around}) {
    ExpectRefused(folder,
                  {"match", "a", "b.safetensors", "--spec", "mlp", "--force",
                   "-o", output},
                  "another argument names");
  }
  ExpectRefused(folder,
                {"merge", "a", "b.safetensors", "--spec", "mlp", "--force",
                 "-o", "m.safetensors", "--save-align", "a"},
                "another argument names");
}

TEST(Outputs, X11_TwoOutputsAreTwoFiles) {
  const ModelFolder folder;
  ExpectRefused(folder, Merging({"-om", "--save-align", "./m"}),
                "another argument names");
}

TEST(Outputs, X11_ASpecIsNotReplaced) {
  const ModelFolder folder;
  EXPECT_EQ(
      folder.Run({"inspect", "a.safetensors", "--spec", "mlp", "-o", "s.json"})
          .exit_code,
      0);
  ExpectRefused(folder,
                {"match", "a.safetensors", "b.safetensors", "--spec", "s.json",
                 "--force", "-o", "s.json"},
                "another argument names");
  EXPECT_EQ(folder.Run(Matching({"-o", "x.json"})).exit_code, 0);
  ExpectRefused(folder,
                {"apply", "b.safetensors", "--align", "x.json", "--force", "-o",
                 "x.json"},
                "another argument names");
  // Its own older version is replaced.
  EXPECT_EQ(folder.Run(Matching({"-o", "x.json"})).exit_code, 0);
}

TEST(Outputs, X11_NumberedAlignmentsReplaceNoInput) {
  const ModelFolder folder;
  std::filesystem::copy(folder / "a.safetensors", folder / "x-1");
  ExpectRefused(folder,
                {"merge", "x-1", "a.safetensors", "b.safetensors", "--spec",
                 "mlp", "--force", "-o", "m.safetensors", "--save-align", "x"},
                "another argument names");
}

TEST(Outputs, X12_EndingsOfNoWriterAreRefused) {
  const ModelFolder folder;
  for (const std::string output : {"x.ggml", "o.h5", "m.ckpt", "m.txt"}) {
    ExpectRefused(folder, Merging({"-o", output}), "no writer");
    ExpectRefused(folder, {"convert", "a.safetensors", output}, "no writer");
  }
  ExpectRefused(folder, Matching({"-o", "x.gguf"}), "of a model");
}

TEST(Outputs, X12_FormatsThatAreOnlyReadAreRefused) {
  const ModelFolder folder;
  for (const std::string output : {"x.gguf", "x.npy", "x.bin"}) {
    const Outcome run = folder.Run({"convert", "a.safetensors", output});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_TRUE(run.says("read, not written")) << run.err;
  }
}

TEST(Outputs, X15_EmptyValuesAreRefused) {
  const ModelFolder folder;
  for (const std::string option : {"--base", "--model", "--key", "--lambda",
                                   "--save-align", "--threads", "--report"}) {
    ExpectRefused(folder, Merging({"-o", "m.safetensors", option, ""}),
                  option + " has an empty value");
    ExpectRefused(folder, Merging({"-o", "m.safetensors", option + "="}),
                  option + " has an empty value");
  }
  ExpectRefused(folder, Merging({"-o", ""}), "-o has an empty value");
  ExpectRefused(folder, {"convert", "a.safetensors", ""},
                "an argument has an empty value");
}

TEST(Outputs, X16_HelpToAFullDeviceFails) {
  const ModelFolder folder;
  for (const std::string words :
       {"--help", "--version", "merge --help", "zoo"}) {
    const Outcome run =
        Program(folder,
                {"-c", "exec " REBASIN_PROGRAM " " + words + " > /dev/full"},
                {}, "/bin/sh")
            .Wait();
    EXPECT_EQ(run.exit_code, 5) << words << run.err;
    EXPECT_TRUE(run.says("stdout")) << run.err;
  }
}

TEST(Outputs, AMissingGraphIsAMissingFile) {
  const ModelFolder folder;
  for (const std::string model : {"net.onnx", "graphs/net.onnx", "./net"}) {
    const Outcome run =
        folder.Run({"inspect", "a.safetensors", "--model", model});
    EXPECT_EQ(run.exit_code, 5) << run.err;
    EXPECT_TRUE(run.says("No such file")) << run.err;
    EXPECT_TRUE(run.says(model)) << run.err;
  }
  folder.Write("net.onnx", "Entry not found");
  const Outcome run =
      folder.Run({"inspect", "a.safetensors", "--model", "net.onnx"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("looks like text")) << run.err;
}

TEST(Outputs, X10_ASavedModelIsCalledByItsName) {
  const ModelFolder folder;
  std::filesystem::create_directory(folder / "saved");
  folder.Write("saved/saved_model.pb", "\x08\x01\x12\x02\x0A");
  const Outcome run = folder.Run({"inspect", "saved"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(run.says("a TensorFlow SavedModel")) << run.err;
}

}  // namespace
}  // namespace rebasin
