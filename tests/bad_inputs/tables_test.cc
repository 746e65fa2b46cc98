// Every row of every table of bad files, through the real command line.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "bad_inputs/trial.h"
#include "support/bad_input.h"

namespace rebasin {
namespace {

using testing::ExpectTrial;
using testing::Trial;

const std::string kOutput = "out.safetensors";

constexpr int kOk = 0, kBadInput = 3, kMismatch = 4;

// A file and what the program is to do with it.
struct Case {
  std::string name;
  std::function<std::string()> make;
  std::vector<Trial> trials;
};

void PrintTo(const Case& given, std::ostream* out) { *out << given.name; }

int ExitCode(const InputRow& row) {
  return row.error ? Error(*row.error, "").ExitCode() : 0;
}

Trial TrialOf(const InputRow& row, const std::string& file,
              std::vector<std::string> args) {
  return {.args = std::move(args),
          .file = file,
          .exit_code = ExitCode(row),
          .says = row.says};
}

// Shown, written anew, and merged with itself.
std::vector<Trial> ModelTrials(const InputRow& row, const std::string& file) {
  std::vector<Trial> trials = {
      TrialOf(row, file, {"inspect", file}),
      TrialOf(row, file, {"convert", file, kOutput}),
      TrialOf(row, file,
              {"merge", file, file, "--align", "none", "-o", kOutput})};
  trials[1].output = trials[2].output = kOutput;
  return trials;
}

// What the program says of a row where it is not what the reader says: files
// are told apart by their content first, and a reader that is given the right
// file by a test is another one then.
struct Verdict {
  int exit_code = kBadInput;
  std::vector<std::string> says = {};
};
using Verdicts = std::map<std::string, Verdict>;

void Overrule(const InputRow& row, const Verdicts& verdicts,
              std::vector<Trial>& trials) {
  const auto found = verdicts.find(row.name);
  if (found == verdicts.end()) return;
  for (Trial& trial : trials) {
    trial.exit_code = found->second.exit_code;
    trial.says = found->second.says;
  }
}

std::vector<Case> ModelCases(const std::vector<InputRow>& rows,
                             const std::string& file,
                             const Verdicts& verdicts = {}) {
  std::vector<Case> cases;
  for (const InputRow& row : rows) {
    cases.push_back({row.name, row.make, ModelTrials(row, file)});
    Overrule(row, verdicts, cases.back().trials);
  }
  return cases;
}

// Files that are sound but hold nothing to convert.
std::vector<Case> WithoutTensors(std::vector<Case> cases,
                                 const std::set<std::string>& names) {
  for (Case& given : cases) {
    if (!names.contains(given.name)) continue;
    for (size_t t = 1; t < given.trials.size(); ++t) {
      given.trials[t].exit_code = kMismatch;
      given.trials[t].says = {"no tensors"};
    }
  }
  return cases;
}

std::vector<Case> SafetensorsCases() {
  return WithoutTensors(
      ModelCases(SafetensorsRows(), "in.safetensors"),
      {"S09_LeadingWhitespace", "S11_SpacePadding", "S33_NoTensors"});
}

std::vector<Case> IndexCases() {
  return WithoutTensors(
      ModelCases(IndexTextRows(), "in.safetensors.index.json"),
      {"I16_TotalSizeIsAbsurd"});
}

std::vector<Case> TorchCases() { return ModelCases(TorchRows(), "in.pt"); }

// What has no mark of another format could only be safetensors.
const Verdict kTooShort = {kBadInput, {"too short"}};
const Verdict kUnknown = {kBadInput, {"no model of a known format"}};

std::vector<Case> NpyCases() {
  return ModelCases(NpyRows(), "in.npy",
                    {{"N01_Empty", kTooShort}, {"N01_BadMagic", kUnknown}});
}

std::vector<Case> GgufCases() { return ModelCases(GgufRows(), "in.gguf"); }

// Entries that are no arrays are left out, and their content is never read.
std::vector<Case> ZipCases() {
  Verdicts verdicts = {{"P03_EmptyFile", kTooShort},
                       {"P03_Text", {kBadInput, {"looks like text"}}},
                       {"P04_BytesBefore", kUnknown},
                       {"P04_CountedBytesBefore", kUnknown}};
  for (const char* name :
       {"P00_Sound", "P00_Empty", "P00_Comment", "P00_Folder", "P00_Zip64",
        "P08_Claims40GB", "P08_EntriesClaim120MBTogether", "P09_ExpandsToMore",
        "P09_ExpandsToLess", "P10_WrongChecksum", "P10_WrongChecksumDeflated",
        "P10_DamagedStream", "X01_SoundDescriptor", "X01_WideDescriptor",
        "X01_DescriptorWithoutSignature"}) {
    verdicts[name] = {kMismatch, {"holds no arrays"}};
  }
  return ModelCases(ZipRows(), "in.npz", verdicts);
}

// These are rows of data sets; many are sound as models.
std::vector<Case> NpzCases() {
  Verdicts verdicts = {{"N13_Empty", {kMismatch, {"holds no arrays"}}}};
  for (const char* name :
       {"N13_OtherNames", "N16_IntegerExamples", "N16_Scalar", "N16_NoExamples",
        "N16_Infinity", "N16_TooFewLabels", "N16_LabelsOfRank2",
        "N16_FloatLabels", "N16_NegativeLabel", "N16_HugeLabel"}) {
    verdicts[name] = {kOk};
  }
  std::vector<Case> cases = ModelCases(NpzRows(), "in.npz", verdicts);
  for (Case& given : cases) {
    if (given.name != "N16_Infinity") continue;
    given.trials.pop_back();  // merging it is a row of tests/cli, M05
  }
  return cases;
}

// A graph that makes no sense may still have sound weights, to be converted.
// What is merged must have graphs that can be compared.
std::vector<Case> OnnxCases() {
  std::vector<Case> cases =
      ModelCases(OnnxRows(), "in.onnx",
                 {{"O01_Empty", kTooShort},
                  {"O01_Group", kTooShort},
                  {"O01_FieldZero", kTooShort},
                  {"O01_NoGraph", kTooShort},
                  {"O01_RandomBytes", kUnknown},
                  {"O01_OverlongNumber", kUnknown},
                  {"O01_Zip", {kBadInput, {"truncated archive"}}}});
  for (Case& given : cases) {
    const bool graph_only = given.name.starts_with("O11_") ||
                            given.name == "O12_LoopWithoutBody" ||
                            given.name.starts_with("O12_LoopWithNameless") ||
                            given.name.starts_with("O12_LoopThatStarts") ||
                            given.name == "O12_IfWithoutElse" ||
                            given.name == "O12_BranchThatGivesWhatIsNotThere";
    if (!graph_only) continue;
    given.trials[1].exit_code = kOk;
    given.trials[1].says = {};
  }
  return cases;
}

// As a spec, as an alignment and as an index; a row that is sound JSON is none
// of them.
std::vector<Case> JsonCases() {
  std::vector<Case> cases;
  for (const InputRow& row : JsonRows()) {
    std::vector<Trial> trials = {
        TrialOf(row, "in.json", {"inspect", "in.json"}),
        TrialOf(row, "in.json",
                {"inspect", "sound.safetensors", "--spec", "in.json"}),
        TrialOf(row, "in.json",
                {"apply", "sound.safetensors", "--align", "in.json", "-o",
                 kOutput})};
    for (Trial& trial : trials) {
      if (!row.error) trial.exit_code = kBadInput;
    }
    cases.push_back({row.name, row.make, std::move(trials)});
  }
  return cases;
}

class BadInputs : public ::testing::TestWithParam<Case> {};

TEST_P(BadInputs, AreRefusedInOneLineWithoutATrace) {
  const Case& given = GetParam();
  const TempDir folder;
  folder.Write("sound.safetensors",
               File(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                    "1234"));
  folder.Write(given.trials[0].file, given.make());
  for (const Trial& trial : given.trials) ExpectTrial(folder, trial);
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Safetensors, BadInputs,
                         ::testing::ValuesIn(SafetensorsCases()), NameOf);
INSTANTIATE_TEST_SUITE_P(Index, BadInputs, ::testing::ValuesIn(IndexCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Torch, BadInputs, ::testing::ValuesIn(TorchCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Npy, BadInputs, ::testing::ValuesIn(NpyCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Gguf, BadInputs, ::testing::ValuesIn(GgufCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Zip, BadInputs, ::testing::ValuesIn(ZipCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Npz, BadInputs, ::testing::ValuesIn(NpzCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Onnx, BadInputs, ::testing::ValuesIn(OnnxCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Json, BadInputs, ::testing::ValuesIn(JsonCases()),
                         NameOf);

}  // namespace
}  // namespace rebasin
