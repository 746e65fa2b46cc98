// ONNX models that ask for much with little. Protobuf makes an object of some
// hundred bytes out of two bytes of a file, and each part of a graph is kept in
// several places: SECURITY.md has what all of it may come to.

#include <gtest/gtest.h>

#include <functional>

#include "bad_inputs/trial.h"
#include "support/onnx_models.h"
#include "support/sparse_file.h"
#include "support/wire.h"

namespace rebasin {
namespace {

using testing::ExpectTrial;
using testing::kMebibyte;
using testing::Many;
using testing::Trial;

constexpr int kOk = 0, kBad = 3, kLimit = 6;

// What SECURITY.md promises for a file of this size.
int64_t Promised(const std::string& file) {
  return 250 * static_cast<int64_t>(file.size()) + 192 * kMebibyte;
}

struct Row {
  std::string name;
  std::function<std::string()> make;
  int exit_code = kOk;
  std::vector<std::string> says = {};
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// Few bytes that are different for each number, and from words in small
// letters.
std::string ShortName(int64_t i) {
  std::string name;
  do {
    name += static_cast<char>('!' + i % 64);
    i /= 64;
  } while (i > 0);
  return name;
}

// A small model with more in its graph; messages of one field are merged.
std::string Mlp(const std::string& fields) {
  return SmallMlp().Bytes() + Wrap('\x3A', fields);
}

std::string OfOpset(char opset, const std::string& model) {
  return model + Wrap('\x42', std::string("\x10") + opset);
}

std::string Each(int64_t count,
                 const std::function<std::string(int64_t)>& part) {
  std::string all;
  for (int64_t i = 0; i < count; ++i) all += part(i);
  return all;
}

std::string Times(int64_t count, const std::string& text) {
  return Each(count, [&](int64_t) { return text; });
}

// Fields of a node, and the node in its graph.
std::string In(const std::string& name) { return Wrap('\x0A', name); }
std::string Out(const std::string& name) { return Wrap('\x12', name); }
std::string Op(const std::string& name) { return Wrap('\x22', name); }
std::string With(const std::string& attribute) {
  return Wrap('\x2A', attribute);
}
std::string Node(const std::string& fields) { return Wrap('\x0A', fields); }
std::string Ints(const std::string& name, const std::string& numbers) {
  return With(Wrap('\x0A', name) + Wrap('\x42', numbers));
}

// Fields of a tensor, and the tensor as an initializer.
std::string Called(const std::string& name) { return Wrap('\x42', name); }
std::string Raw(const std::string& bytes) { return Wrap('\x4A', bytes); }
std::string Typed(char type) { return std::string("\x10") + type; }
std::string Sizes(int64_t size) {
  return "\x08" + Varint(static_cast<uint64_t>(size));
}
std::string Initializer(const std::string& fields) {
  return Wrap('\x2A', fields);
}

constexpr char kFloats = 1, kBytes = 2, kInt64s = 7, kBooleans = 9;

// Of 2^21 bytes, each a table of 16 MiB once it is read.
std::string LargeConstant() {
  return Initializer(Called("big") + Typed(kBytes) + Sizes(1 << 21) +
                     Raw(std::string(1 << 21, '\1')));
}

// As many nodes, made of their number.
Row Nodes(const std::string& name, int64_t count,
          const std::function<std::string(int64_t)>& fields,
          int exit_code = kOk, std::vector<std::string> says = {}) {
  return {name,
          [=] {
            return Mlp(
                Each(Many(count), [&](int64_t i) { return Node(fields(i)); }));
          },
          exit_code, std::move(says)};
}

std::vector<Row> NodeRows() {
  return {
      Nodes("Nodes", 400'000, [](int64_t) { return Op("A"); }),
      Nodes("NodesWithoutOperators", 400'000, [](int64_t) { return ""; }, kBad,
            {"no operator"}),
      Nodes("NodesWithOutputs", 300'000,
            [](int64_t i) { return Op("A") + Out(ShortName(i)); }),
      Nodes("NodesOfOneInput", 200'000,
            [](int64_t i) {
              return Op("Relu") + In("input") + Out(ShortName(i));
            }),
      Nodes("NodesInAChain", 100'000,
            [](int64_t i) {
              return Op("Relu") + In(i == 0 ? "input" : ShortName(i - 1)) +
                     Out(ShortName(i));
            }),
      Nodes("NodesBackwards", 100'000,
            [](int64_t i) {
              return Op("Relu") + In(ShortName(i + 1)) + Out(ShortName(i));
            },
            kBad, {"no node produces"}),
      Nodes(
          "Products", 100'000,
          [](int64_t i) {
            return Op("MatMul") + In("input") + In("fc1.weight") +
                   Out(ShortName(i));
          },
          kBad),
      Nodes("Sums", 50'000,
            [](int64_t i) {
              return Op("Add") + In("input") + In("input") + Out(ShortName(i));
            }),
  };
}

// A branch that hands the input on, or has nothing but a node of its own.
std::string BranchOf(const std::string& name, const std::string& result,
                     const std::string& nodes = "") {
  return With(Wrap('\x0A', name) +
              Wrap('\x32', nodes + Wrap('\x62', Wrap('\x0A', result))));
}

std::vector<Row> ControlRows() {
  return {
      Nodes("Branches", 50'000,
            [](int64_t i) {
              const std::string relu =
                  Node(Op("Relu") + In("input") + Out("r"));
              return Op("If") + In("input") + Out(ShortName(i)) +
                     BranchOf("then_branch", "input") +
                     BranchOf("else_branch", "r", relu);
            }),
      Nodes("BranchesInAChain", 20'000,
            [](int64_t i) {
              const std::string last = i == 0 ? "input" : ShortName(i - 1);
              return Op("If") + In("input") + Out(ShortName(i)) +
                     BranchOf("then_branch", last) +
                     BranchOf("else_branch", last);
            }),
      Nodes("SequencesThatGrow", 100'000,
            [](int64_t i) {
              if (i == 0) {
                return Op("SequenceConstruct") + In("input") +
                       Out(ShortName(i));
              }
              return Op("SequenceInsert") + In(ShortName(i - 1)) + In("input") +
                     Out(ShortName(i));
            }),
  };
}

Row OneNode(const std::string& name, int64_t count,
            const std::function<std::string(int64_t)>& part,
            int exit_code = kOk, std::vector<std::string> says = {}) {
  return {name, [=] { return Mlp(Node(Op("A") + Each(Many(count), part))); },
          exit_code, std::move(says)};
}

std::vector<Row> PartRows() {
  const auto same = [](const std::string& text) {
    return [text](int64_t) { return text; };
  };
  const auto wrapped = [&](char tag) { return same(With(Wrap(tag, ""))); };
  return {
      OneNode("Outputs", 400'000, [](int64_t i) { return Out(ShortName(i)); }),
      OneNode("InputsOfANode", 400'000, same(In("input"))),
      OneNode("InputsThatNobodyMakes", 400'000,
              [](int64_t i) { return In(ShortName(i)); }, kBad,
              {"no node produces"}),
      OneNode("InputsLeftOut", 800'000, same(In(""))),
      OneNode("Attributes", 800'000, same(With(""))),
      OneNode("AttributesByName", 300'000,
              [](int64_t i) {
                return With(Wrap('\x0A', ShortName(i)) + "\x18\x01");
              }),
      OneNode("AttributesOfTensors", 200'000,
              same(With(Wrap('\x2A', Typed(kInt64s) + Sizes(0))))),
      OneNode("AttributesOfBadTensors", 300'000, wrapped('\x2A'), kBad,
              {"no element type"}),
      OneNode("AttributesOfGraphs", 300'000, wrapped('\x32')),
      OneNode("AttributesOfTypes", 300'000, wrapped('\x72')),
      OneNode("ListsOfTensors", 1,
              same(With(Times(Many(800'000), Wrap('\x52', ""))))),
      OneNode("ListsOfGraphs", 1,
              same(With(Times(Many(800'000), Wrap('\x5A', ""))))),
      OneNode("ListsOfTexts", 1,
              same(With(Times(Many(800'000), Wrap('\x4A', ""))))),
      OneNode("ListsOfNumbers", 1,
              same(Ints("a", std::string(4'000'000, '\1')))),
      OneNode("ListsOfNumbersOneByOne", 1,
              same(With(Wrap('\x0A', "a") + Times(2'000'000, "\x40\x01")))),
  };
}

std::vector<Row> ModelRows() {
  const auto graph = [](const std::string& name, int64_t count,
                        const std::function<std::string(int64_t)>& part,
                        int exit_code = kOk,
                        std::vector<std::string> says = {}) {
    return Row{name, [=] { return Mlp(Each(Many(count), part)); }, exit_code,
               std::move(says)};
  };
  const std::string sizes = Times(16, Sizes(1));
  return {
      graph("EmptyInitializers", 300'000,
            [](int64_t i) {
              return Initializer(Called(ShortName(i)) + Typed(kInt64s) +
                                 Sizes(0) + Raw(""));
            }),
      graph("Weights", 200'000,
            [](int64_t i) {
              return Initializer(Called(ShortName(i)) + Typed(kFloats) +
                                 Raw("1234"));
            }),
      graph("WeightsOfManyAxes", 100'000,
            [=](int64_t i) {
              return Initializer(Called(ShortName(i)) + Typed(kFloats) + sizes +
                                 Raw("1234"));
            }),
      {"Copies",
       [=] {
         return Mlp(
             Initializer(Called("w") + Typed(kFloats) + sizes + Raw("1234")) +
             Each(Many(100'000), [](int64_t i) {
               return Node(Op("Identity") + In("w") + Out("w" + ShortName(i)));
             }));
       }},
      graph("Inputs", 300'000,
            [](int64_t i) {
              return Wrap('\x5A',
                          Wrap('\x0A', "x" + ShortName(i)) +
                              Wrap('\x12', Wrap('\x0A', "\x08\x01" + Out(""))));
            }),
      graph("Claims", 300'000,
            [](int64_t) { return Wrap('\x6A', Wrap('\x0A', "x")); }),
      {"Axes",
       [] {
         return Mlp(Wrap(
             '\x5A',
             Wrap('\x0A', "x") +
                 Wrap('\x12', Wrap('\x0A', "\x08\x01" +
                                               Out(Times(Many(800'000),
                                                         Wrap('\x0A', "")))))));
       },
       kLimit,
       {"dimensions"}},
      {"Functions",
       [] {
         return SmallMlp().Bytes() +
                Times(Many(300'000), "\xCA\x01" + std::string(1, '\0'));
       },
       kOk,
       {"function", "more warnings are left out"}},
      {"Metadata",
       [] {
         return SmallMlp().Bytes() + Times(Many(800'000), Wrap('\x72', ""));
       }},
  };
}

std::vector<Row> NumberRows() {
  return {
      {"SmallIntegers",
       [] {
         return Mlp(Initializer(Called("c") + Typed(kInt64s) +
                                Sizes(4'000'000) +
                                Wrap('\x3A', std::string(4'000'000, '\1'))));
       }},
      {"Booleans",
       [] {
         return Mlp(Initializer(Called("c") + Typed(kBooleans) +
                                Sizes(4'000'000) +
                                Wrap('\x2A', std::string(4'000'000, '\1'))));
       }},
      {"ConstantNodes",
       [] {
         return Mlp(Each(Many(200'000), [](int64_t i) {
           return Node(Op("Constant") + Out(ShortName(i)) +
                       With(Wrap('\x0A', "value_int") + "\x18\x01"));
         }));
       }},
      {"TablesOfConstants",
       [] {
         return Mlp(LargeConstant() + Each(200, [](int64_t i) {
                      return Node(Op("Neg") + In("big") + Out(ShortName(i)));
                    }));
       }},
      {"TablesOfZeros",
       [] {
         const std::string size = Varint(1 << 22);
         return Mlp(Initializer(Called("size") + Typed(kInt64s) + Sizes(1) +
                                Wrap('\x3A', size)) +
                    Each(200, [](int64_t i) {
                      return Node(Op("ConstantOfShape") + In("size") +
                                  Out(ShortName(i)));
                    }));
       }},
      {"ShapesOfConstants",
       [] {
         const std::string size = Varint(4096);
         return Mlp(Initializer(Called("size") + Typed(kInt64s) + Sizes(1) +
                                Wrap('\x3A', size)) +
                    Each(Many(20'000), [](int64_t i) {
                      return Node(Op("ConstantOfShape") + In("size") +
                                  Out(ShortName(i)));
                    }));
       }},
  };
}

// Forms of older opsets become several nodes and constants.
std::vector<Row> OldRows() {
  const auto old = [](const std::string& name, char opset, int64_t count,
                      const std::string& fields) {
    return Row{name, [=] {
                 return OfOpset(
                     opset, Mlp(Each(Many(count), [&](int64_t i) {
                       return Node(fields + In("input") + Out(ShortName(i)));
                     })));
               }};
  };
  const std::string axis =
      With(Wrap('\x0A', "axis") + std::string("\x18\0", 2));
  return {
      old("OldSoftmaxes", 12, 50'000, Op("Softmax") + axis),
      old("OldSlices", 9, 50'000,
          Op("Slice") + Ints("starts", std::string(1, '\0')) +
              Ints("ends", "\1") + Ints("axes", std::string(1, '\0'))),
      old("OldClips", 9, 50'000,
          Op("Clip") + With(Wrap('\x0A', "min") + "\x15"
                                                  "1234")),
  };
}

std::vector<Row> AllRows() {
  std::vector<Row> rows;
  for (const auto& part : {NodeRows(), ControlRows(), PartRows(), ModelRows(),
                           NumberRows(), OldRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

class CostlyOnnxRows : public ::testing::TestWithParam<Row> {};

TEST_P(CostlyOnnxRows, TakeTheMemoryThatIsPromised) {
  const Row& row = GetParam();
  const TempDir folder;
  const std::string file = row.make();
  folder.Write("in.onnx", file);
  ExpectTrial(folder, {.args = {"inspect", "in.onnx"},
                       .file = "in.onnx",
                       .exit_code = row.exit_code,
                       .says = row.says,
                       .memory = Promised(file)});
}

INSTANTIATE_TEST_SUITE_P(Rows, CostlyOnnxRows, ::testing::ValuesIn(AllRows()),
                         [](const auto& row) { return row.param.name; });

// A file of this content is shown.
void ExpectShown(const std::string& content, Trial trial) {
  const TempDir folder;
  folder.Write("in.onnx", content);
  trial.args = {"inspect", "in.onnx"};
  trial.file = "in.onnx";
  ExpectTrial(folder, trial);
}

// Each is a table of 8 MiB once it is read, all from the same bytes.
TEST(CostlyOnnx, TensorsThatOverlapInExternalDataAreNotAllRead) {
  OnnxBuilder model = SmallMlp();
  for (int i = 0; i < 1000; ++i) {
    auto& tensor = model.Tensor("c" + std::to_string(i), {1 << 20},
                                onnx::TensorProto::UINT8);
    SetExternal(tensor, "location", i % 2 == 0 ? "data" : "./data");
    SetExternal(tensor, "offset", std::to_string(i));
  }
  const TempDir folder;
  folder.Write("in.onnx", model.Bytes());
  folder.Write("data", std::string((1 << 20) + 1000, 'x'));
  ExpectTrial(folder, {.args = {"inspect", "in.onnx"},
                       .file = "in.onnx",
                       .exit_code = kLimit,
                       .says = {"overlap in external data"},
                       .memory = 192 * kMebibyte});
}

// Equal tensors may be stored once.
TEST(CostlyOnnx, TensorsMayShareTheirExternalData) {
  OnnxBuilder model = SmallMlp();
  for (int i = 0; i < 100; ++i) {
    auto& tensor =
        model.Tensor("c" + std::to_string(i), {1000}, onnx::TensorProto::UINT8);
    SetExternal(tensor, "location", "data");
  }
  const TempDir folder;
  folder.Write("in.onnx", model.Bytes());
  folder.Write("data", std::string(1000, 'x'));
  ExpectTrial(folder, {.args = {"inspect", "in.onnx"}, .file = "in.onnx"});
}

TEST(CostlyOnnx, O07_UnknownKeysGiveNoFloodOfWarnings) {
  OnnxBuilder model = SmallMlp();
  auto& tensor = model.Tensor("c", {1}, onnx::TensorProto::UINT8);
  SetExternal(tensor, "location", "data");
  for (int64_t i = 0; i < Many(500'000); ++i) SetExternal(tensor, "", "");
  const std::string file = model.Bytes();
  const TempDir folder;
  folder.Write("in.onnx", file);
  folder.Write("data", "1");
  ExpectTrial(folder, {.args = {"inspect", "in.onnx"},
                       .file = "in.onnx",
                       .says = {"unknown key"},
                       .memory = Promised(file)});
}

TEST(CostlyOnnx, ManyCopiesAndOutputsAreNotAllCompared) {
  OnnxBuilder model;
  model.Weight("w", {1}, {1});
  for (int64_t i = 0; i < Many(100'000); ++i) {
    model.Node("Identity", {"w"}, {"copy" + std::to_string(i)});
    model.Output("out" + std::to_string(i));
  }
  const TempDir folder;
  folder.Write("in.onnx", model.Bytes());
  ExpectTrial(folder, {.args = {"convert", "in.onnx", "out.safetensors"},
                       .file = "in.onnx",
                       .exit_code = kOk,
                       .output = "out.safetensors",
                       .memory = 400 * kMebibyte});
}

TEST(CostlyOnnx, LongChainsAreFollowedToTheirEnd) {
  OnnxBuilder model;
  model.Input("0", {1, 3});
  const int64_t count = Many(50'000);
  for (int64_t i = 0; i < count; ++i) {
    model.Node("Relu", {std::to_string(i)}, {std::to_string(i + 1)});
  }
  model.Weight("w", {3, 2}, Counting(6));
  model.Node("MatMul", {std::to_string(count), "w"}, {"end"});
  model.Output("end");
  ExpectShown(model.Bytes(), {.exit_code = kOk, .memory = 400 * kMebibyte});
}

TEST(CostlyOnnx, X18_AGraphOf600000NodesTakesLittle) {
  OnnxBuilder model;
  model.Input("0", {1, 3});
  const int64_t count = Many(600'000);
  for (int64_t i = 0; i < count; ++i) {
    model.Node(i % 2 == 0 ? "Relu" : "Tanh", {std::to_string(i)},
               {std::to_string(i + 1)});
  }
  model.Weight("w", {3, 2}, Counting(6));
  model.Node("MatMul", {std::to_string(count), "w"}, {"end"});
  model.Output("end");
  ExpectShown(model.Bytes(), {.exit_code = kOk, .memory = 500'000'000});
}

TEST(CostlyOnnx, O03_TwoGibibytesAreRefusedWithAHint) {
  const TempDir folder;
  WriteSparse(folder, "in.onnx", SmallMlp().Bytes(), uintmax_t{1} << 31);
  ExpectTrial(folder, {.args = {"inspect", "in.onnx"},
                       .file = "in.onnx",
                       .exit_code = kBad,
                       .says = {"2 GiB", "external data"}});
}

}  // namespace
}  // namespace rebasin
