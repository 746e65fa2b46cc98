#include "onnx/model_file.h"

#include <algorithm>
#include <limits>
#include <set>

#include "formats/limits.h"
#include "formats/sniff.h"
#include "onnx/names.h"
#include "onnx/wire.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// Before opset 7, element-wise operators had their own rules for broadcasting.
constexpr int64_t kOldestOpset = 7;
constexpr int64_t kNewestOpset = 21;
constexpr int64_t kOpsetOfGraphs = 18;  // see rebasin/graph.h
constexpr int64_t kOpsetIfUnstated = 9;

std::string FirstOutput(const onnx::NodeProto& node) {
  return node.output_size() == 0 ? "" : node.output(0);
}

}  // namespace

bool IsOwnDomain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

ModelFile::ModelFile(const fs::path& path, const OnnxOptions& options,
                     std::vector<std::string>& warnings)
    : source_(Quoted(path.native())),
      warnings_(warnings),
      file_(MappedFile::Open(path)),
      external_(path, options) {
  Parse(file_->bytes());
}

ModelFile::ModelFile(std::span<const std::byte> bytes, const std::string& name,
                     const OnnxOptions& options,
                     std::vector<std::string>& warnings)
    : source_(Quoted(name)), warnings_(warnings), external_({}, options) {
  Parse(bytes);
}

void ModelFile::DropNodes() {
  auto& nodes = *model_->mutable_graph()->mutable_node();
  int kept = 0;
  for (int n = 0; n < nodes.size(); ++n) {
    const auto& attributes = nodes[n].attribute();
    const bool holds_tensors = std::any_of(
        attributes.begin(), attributes.end(), [](const auto& attribute) {
          return attribute.has_t() || attribute.has_g() ||
                 attribute.tensors_size() > 0 || attribute.graphs_size() > 0;
        });
    if (holds_tensors) nodes.SwapElements(n, kept++);
  }
  nodes.DeleteSubrange(kept, nodes.size() - kept);
}

Error ModelFile::Bad(const std::string& what) const {
  return Error(ErrorCode::kBadInput, source_ + ": " + what);
}

void ModelFile::Parse(std::span<const std::byte> bytes) {
  ParseMessage(bytes);
  ReadOpset();
  ReadInitializers();
  SeparateCopies();
  ReadEmbedded();
}

void ModelFile::ParseMessage(std::span<const std::byte> bytes) {
  if (bytes.empty()) throw Bad("the file is empty");
  if (const auto kind = SniffWrongKind(bytes)) {
    throw Error(ErrorCode::kBadInput,
                source_ + " looks like " + kind->name + ", not ONNX",
                kind->hint);
  }
  if (bytes.size() > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::kUnsupported,
                source_ + ": ONNX models are limited to 2 GiB; this file has " +
                    std::to_string(bytes.size()) + " bytes",
                "store the weights as external data");
  }
  CheckWire(bytes, source_);
  const auto model = std::make_shared<onnx::ModelProto>();
  if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Bad("not a valid ONNX model");
  }
  if (!model->has_graph()) throw Bad("not an ONNX model: it has no graph");
  model_ = model;
}

void ModelFile::ReadOpset() {
  opset_ = kOpsetIfUnstated;
  bool stated = false;
  for (const auto& import : model_->opset_import()) {
    if (!IsOwnDomain(import.domain())) continue;
    opset_ = import.version();
    stated = true;
  }
  if (!stated) Warn("has no opset; read as opset 9");
  if (opset_ < kOldestOpset) {
    throw Error(
        ErrorCode::kUnsupported,
        source_ + ": opset " + std::to_string(opset_) + " is older than 7",
        "convert the model to a newer opset");
  }
  if (opset_ <= kNewestOpset) return;
  Warn("opset " + std::to_string(opset_) + " is unknown; treated as opset " +
       std::to_string(kOpsetOfGraphs));
  opset_ = kOpsetOfGraphs;
}

void ModelFile::ReadInitializers() {
  const auto& protos = graph().initializer();
  if (static_cast<size_t>(protos.size()) > kMaxTensors) {
    throw Error(ErrorCode::kLimit, source_ + ": more than " +
                                       std::to_string(kMaxTensors) +
                                       " initializers");
  }
  if (graph().sparse_initializer_size() > 0) {
    const auto& sparse = graph().sparse_initializer(0);
    throw Error(
        ErrorCode::kUnsupported,
        source_ + ": tensor " + Quoted(sparse.values().name()) + " is sparse");
  }
  std::set<std::string_view> names;
  initializers_.reserve(static_cast<size_t>(protos.size()));
  for (const auto& proto : protos) {
    if (proto.name().empty()) throw Bad("an initializer has no name");
    initializers_.push_back(Read(proto));
    if (names.insert(proto.name()).second) continue;
    throw Bad("initializer " + Quoted(proto.name()) + " occurs twice");
  }
}

// PyTorch stores weights once that are equal at the time of export, and writes
// the others as an Identity of it. They are still separate weights: equal
// numbers in untrained norms must not tie layers together.
void ModelFile::SeparateCopies() {
  first_copy_ = initializers_.size();
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < initializers_.size(); ++i) {
    index.emplace(initializers_[i].name, i);
  }
  // Identities of inputs and outputs of the graph remain.
  std::set<std::string> outputs;
  for (const auto& value : graph().output()) outputs.insert(value.name());
  for (const std::string& name : outputs) index.erase(name);
  for (const auto& value : graph().input()) index.erase(value.name());
  auto& nodes = *model_->mutable_graph()->mutable_node();
  int kept = 0;
  for (int n = 0; n < nodes.size(); ++n) {
    if (!outputs.contains(FirstOutput(nodes[n])) &&
        SeparateCopy(nodes[n], index)) {
      continue;
    }
    if (n != kept) nodes.SwapElements(n, kept);
    ++kept;
  }
  nodes.DeleteSubrange(kept, nodes.size() - kept);
}

bool ModelFile::SeparateCopy(const onnx::NodeProto& node,
                             std::map<std::string, size_t>& index) {
  const bool identity = node.op_type() == "Identity" &&
                        IsOwnDomain(node.domain()) && node.input_size() == 1 &&
                        node.output_size() == 1;
  if (!identity || node.output(0).empty() || IsAnonymous(node.output(0))) {
    return false;
  }
  const auto found = index.find(node.input(0));
  if (found == index.end() || index.contains(node.output(0)) ||
      initializers_.size() >= kMaxTensors) {
    return false;
  }
  Tensor copy = initializers_[found->second];
  if (!IsArithmetic(copy.dtype)) return false;
  copy.name = node.output(0);
  index.emplace(copy.name, initializers_.size());
  onnx::TensorProto& proto = *model_->mutable_graph()->add_initializer();
  proto.set_name(copy.name);
  proto.set_data_type(
      graph().initializer(static_cast<int>(found->second)).data_type());
  for (int64_t size : copy.shape) proto.add_dims(size);
  initializers_.push_back(std::move(copy));
  return true;
}

void ModelFile::ReadEmbedded() {
  first_embedded_ = initializers_.size();
  embedded_ = FindEmbedded(*model_->mutable_graph(), source_);
  for (const EmbeddedTensor& embedded : embedded_) {
    embedded_index_.emplace(embedded.proto, initializers_.size());
    initializers_.push_back(Read(*embedded.proto));
    initializers_.back().name = embedded.name;
  }
}

onnx::TensorProto& ModelFile::mutable_proto(size_t initializer) {
  if (initializer >= first_embedded_) {
    return *embedded_[initializer - first_embedded_].proto;
  }
  return *model_->mutable_graph()->mutable_initializer(
      static_cast<int>(initializer));
}

std::optional<size_t> ModelFile::FindEmbeddedIn(
    const onnx::TensorProto& proto) const {
  const auto found = embedded_index_.find(&proto);
  if (found == embedded_index_.end()) return std::nullopt;
  return found->second;
}

Tensor ModelFile::Read(const onnx::TensorProto& tensor) {
  return ReadTensor(tensor, {source_, model_, external_, warnings_});
}

std::vector<std::shared_ptr<const MappedFile>> ModelFile::files() const {
  auto files = external_.files();
  if (file_) files.push_back(file_);
  return files;
}

}  // namespace rebasin
