// ONNX files that break rules, and some that only look as if they did.

#include <functional>

#include "support/bad_input.h"
#include "support/onnx_models.h"
#include "support/wire.h"

namespace rebasin {
namespace {

using onnx::TensorProto;

constexpr auto kBad = ErrorCode::kBadInput;
constexpr auto kUnsupported = ErrorCode::kUnsupported;
constexpr auto kLimit = ErrorCode::kLimit;

// A row that changes the small model.
InputRow Changed(std::string name, std::function<void(OnnxBuilder&)> change,
                 std::optional<ErrorCode> error,
                 std::vector<std::string> says = {}) {
  return {std::move(name),
          [change = std::move(change)] {
            OnnxBuilder builder = SmallMlp();
            change(builder);
            return builder.Bytes();
          },
          error, std::move(says)};
}

InputRow Raw(std::string name, std::string bytes,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {std::move(name), [bytes = std::move(bytes)] { return bytes; }, error,
          std::move(says)};
}

// One that takes a while to make.
InputRow Made(std::string name, std::function<std::string()> make,
              std::optional<ErrorCode> error,
              std::vector<std::string> says = {}) {
  return {std::move(name), std::move(make), error, std::move(says)};
}

std::string RandomBytes() {
  std::string bytes;
  uint32_t state = 1;
  for (int i = 0; i < 500; ++i) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

std::string GraphOf(const std::string& fields) {
  return "\x08\x08" + Wrap('\x3A', fields);
}

// Graphs in attributes of nodes of graphs. Innermost first, so that each byte
// is copied once a level only.
std::string Nested(int levels) {
  std::string graph;
  for (int i = 0; i < levels; ++i) {
    graph = Wrap('\x0A', Wrap('\x2A', Wrap('\x32', graph)));
  }
  return GraphOf(graph);
}

std::string Times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string Truncated(size_t cut) {
  std::string bytes = SmallMlp().Bytes();
  bytes.resize(bytes.size() - cut);
  return bytes;
}

void AddWireRows(std::vector<InputRow>& rows) {
  rows.push_back(Raw("O01_Empty", "", kBad, {"empty"}));
  rows.push_back(Raw("O01_RandomBytes", RandomBytes(), kBad));
  rows.push_back(Raw("O01_TruncatedByOne", Truncated(1), kBad, {"at byte"}));
  rows.push_back(Raw("O01_TruncatedByHalf", Truncated(200), kBad));
  rows.push_back(Raw("O01_OverlongNumber",
                     "\x08" + std::string(11, '\xFF') + "\x01", kBad,
                     {"more than 10 bytes"}));
  rows.push_back(Raw("O01_FieldBeyondTheEnd", "\x08\x08\x3A\x7F\x0A", kBad,
                     {"field 7 takes 127 bytes, but only 1 follow"}));
  rows.push_back(
      Raw("O01_Group", "\x08\x08\x0B", kBad, {"wire type 3", "at byte 2"}));
  rows.push_back(Raw("O01_FieldZero", std::string("\x08\x08\x02\x00", 4), kBad,
                     {"the tag of a field is invalid"}));
  rows.push_back(Raw("O01_NoGraph", "\x08\x08", kBad, {"no graph"}));
  rows.push_back(Raw("O01_Zip", "PK\x03\x04 archive", kBad, {"a zip archive"}));
  rows.push_back(Made("O02_DeepNesting", [] { return Nested(10'000); }, kLimit,
                      {"levels of nesting"}));
  rows.push_back(Raw("O02_NestingAboveTheLimit", Nested(34), kLimit));
  const std::string node("\x0A\x00", 2);
  rows.push_back(Made("O02_TooManyMessages",
                      [=] { return GraphOf(Times(node, 2'000'001)); }, kLimit,
                      {"nodes, tensors"}));
  rows.push_back(
      Made("O02_TooManyInputs",
           [=] { return GraphOf(Wrap('\x0A', Times(node, 2'000'001))); },
           kLimit, {"nodes, tensors"}));
}

TensorProto& First(OnnxBuilder& b) { return *b.graph().mutable_initializer(0); }

void AddTensorRows(std::vector<InputRow>& rows) {
  rows.push_back(Changed("O09_NegativeSize",
                         [](auto& b) { First(b).set_dims(0, -5); }, kBad,
                         {"fc1.weight", "[-5, 3]"}));
  rows.push_back(Changed("O09_SizeOverflows",
                         [](auto& b) {
                           First(b).set_dims(0, int64_t{1} << 40);
                           First(b).set_dims(1, int64_t{1} << 40);
                         },
                         kBad, {"fc1.weight", "is negative or too large"}));
  rows.push_back(Changed("O09_HugeWithoutData",
                         [](auto& b) {
                           First(b).set_dims(0, int64_t{1} << 40);
                           First(b).clear_raw_data();
                         },
                         kBad, {"has 0 bytes of data"}));
  rows.push_back(Changed("O09_ManyDimensions",
                         [](auto& b) {
                           for (int i = 0; i < 15; ++i) First(b).add_dims(1);
                         },
                         kLimit, {"17 dimensions"}));
  rows.push_back(
      Changed("O09_TypeUndefined",
              [](auto& b) { First(b).set_data_type(TensorProto::UNDEFINED); },
              kBad, {"fc1.weight", "no element type"}));
  rows.push_back(
      Changed("O09_TypeString",
              [](auto& b) { First(b).set_data_type(TensorProto::STRING); },
              kUnsupported, {"STRING"}));
  rows.push_back(Changed("O09_TypeUnknown",
                         [](auto& b) { First(b).set_data_type(9999); },
                         kUnsupported, {"9999"}));
  rows.push_back(
      Changed("O09_TypeComplex",
              [](auto& b) { First(b).set_data_type(TensorProto::COMPLEX64); },
              kUnsupported, {"COMPLEX64"}));
  rows.push_back(Changed("O09_DataTooShort",
                         [](auto& b) { First(b).set_raw_data("1234"); }, kBad,
                         {"has 4 bytes of data", "takes 60"}));
  rows.push_back(Changed("O09_DataTwice",
                         [](auto& b) { First(b).add_float_data(1); }, kBad,
                         {"data in two fields"}));
  rows.push_back(Changed(
      "O09_ElementOutOfRange",
      [](auto& b) {
        b.Tensor("half", {1}, TensorProto::FLOAT16).add_int32_data(70000);
      },
      kBad, {"half", "70000"}));
  rows.push_back(Changed("O09_NoName", [](auto& b) { First(b).clear_name(); },
                         kBad, {"no name"}));
  rows.push_back(Changed("O09_NameTwice",
                         [](auto& b) { First(b).set_name("fc2.bias"); }, kBad,
                         {"fc2.bias", "twice"}));
  rows.push_back(
      Changed("O09_LongName",
              [](auto& b) { First(b).set_name(std::string(5000, 'x')); },
              kLimit, {"too long"}));
  rows.push_back(Changed(
      "O09_Sparse",
      [](auto& b) {
        b.graph().add_sparse_initializer()->mutable_values()->set_name("s");
      },
      kUnsupported, {"sparse"}));
  rows.push_back(Changed("O09_Segment",
                         [](auto& b) { First(b).mutable_segment(); },
                         kUnsupported, {"segments"}));
}

// One with external data, which is not there.
InputRow External(std::string name, const char* key, const char* value,
                  std::optional<ErrorCode> error,
                  std::vector<std::string> says) {
  return Changed(
      std::move(name),
      [key, value](auto& b) {
        First(b).clear_raw_data();
        SetExternal(First(b), key, value);
        if (std::string(key) != "location") {
          SetExternal(First(b), "location", "absent.bin");
        }
      },
      error, std::move(says));
}

void AddExternalRows(std::vector<InputRow>& rows) {
  const auto kIo = ErrorCode::kIo;
  rows.push_back(External("O04_Absolute", "location", "/etc/hostname", kBad,
                          {"fc1.weight", "beneath the folder"}));
  rows.push_back(
      External("O04_Climbs", "location", "junk/../../x", kBad, {"without .."}));
  rows.push_back(External("O04_Empty", "location", "", kBad, {"no location"}));
  rows.push_back(
      External("O04_Folder", "location", "folder/", kBad, {"beneath"}));
  rows.push_back(External("O05_Missing", "location", "absent.bin", kIo,
                          {"fc1.weight", "absent.bin"}));
  rows.push_back(
      External("O06_NegativeOffset", "offset", "-1", kBad, {"\"-1\""}));
  rows.push_back(
      External("O06_OffsetInLetters", "offset", "ten", kBad, {"ten"}));
  rows.push_back(
      External("O06_LengthWithRest", "length", "60x", kBad, {"60x"}));
  rows.push_back(External("O06_LengthTooLarge", "length",
                          "99999999999999999999", kBad, {"length"}));
}

void AddGraphRows(std::vector<InputRow>& rows) {
  rows.push_back(Changed(
      "OK_SmallModel", [](auto&) {}, std::nullopt));
  rows.push_back(Changed(
      "O11_InputThatNothingProduces",
      [](auto& b) { b.graph().mutable_node(1)->set_input(0, "nobody"); }, kBad,
      {"nobody", "no node produces"}));
  rows.push_back(
      Changed("O11_OutputThatNothingProduces",
              [](auto& b) { b.graph().mutable_output(0)->set_name("nobody"); },
              kBad, {"nobody", "no node produces"}));
  rows.push_back(Changed(
      "O11_Cycle",
      [](auto& b) { b.graph().mutable_node(0)->set_input(0, "output"); }, kBad,
      {"depends on its own output"}));
  rows.push_back(
      Changed("O11_MadeTwice",
              [](auto& b) { b.graph().mutable_node(1)->set_output(0, "h"); },
              kBad, {"produced twice"}));
  rows.push_back(Changed("O11_InputTwice",
                         [](auto& b) { b.Input("input", {1}); }, kBad,
                         {"input", "twice"}));
  rows.push_back(
      Changed("O11_NoOperator",
              [](auto& b) { b.graph().mutable_node(1)->clear_op_type(); }, kBad,
              {"no operator"}));
  rows.push_back(Changed(
      "O11_MoreInputsThanTheOperatorHas",
      [](auto& b) { b.graph().mutable_node(1)->add_input("fc2.weight"); }, kBad,
      {"Relu", "input 2", "at most 1"}));
  rows.push_back(Changed("O11_ConstantWithoutValue",
                         [](auto& b) { b.Node("Constant", {}, {"c"}); }, kBad,
                         {"no value"}));
  rows.push_back(Changed("O11_InputOfUnknownRank",
                         [](auto& b) {
                           auto& type =
                               *b.graph().mutable_input(0)->mutable_type();
                           type.mutable_tensor_type()->clear_shape();
                         },
                         kUnsupported, {"input", "rank"}));
  rows.push_back(Changed("O11_InputOfNegativeSize",
                         [](auto& b) {
                           auto& type =
                               *b.graph().mutable_input(0)->mutable_type();
                           type.mutable_tensor_type()
                               ->mutable_shape()
                               ->mutable_dim(1)
                               ->set_dim_value(-3);
                         },
                         kBad, {"-3"}));
  rows.push_back(
      Changed("O13_OldOpset",
              [](auto& b) { b.model.mutable_opset_import(0)->set_version(6); },
              kUnsupported, {"opset 6"}));
  rows.push_back(Changed(
      "O13_NewOpset",
      [](auto& b) { b.model.mutable_opset_import(0)->set_version(99); },
      std::nullopt));
  rows.push_back(Changed(
      "O13_UnknownOperator",
      [](auto& b) { b.graph().mutable_node(1)->set_op_type("Whatever"); },
      std::nullopt));
}

}  // namespace

OnnxBuilder Body(const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs) {
  OnnxBuilder body;
  for (const std::string& name : inputs) body.Input(name, {});
  for (const std::string& name : outputs) body.Output(name);
  return body;
}

void SetBody(onnx::NodeProto& node, const std::string& name,
             const OnnxBuilder& body) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->CopyFrom(body.model.graph());
}

// Goes round as often as `trips` says, and changes nothing.
void AddLoop(OnnxBuilder& b, int64_t trips) {
  TensorProto& most = b.Tensor("trips", {}, TensorProto::INT64);
  most.add_int64_data(trips);
  auto& node = b.Node("Loop", {"trips", "", "input"}, {"around"});
  SetBody(node, "body", Body({"trip", "still", "before"}, {"still", "before"}));
}

// Branches within branches.
OnnxBuilder Branches(int levels) {
  OnnxBuilder body;
  if (levels == 0) {
    body.Node("Identity", {"input"}, {"r0"});
  } else {
    const std::string name = "r" + std::to_string(levels);
    auto& node = body.Node("If", {"flag"}, {name});
    SetBody(node, "then_branch", Branches(levels - 1));
    SetBody(node, "else_branch", Body({}, {"input"}));
  }
  body.Output("r" + std::to_string(levels));
  return body;
}

void AddBranches(OnnxBuilder& b, int levels) {
  b.Tensor("flag", {}, TensorProto::BOOL).add_int32_data(1);
  auto& node = b.Node("If", {"flag"}, {"chosen"});
  SetBody(node, "then_branch", Branches(levels));
  SetBody(node, "else_branch", Body({}, {"input"}));
}

void AddControlRows(std::vector<InputRow>& rows) {
  rows.push_back(Changed(
      "O12_LoopOfManyTrips",
      [](OnnxBuilder& b) { AddLoop(b, int64_t{1} << 40); }, std::nullopt));
  rows.push_back(Changed(
      "O12_LoopOfSomeTrips", [](OnnxBuilder& b) { AddLoop(b, 3); },
      std::nullopt));
  rows.push_back(Changed(
      "O12_LoopOfNegativeTrips", [](OnnxBuilder& b) { AddLoop(b, -3); },
      std::nullopt));
  rows.push_back(Changed("O12_LoopWithoutBody",
                         [](OnnxBuilder& b) {
                           b.Node("Loop", {"", "", "input"}, {"around"});
                         },
                         kBad, {"no body, or one that does not match"}));
  // Counted while reading, and when run.
  for (const char* trips : {"trips", "rounds"}) {
    rows.push_back(
        Changed("O12_LoopWithNamelessOutput_" + std::string(trips),
                [=](OnnxBuilder& b) {
                  b.Tensor("trips", {}, TensorProto::INT64).add_int64_data(3);
                  b.Input("rounds", {1});
                  auto& node = b.Node("Loop", {trips, "", "input"}, {"around"});
                  SetBody(node, "body",
                          Body({"trip", "still", "before"}, {"still", ""}));
                },
                kBad, {"an output has no name"}));
    rows.push_back(Changed(
        "O12_LoopThatStartsWithNothing_" + std::string(trips),
        [=](OnnxBuilder& b) {
          b.Tensor("trips", {}, TensorProto::INT64).add_int64_data(3);
          b.Input("rounds", {1});
          auto& node = b.Node("Loop", {trips, "", ""}, {"around"});
          SetBody(node, "body",
                  Body({"trip", "still", "before"}, {"still", "before"}));
        },
        kBad, {"lacks the initial value of a carried input"}));
  }
  rows.push_back(Changed(
      "O12_BranchesWithinBranches", [](OnnxBuilder& b) { AddBranches(b, 20); },
      std::nullopt));
  rows.push_back(Changed("O12_BranchesWithinTooManyBranches",
                         [](OnnxBuilder& b) { AddBranches(b, 40); }, kLimit,
                         {"levels of nesting"}));
  rows.push_back(Changed("O12_IfWithoutElse",
                         [](OnnxBuilder& b) {
                           auto& node = b.Node("If", {"input"}, {"chosen"});
                           SetBody(node, "then_branch", Body({}, {"input"}));
                         },
                         kBad, {"no else_branch, or one that does not match"}));
  rows.push_back(Changed("O12_BranchThatGivesWhatIsNotThere",
                         [](OnnxBuilder& b) {
                           auto& node = b.Node("If", {"input"}, {"chosen"});
                           SetBody(node, "then_branch", Body({}, {"input"}));
                           SetBody(node, "else_branch", Body({}, {"nothing"}));
                         },
                         kBad, {"no node produces"}));
  rows.push_back(Changed(
      "O12_SequenceOutOfRange",
      [](OnnxBuilder& b) {
        b.Tensor("far", {}, TensorProto::INT64)
            .add_int64_data(int64_t{1} << 60);
        b.Node("SequenceConstruct", {"input"}, {"sequence"});
        b.Node("SequenceAt", {"sequence", "far"}, {"item"});
      },
      std::nullopt));
}

std::vector<InputRow> OnnxRows() {
  std::vector<InputRow> rows;
  AddWireRows(rows);
  AddTensorRows(rows);
  AddExternalRows(rows);
  AddGraphRows(rows);
  AddControlRows(rows);
  return rows;
}

}  // namespace rebasin
