#include "support/bad_input.h"
#include "support/torch_files.h"

namespace rebasin {
namespace {

using enum ErrorCode;
using namespace pickled;

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

// An archive with this program, and the storage that sound ones have.
std::string Running(const std::string& opcodes) {
  return TorchArchive(Program(opcodes), {{"0", SixFloats()}});
}

std::string Holding(const std::vector<Item>& items) {
  return Running(OrderedDict(items));
}

std::string Viewing(const View& view) {
  return Holding({{Text("w"), TensorOf(view)}});
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

const std::string kSystem = Call(Global("os", "system"), Tuple({Text("true")}));

std::vector<InputRow> SoundRows() {
  const std::string w = TensorOf();
  return {
      Row("P01_Legacy", SoundLegacyTorch(), std::nullopt),
      Row("P00_Archive", SoundTorchArchive(), std::nullopt),
      Row("P00_PlainDict", Running(Dict({{Text("w"), w}})), std::nullopt),
      Row("P00_Attributes",
          Running(OrderedDict({{Text("w"), w}}) +
                  Dict({{Text("_metadata"), OrderedDict({})}}) + "b"),
          std::nullopt),
      Row("P00_Parameter",
          Holding({{Text("w"),
                    Call(Global("torch._utils", "_rebuild_parameter"),
                         Tuple({w, "\x88",
                                Call(Global("collections", "OrderedDict"),
                                     ")")}))}}),
          std::nullopt),
      Row("P00_Memo",
          Running(OrderedDict({{Text("w") + "q\x01", w + "r" + Little(2, 4)},
                               {Text("v"), "j" + Little(2, 4)}})),
          std::nullopt),
      Row("P29_Tied", Holding({{Text("a"), w}, {Text("b"), w}}), std::nullopt),
      Row("P30_Prefix", Holding({{Text("module.a"), w}}), std::nullopt),
      Row("P33_BigEndian",
          TorchArchive(Program(OrderedDict({{Text("w"), w}})),
                       {{"0", SixFloats()}},
                       {{.name = "model/byteorder", .content = "big"}}),
          std::nullopt),
  };
}

std::vector<InputRow> ContainerRows() {
  const std::string sound = SoundTorchArchive();
  const std::string program = Program(OrderedDict({{Text("w"), TensorOf()}}));
  const std::string legacy = SoundLegacyTorch();
  return {
      Row("P01_OtherPickle", Program(Int(1)), kUnsupported,
          {"not of torch.save"}),
      Row("P01_LegacyCut", legacy.substr(0, legacy.size() - 1), kBadInput,
          {"cut short"}),
      Row("P01_LegacyMore", legacy + "x", kBadInput,
          {"1 bytes follow the last storage"}),
      Row("P01_LegacyStorageMissing", LegacyTorch(program, {}), kBadInput,
          {"storage \"0\" is missing"}),
      Row("P01_LegacyUnknownStorage",
          LegacyTorch(program, {{"1", SixFloats()}}), kBadInput,
          {"nothing refers to storage \"1\""}),
      Row("P01_LegacyStorageTwice",
          LegacyTorch(program, {{"0", SixFloats()}, {"0", SixFloats()}}),
          kBadInput, {"there twice"}),
      Row("P01_Tar", "sys_info" + std::string(249, '\0') + "ustar  ", kBadInput,
          {"a tar archive", "torch >= 1.6"}),
      Row("P02_TorchScript",
          TorchArchive(program, {{"0", SixFloats()}},
                       {{.name = "model/code/m.py", .content = "x = 1"},
                        {.name = "model/constants.pkl", .content = "x"}}),
          kUnsupported, {"TorchScript", "state_dict"}),
      Row("P03_Cut", sound.substr(0, sound.size() / 2), kBadInput,
          {"truncated archive"}),
      Row("P10_Checksum",
          MakeZip({{.name = "model/data.pkl", .content = program},
                   {.name = "model/data/0",
                    .content = SixFloats(),
                    .crc = 0x12345678}}),
          kBadInput, {"model/data/0", "checksum"}),
      Row("P10_ChecksumOfThePickle",
          MakeZip({{.name = "model/data.pkl", .content = program, .crc = 7},
                   {.name = "model/data/0", .content = SixFloats()}}),
          kBadInput, {"model/data.pkl", "checksum"}),
      Row("P12_NoPickle",
          MakeZip({{.name = "model/constants.pkl", .content = "x"}}), kBadInput,
          {"no entries are called data.pkl"}),
      Row("P12_TwoPickles",
          TorchArchive(program, {{"0", SixFloats()}},
                       {{.name = "other/data.pkl", .content = program}}),
          kBadInput, {"2 entries are called data.pkl"}),
      Row("P13_LongPickle",
          MakeZip({{.name = "model/data.pkl",
                    .content = std::string(100'000, 'x'),
                    .deflated = true,
                    .size = 65 << 20}}),
          kLimit, {"model/data.pkl", "68157440 bytes", "67108864"}),
      Row("P25_StorageMissing", TorchArchive(program, {}), kBadInput,
          {"model/data/0", "missing"}),
      Row("P26_StorageShort", TorchArchive(program, {{"0", "12345678"}}),
          kBadInput, {"6 elements of F32 has 8 bytes"}),
      Row("P33_OtherOrder",
          TorchArchive(program, {{"0", SixFloats()}},
                       {{.name = "model/byteorder", .content = "middle"}}),
          kBadInput, {"byte order is \"middle\""}),
  };
}

std::vector<InputRow> PickleRows() {
  const auto raw = [](const std::string& pickle) {
    return TorchArchive(pickle, {{"0", SixFloats()}});
  };
  return {
      Row("P14_Protocol3", raw("\x80\x03]."), kUnsupported, {"protocol 3"}),
      Row("P14_Protocol5", raw("\x80\x05]."), kUnsupported, {"protocol 5"}),
      Row("P14_Protocol4", raw("\x80\x04]."), kUnsupported, {"protocol 4"}),
      Row("P14_NoProtocol", raw("]."), kUnsupported,
          {"does not start with its protocol"}),
      Row("P14_Empty", raw(""), kUnsupported, {"protocol"}),
      Row("P15_Opcode", Running("\x95"), kUnsupported,
          {"opcode 0x95 at byte 2"}),
      Row("P15_TextOpcode", Running("I1\n"), kUnsupported, {"opcode 0x49"}),
      Row("P16_System", Running(kSystem), kUnsupported, {"\"os.system\""}),
      Row("P16_Eval", Running(Global("builtins", "eval")), kUnsupported,
          {"\"builtins.eval\""}),
      Row("P16_Numpy", Running(Global("numpy.core.multiarray", "_reconstruct")),
          kUnsupported, {"numpy.core.multiarray._reconstruct"}),
      Row("P16_NameAcrossLines", Running("cos\x1b\nsystem\n"), kUnsupported,
          {"os\\u001b.system"}),
      Row("P17_ReduceText", Running(Text("x") + ")R"), kUnsupported,
          {"not a known function"}),
      Row("P17_ReduceConstant",
          Running(Call(Global("torch", "FloatStorage"), ")")), kUnsupported,
          {"not a known function"}),
      Row("P17_ReduceWithoutTuple",
          Running(Global("torch", "Size") + Int(1) + "R"), kUnsupported,
          {"not a known function"}),
      Row("P17_BuildTensor", Running(TensorOf() + "}b"), kUnsupported,
          {"not a dictionary"}),
      Row("P17_BuildWithTuple", Running("})b"), kUnsupported,
          {"attributes that are not a dictionary"}),
      Row("P17_AppendToDict", Running("}" + Int(1) + "a"), kUnsupported,
          {"not a list"}),
      Row("P18_Underflow", Running("R"), kBadInput, {"stack is empty"}),
      Row("P18_BelowMark", Running(Int(1) + "(0"), kBadInput,
          {"stack is empty"}),
      Row("P18_NoMark", Running("t"), kBadInput, {"no mark"}),
      Row("P18_MarkLeft", Running("]("), kBadInput, {"mark is left"}),
      Row("P18_TwoObjects", Running("]]"), kBadInput, {"2 objects"}),
      Row("P18_NoObject", Running(""), kBadInput, {"0 objects"}),
      Row("P18_NoStop", raw("\x80\x02]"), kBadInput, {"no end"}),
      Row("P18_AfterStop", raw(Program("]") + "x"), kBadInput,
          {"1 bytes follow"}),
      Row("P18_KeyWithoutValue", Running("}(" + Int(1) + "u"), kBadInput,
          {"a key has no value"}),
      Row("P18_NeverKept", Running("h\x01"), kBadInput,
          {"memo entry is missing"}),
      Row("P18_KeptNothing", Running("q\x01"), kBadInput, {"stack is empty"}),
      Row("P18_LineWithoutEnd", Running("cos"), kBadInput, {"no end"}),
      Row("P21_TextBeyondTheEnd", Running("X\xff\xff\xff\x7f"), kBadInput,
          {"cut short"}),
      Row("P21_KeyNotUtf8", Holding({{Text("w\xff"), TensorOf()}}), kBadInput,
          {"not UTF-8"}),
      Row("P21_OldKeyNotUtf8", Holding({{"U\x01\xff", TensorOf()}}), kBadInput,
          {"cannot be called"}),
      Row("P22_DeepBySharing",
          Running("(Nq\x01" + Repeated("h\x01\x85q\x01", 150) + "t"), kLimit,
          {"deeper than 100"}),
      Row("P22_ListInItself", Running("]q\x01h\x01" + std::string("a")), kLimit,
          {"contains itself"}),
      Row("P22_DictInItself",
          Running("}q\x01" + Text("a") + "h\x01" + std::string("s")), kLimit,
          {"contains itself"}),
      Row("P22_NestedTuples", Running(")" + Repeated("\x85", 100000)), kLimit,
          {"nested deeper"}),
      Row("P22_ManyPaths", Running("]" + Repeated("2\x86", 90)), kMismatch,
          {"no tensors"}),
      Row("P23_LongNumber", Running("\x8a\xff" + std::string(255, '\1')),
          kBadInput, {"255 bytes"}),
  };
}

std::vector<InputRow> ObjectRows() {
  const auto id = [](const std::string& id_opcodes) {
    return Holding(
        {{Text("w"), Call(Global("torch._utils", "_rebuild_tensor_v2"),
                          Tuple({id_opcodes + "Q", Int(0), Ints({2, 3}),
                                 Ints({3, 1}), "\x89", "N"}))}});
  };
  const auto other = [](const char* function) {
    return Holding({{Text("w"), Call(Global("torch._utils", function), ")")}});
  };
  const std::string w = TensorOf();
  return {
      Row("P23_NegativeSize", Viewing({.shape = {-2, 3}}), kBadInput,
          {"\"w\"", "no number from 0 on"}),
      Row("P23_NegativeOffset", Viewing({.offset = -1}), kBadInput, {"\"w\""}),
      Row("P23_NegativeElements", Viewing({.elements = -6}), kBadInput,
          {"no storage"}),
      Row("P24_IdIsText", id(Text("0")), kBadInput, {"no storage"}),
      Row("P24_IdIsShort", id(Tuple({Text("storage")})), kBadInput,
          {"no storage"}),
      Row("P24_IdOfAModule",
          id(Tuple({Text("module"), Global("torch", "FloatStorage"), Text("0"),
                    Text("cpu"), Int(6)})),
          kBadInput, {"no storage"}),
      Row("P24_ViewOfAStorage",
          id(Tuple({Text("storage"), Global("torch", "FloatStorage"), Text("0"),
                    Text("cpu"), Int(6), Ints({1, 2})})),
          kUnsupported, {"a part of another"}),
      Row("P26_TwoSizes",
          Holding({{Text("a"), w}, {Text("b"), TensorOf({.elements = 7})}}),
          kBadInput, {"two types or sizes"}),
      Row("P27_BeyondTheStorage", Viewing({.offset = 1}), kBadInput,
          {"reaches beyond the 6 elements"}),
      Row("P27_StridesOverflow", Viewing({.strides = {INT64_MAX, INT64_MAX}}),
          kBadInput, {"reaches beyond"}),
      Row("P27_ShapeOverflows",
          Viewing({.shape = {INT64_MAX, INT64_MAX}, .strides = {0, 0}}),
          kBadInput, {"reaches beyond"}),
      Row("P27_OneStride", Viewing({.strides = {1}}), kBadInput,
          {"2 axes, but 1 strides"}),
      Row("P27_ManyAxes",
          Viewing({.shape = std::vector<int64_t>(17, 1),
                   .strides = std::vector<int64_t>(17, 1)}),
          kLimit, {"16 axes"}),
      Row("P27_RepeatedElements",
          Viewing({.shape = {1000000, 3}, .strides = {0, 1}}), kLimit,
          {"3000000 elements"}),
      Row("P30_Nested",
          Running(Dict({{Text("epoch"), Int(3)},
                        {Text("net"), Dict({{Text("w"), w}})}})),
          std::nullopt),
      Row("P30_TwoDictionaries",
          Running(Dict({{Text("net"), Dict({{Text("w"), w}})},
                        {Text("ema"), Dict({{Text("w"), w}})}})),
          kBadInput, {"--key: net, ema"}),
      Row("P30_NestedTwice",
          Running(
              Dict({{Text("a"), Dict({{Text("b"), Dict({{Text("w"), w}})}})}})),
          std::nullopt),
      Row("P31_NumberAsKey", Holding({{Int(1), w}}), kBadInput,
          {"key of a tensor is no text"}),
      Row("P31_EmptyKey", Holding({{Text(""), w}}), kBadInput,
          {"cannot be called"}),
      Row("P31_KeyTwice", Holding({{Text("w"), w}, {Text("w"), w}}), kBadInput,
          {"occurs twice"}),
      Row("P31_LongKey", Holding({{Text(std::string(5000, 'x')), w}}), kLimit,
          {"5000 bytes"}),
      Row("P32_Sparse", other("_rebuild_sparse_tensor"), kUnsupported,
          {"\"w\" is sparse"}),
      Row("P32_Quantised", other("_rebuild_qtensor"), kUnsupported, {"\"w\""}),
      Row("P32_Meta", other("_rebuild_meta_tensor_no_storage"), kUnsupported,
          {"\"w\"", "without data"}),
      Row("P32_Complex", Viewing({.type = "ComplexFloatStorage"}), kUnsupported,
          {"\"w\"", "ComplexFloatStorage"}),
      Row("P32_NoStorage", other("_rebuild_tensor_v2"), kBadInput,
          {"no storage, offset, shape"}),
      Row("P32_ParameterOfNothing", other("_rebuild_parameter"), kBadInput,
          {"without a tensor"}),
      Row("P34_Module",
          Running(Global("torch.nn.modules.linear", "Linear") + ")\x81"),
          kUnsupported, {"torch.nn.modules.linear.Linear", "state_dict"}),
      Row("P35_Empty", Holding({}), kMismatch, {"holds no tensors"}),
      Row("P35_NoDict", Running("]"), kMismatch, {"holds no tensors"}),
  };
}

// Views that are wrong without an element that would show it.
std::vector<InputRow> ViewRows() {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<std::string> says = {"\"w\"", "reaches beyond the 6"};
  return {
      Row("X02_EmptyShapeOverflows",
          Viewing({.shape = {0, kHuge, kHuge}, .strides = {1, 1, 1}}),
          kBadInput, says),
      Row("X02_StridesOfAnEmptyTensorOverflow",
          Viewing({.shape = {0, 3, 3}, .strides = {1, INT64_MAX, INT64_MAX}}),
          kBadInput, says),
      Row("X02_OffsetOverflows", Viewing({.offset = INT64_MAX}), kBadInput,
          says),
      Row("X02_OffsetOfAnEmptyTensor", Viewing({.shape = {0, 3}, .offset = 7}),
          kBadInput, says),
      // As x[2:] of a 2 x 3 matrix.
      Row("X02_EmptyTensorAtTheEnd", Viewing({.shape = {0, 3}, .offset = 6}),
          std::nullopt),
  };
}

std::string List(const std::vector<std::string>& items) {
  std::string opcodes = "](";
  for (const std::string& item : items) opcodes += item;
  return opcodes + "e";
}

std::string Quantised() {
  return Call(Global("torch._utils", "_rebuild_qtensor"),
              Tuple({StorageId({.type = "QInt8Storage"}), Int(0), Ints({2, 3}),
                     Ints({3, 1})}));
}

// Tensors in containers beside tensors; what is none of either.
std::vector<InputRow> NestedRows() {
  const std::string w = TensorOf();
  const Item first = {Text("w"), w};
  return {
      Row("X09_Nested",
          Holding({first,
                   {Text("list"), List({w, Tuple({w, "N"}), Int(3)})},
                   {Text("dict"), Dict({{Text("a"), w}, {Int(0), w}})}}),
          std::nullopt, {"\"list.1.1\"", "\"list.2\""}),
      Row("X09_List", Running(List({w, w})), std::nullopt),
      Row("X09_OnlyInAList", Running(Dict({{Text("a"), List({w})}})),
          std::nullopt),
      Row("X09_DictionaryOfPython2",
          Running(Call(Global("collections", "OrderedDict"),
                       Tuple({List({List({Text("w"), w})})}))),
          std::nullopt),
      Row("X09_QuantisedLayer",
          Holding({{Text("fc.scale"), w},
                   {Text("fc.packed"), Tuple({Quantised(), w})}}),
          kUnsupported, {"\"fc.packed.0\"", "quantised", "--skip-unsupported"}),
      Row("X09_QuantisedLayersAlone",
          Holding({{Text("fc.packed"), Tuple({Quantised(), w})},
                   {Text("fc.dtype"), Global("torch", "qint8")}}),
          kUnsupported, {"\"fc.packed.0\"", "quantised"}),
      Row("X09_StorageWithoutATensor",
          Holding({first, {Text("s"), StorageId({})}}), kUnsupported,
          {"\"s\" is a storage without a tensor"}),
      Row("X09_SingleTensor", Running(w), kMismatch, {"single tensor"}),
      Row("X09_TensorAsAKey", Holding({first, {w, Int(1)}}), kBadInput,
          {"a tensor is the key"}),
      Row("X09_NoneAsAKey", Holding({first, {Text("a"), Dict({{"N", w}})}}),
          kBadInput, {"no text, in \"a\""}),
      Row("X09_TwoWaysToOneName",
          Holding({{Text("a.b"), w}, {Text("a"), Dict({{Text("b"), w}})}}),
          kBadInput, {"\"a.b\" occurs twice"}),
      Row("X09_TensorInAnAttribute",
          Running(OrderedDict({first}) + Dict({{Text("extra"), w}}) + "b"),
          kUnsupported, {"attribute"}),
      Row("X09_ManyWaysToATensor", Running(w + "\x85" + Repeated("2\x86", 60)),
          kLimit, {"16 times as many"}),
      Row("X09_LongNameOfShortKeys",
          Running(Dict({{Text(std::string(3000, 'a')),
                         List({Dict({{Text(std::string(3000, 'b')), w}})})}})),
          kLimit, {"6003 bytes"}),
  };
}

}  // namespace

std::vector<InputRow> TorchRows() {
  std::vector<InputRow> rows;
  for (const auto& part : {SoundRows(), ContainerRows(), PickleRows(),
                           ObjectRows(), ViewRows(), NestedRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace rebasin
