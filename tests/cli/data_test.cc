// Data files that break rules, through the program: rows D01 to D12, and those
// of .npz files that concern data alone.

#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"
#include "rebasin/checkpoint.h"
#include "support/data_files.h"
#include "support/npy_files.h"
#include "zoo/models.h"

namespace rebasin {
namespace {

using testing::Outcome;
using testing::RunIn;

const std::string kImages = "t10k-images-idx3-ubyte";
const std::string kLabels = "t10k-labels-idx1-ubyte";

const std::string kSmallModel = "mlp:depth=1,width=2,in=4";

struct Row {
  std::string name;
  // Names and contents; a name that ends with / is a folder.
  std::vector<std::pair<std::string, std::string>> files;
  int exit_code = 3;
  std::string says = "";
  std::string model = kSmallModel;        // takes images of 2 x 2
  std::string data = "data";              // what the program is given
  std::vector<std::string> options = {};  // and how
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string Magic(uint32_t magic) { return Big(magic, 4) + Big(1, 4); }

Row Images(const std::string& name, const std::string& content, int exit_code,
           const std::string& says = "") {
  return {name,
          {{kImages, content}, {kLabels, IdxLabels({1, 2, 3})}},
          exit_code,
          says};
}

std::vector<Row> IdxRows() {
  const std::string images = IdxImages(3, 2, 2), labels = IdxLabels({1, 2, 3});
  const std::string sizes = Big(2, 4) + Big(2, 4);
  return {
      Images("D01_Sound", images, 0),
      Images("D01_Empty", "", 3, "0 of 16 bytes"),
      Images("D01_HtmlPage", "<!DOCTYPE html><html></html>", 3, "HTML page"),
      Images("D01_WrongMagic", "abcd" + images.substr(4), 3, "0x00000803"),
      {"D01_Swapped", {{kImages, labels}, {kLabels, images}}, 3, "expected"},
      Images("D02_LittleEndian", Little(0x803, 4) + images.substr(4), 3,
             "little-endian"),
      {"D03_Gzip",
       {{kImages + ".gz", Gzip(images)}, {kLabels + ".gz", Gzip(labels)}},
       0},
      Images("D03_GzipUnderAPlainName", Gzip(images), 0),
      Images("D03_GzipCut", Gzip(images).substr(0, 20), 3, "cut short"),
      Images("D03_GzipBomb",
             Gzip(Big(0x803, 4) + Big(60'000'000, 4) + Big(28, 4) + Big(28, 4)),
             6, "the limit for"),
      {"D03_OneFile",
       {{kImages + ".gz", Gzip(images)}},
       3,
       "part of a data set",
       kSmallModel,
       "data/" + kImages + ".gz"},
      Images("D04_Cut", images.substr(0, images.size() - 1), 3,
             "12 bytes, but 11 follow"),
      Images("D04_Overflow",
             Big(0x803, 4) + Big(0xFFFFFFFF, 4) + Big(0xFFFFFFFF, 4) +
                 Big(0xFFFFFFFF, 4),
             3, "claims a size"),
      Images("D05_OtherCount", IdxImages(2, 2, 2), 4, "3"),
      {"D07_NoImages",
       {{kImages, IdxImages(0, 2, 2)}, {kLabels, IdxLabels({})}},
       4,
       "no images"},
      Images("D07_OtherSizeThanTheModelTakes", IdxImages(3, 2, 3), 4,
             "[1, 2, 3]"),
      Images("D08_Floats", Magic(0x0D03) + sizes, 3, "unsigned bytes"),
      Images("D08_Rank0", Magic(0x0800) + sizes, 3, "0 axes"),
      Images("D08_Rank200", Magic(0x08C8) + sizes, 3, "200 axes"),
  };
}

// CIFAR-10 whose test part has this content.
Row Cifar10(const std::string& name, const std::string& test, int exit_code,
            const std::string& says = "") {
  Row row{name, {{"test_batch.bin", test}}, exit_code, says};
  for (const char* batch : {"1", "2", "3", "4", "5"}) {
    row.files.push_back(
        {std::string("data_batch_") + batch + ".bin", CifarRecord("\x03", 7)});
  }
  row.model = "mlp:depth=1,width=2,in=3072";
  return row;
}

Row Cifar100(const std::string& name, const std::string& test,
             const std::string& says) {
  return {name,
          {{"train.bin", CifarRecord("\x03\x04", 7)}, {"test.bin", test}},
          3,
          says,
          "mlp:depth=1,width=2,in=3072,out=100"};
}

std::vector<Row> CifarRows() {
  const std::string one = CifarRecord("\x03", 7);
  Row missing = Cifar10("D12_MissingBatches", one, 5, "data_batch_2.bin");
  std::erase_if(missing.files, [](const auto& file) {
    return file.first == "data_batch_2.bin";
  });
  return {
      missing,
      Cifar10("D09_Sound", one + one + one, 0),
      Cifar10("D09_NoWholeRecord", one.substr(9), 3, "3073"),
      Cifar100("D09_NoWholeRecordOf100", one.substr(9), "3074"),
      Cifar10("D10_Cifar100AsCifar10", CifarRecord("\x03\x04", 7), 3,
              "CIFAR-100"),
      Cifar100("D10_Cifar10AsCifar100", one, "CIFAR-10"),
      Cifar10("D11_Pickle", "\x80\x02}q\x01" + one, 3, "never unpickled"),
  };
}

std::vector<Row> PlaceRows() {
  const std::string images = IdxImages(3, 2, 2), labels = IdxLabels({1, 2, 3});
  return {
      {"D10_TwoDataSets",
       {{kImages, images},
        {kLabels, labels},
        {"test.bin", CifarRecord("\x03\x04", 7)}},
       2,
       "CIFAR-100"},
      {"D11_PythonVersion",
       {{"data_batch_1", "\x80\x02}q\x01."}, {"test_batch", "\x80\x02}."}},
       3,
       "never unpickled"},
      {"D07_EmptyFile",
       {{"x.bin", ""}},
       4,
       "no images",
       kSmallModel,
       "data/x.bin"},
      {"D12_Device", {}, 5, "/dev/zero", kSmallModel, "/dev/zero"},
      {"D12_NoSuchFolder", {}, 5, "data"},
      {"D12_EmptyFolder", {{"", ""}}, 5, "data"},
      {"D12_NoLabels", {{kImages, IdxImages(3, 2, 2)}}, 5, kLabels},
      {"D12_FolderInPlaceOfAFile",
       {{kImages + "/", ""}, {kLabels, IdxLabels({1})}},
       5,
       kImages},
  };
}

// Three images of 2 x 2 and their labels, beside other entries.
std::string NpzWith(std::vector<ZipPart> parts, const std::string& type = "|u1",
                    int bytes = 1) {
  const std::string x =
      NpyFile(NpyDictionary(type, "(3, 2, 2)"), std::string(12 * bytes, 'x'));
  parts.push_back({.name = "x.npy", .content = x});
  parts.push_back({.name = "y.npy",
                   .content = NpyFile(NpyDictionary("|u1", "(3,)"),
                                      std::string("\1\2\3", 3))});
  return MakeZip(parts);
}

Row Npz(const std::string& name, const std::string& content, int exit_code,
        const std::string& says = "") {
  return {name, {{"test.npz", content}}, exit_code, says};
}

std::vector<Row> NpzRows() {
  const std::string array = NpyFile(NpyDictionary("|u1", "(1,)"), "1");
  const std::string bf16 = NpzWith({}, "<V2", 2);
  Row one_file =
      Npz("N12_OneFile", NpzWith({{.name = "a.txt", .content = "?"}}), 0,
          "warning: \"data/test.npz\": entry \"a.txt\" is not an array");
  one_file.data = "data/test.npz";
  Row read = Npz("N15_Bfloat16IfTold", bf16, 0);
  read.options = {"--npy-bf16"};
  return {
      Npz("N12_Sound", NpzWith({}), 0),
      Npz("N12_Text", NpzWith({{.name = "README", .content = "hello"}}), 0,
          "entry \"README\" is not an array, and is skipped"),
      Npz("N12_OtherArray", NpzWith({{.name = "z.npy", .content = array}}), 0),
      Npz("N12_Folder", NpzWith({{.name = "folder/", .content = ""}}), 0),
      Npz("N12_Parent", NpzWith({{.name = "../x.npy", .content = array}}), 3,
          "leads out"),
      one_file,
      Npz("N13_Empty", MakeZip({}), 4, "no array \"x\""),
      Npz("N15_Bfloat16", bf16, 3, "--npy-bf16"),
      read,
  };
}

std::vector<Row> AllRows() {
  std::vector<Row> rows = IdxRows();
  for (const Row& row : NpzRows()) rows.push_back(row);
  for (const Row& row : CifarRows()) rows.push_back(row);
  for (const Row& row : PlaceRows()) rows.push_back(row);
  return rows;
}

class BadData : public ::testing::TestWithParam<Row> {};

TEST_P(BadData, GetsTheExitCodeThatTheTableSays) {
  const Row& row = GetParam();
  const TempDir folder;
  SaveCheckpoint(Checkpoint(testing::ZeroTensors(ZooGraph(row.model))),
                 folder / "zero.safetensors", {.sync = false});
  for (const auto& [name, content] : row.files) {
    std::filesystem::create_directories(
        (folder / ("data/" + name)).parent_path());
    if (name.ends_with("/")) continue;
    if (!name.empty()) folder.Write("data/" + name, content);
  }
  std::vector<std::string> args = {
      "eval",   "zero.safetensors", "--model", row.model, "--data",
      row.data, "--normalize",      "none",    "--json"};
  args.insert(args.end(), row.options.begin(), row.options.end());
  const Outcome run = RunIn(folder, args);
  EXPECT_EQ(run.exit_code, row.exit_code) << run.err;
  EXPECT_TRUE(run.says(row.says)) << run.err;
  if (row.exit_code == 0) {
    EXPECT_EQ(run.says("warning"), !row.says.empty()) << run.err;
    EXPECT_EQ(run.json()["models"][0]["examples"], 3);
    EXPECT_NEAR(run.json()["models"][0]["loss"], std::log(10.0), 1e-6);
  } else {
    EXPECT_TRUE(run.out.empty()) << run.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, BadData, ::testing::ValuesIn(AllRows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rebasin
