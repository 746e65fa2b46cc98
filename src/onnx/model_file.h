// An .onnx file, parsed, with its tensors read and its graph not yet converted.

#ifndef REBASIN_ONNX_MODEL_FILE_H_
#define REBASIN_ONNX_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.h"
#include "onnx/embedded.h"
#include "onnx/external_files.h"
#include "onnx/onnx.h"
#include "onnx/proto.h"
#include "onnx/tensor_data.h"
#include "onnx/warnings.h"
#include "rebasin/error.h"

namespace rebasin {

class ModelFile {
 public:
  // Appends to `warnings`, which must outlive the file.
  ModelFile(const std::filesystem::path& path, const OnnxOptions& options,
            std::vector<std::string>& warnings);
  // A model in memory; the bytes are not needed afterwards.
  ModelFile(std::span<const std::byte> bytes, const std::string& name,
            const OnnxOptions& options, std::vector<std::string>& warnings);

  const onnx::ModelProto& model() const { return *model_; }
  // For writing a changed model. A change invalidates the data of the
  // initializers concerned.
  onnx::ModelProto& mutable_model() { return *model_; }
  const onnx::GraphProto& graph() const { return model_->graph(); }
  const std::string& source() const { return source_; }  // for messages
  int64_t opset() const { return opset_; }  // of ONNX's own operators
  // The initializers in the order of graph().initializer(), then the embedded
  // tensors (see embedded.h). All names are distinct and not empty.
  const std::vector<Tensor>& initializers() const { return initializers_; }
  // Whether this initializer was the output of an Identity of another
  // initializer. It shares that one's bytes, and its message in graph() has no
  // data.
  bool is_copy(size_t initializer) const {
    return initializer >= first_copy_ && initializer < first_embedded_;
  }
  // Whether this initializer is the value of a Constant node.
  bool is_constant_node(size_t initializer) const {
    return initializer >= first_embedded_ &&
           embedded_[initializer - first_embedded_].is_constant_node;
  }
  // The name of the value that it defines in its graph or body.
  const std::string& value_name(size_t initializer) const {
    return initializer < first_embedded_
               ? initializers_[initializer].name
               : embedded_[initializer - first_embedded_].value;
  }
  // The message of this initializer.
  onnx::TensorProto& mutable_proto(size_t initializer);
  // The initializer with this message, if any.
  std::optional<size_t> FindEmbeddedIn(const onnx::TensorProto& proto) const;
  // Reads a tensor of the graph, or of an attribute in it.
  Tensor Read(const onnx::TensorProto& tensor);
  void Warn(const std::string& what) {
    AddWarning(warnings_, source_ + ": " + what);
  }
  Error Bad(const std::string& what) const;
  // Removes the nodes that have no tensors, since tensors keep the whole
  // message alive, which is large for a graph with many nodes. The graph must
  // not be used afterwards.
  void DropNodes();
  // The model's own file, if it has one, and its external files.
  std::vector<std::shared_ptr<const MappedFile>> files() const;

 private:
  void Parse(std::span<const std::byte> bytes);
  void ParseMessage(std::span<const std::byte> bytes);
  void ReadOpset();
  void ReadInitializers();
  void SeparateCopies();
  void ReadEmbedded();
  bool SeparateCopy(const onnx::NodeProto& node,
                    std::map<std::string, size_t>& index);

  std::string source_;
  std::vector<std::string>& warnings_;
  std::shared_ptr<const MappedFile> file_;  // null: in memory
  std::shared_ptr<onnx::ModelProto> model_;
  ExternalFiles external_;
  int64_t opset_ = 0;
  std::vector<Tensor> initializers_;
  size_t first_copy_ = 0;
  std::vector<EmbeddedTensor> embedded_;
  std::map<const onnx::TensorProto*, size_t> embedded_index_;
  size_t first_embedded_ = 0;
};

// Whether the domain is that of ONNX's own operators.
bool IsOwnDomain(const std::string& domain);

}  // namespace rebasin

#endif  // REBASIN_ONNX_MODEL_FILE_H_
