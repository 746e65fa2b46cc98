#include "python/bindings/models.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/save_model.h"
#include "onnx/format.h"
#include "python/bindings/choices.h"
#include "python/bindings/operation.h"
#include "rebasin/model.h"

namespace rebasin::python {
namespace {

namespace nb = nanobind;

using Strings = std::vector<std::string>;

// The options of opening, as attributes of one object. Names and defaults are
// those of the command line.
struct OpenSettings {
  ModelOptions options = {};

  void SetAllowUncovered(const Strings& patterns, bool all) {
    options.structure.allow_uncovered = all;
    options.structure.uncovered = patterns;
  }
  void SetGraph(const std::string& name, const nb::bytes& onnx) {
    options.structure.graph = {
        .name = name,
        .onnx = std::make_shared<const std::string>(onnx.c_str(), onnx.size())};
  }
};

std::vector<Model> Open(const std::vector<ModelInput>& inputs,
                        const OpenSettings& settings, bool has_base,
                        const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    return OpenInputs(inputs, settings.options, has_base, run);
  });
}

Structure Describe(const OpenSettings& settings, const Settings& how) {
  return RunOperation(how, [&](const Run& run) {
    return DescribeStructure(settings.options.structure, run);
  });
}

// Writes like the command line: the format follows the ending, and .onnx needs
// a file with the graph.
void Save(const Checkpoint& weights, const std::string& path,
          const std::string& graph_from, bool force, int64_t shard_bytes,
          const Settings& how) {
  RunWork(how, [&](const Run& run) {
    const OutputFile output{
        .path = path,
        .write = {.force = force, .shard_bytes = shard_bytes},
        .graph_from = graph_from};
    const Format& format = ModelFormats().For(path);
    CheckOutput(ModelFormats(), format, output, weights);
    WriteOutput(ModelFormats(), format, output, weights, run);
  });
}

void BindOptions(nb::module_& module) {
  nb::class_<OpenSettings>(module, "OpenSettings",
                           "How models are opened; see rebasin::ModelOptions.")
      .def(nb::init<>())
      .def("set_model",
           [](OpenSettings& self, const std::string& model) {
             self.options.structure.model = model;
           })
      .def("set_graph", &OpenSettings::SetGraph, nb::arg("name"),
           nb::arg("onnx"))
      .def("set_spec",
           [](OpenSettings& self, const std::string& spec) {
             self.options.structure.spec = spec;
           })
      .def("set_constant",
           [](OpenSettings& self, const Strings& patterns) {
             self.options.structure.constants = patterns;
           })
      .def("set_trained",
           [](OpenSettings& self, const Strings& patterns) {
             self.options.structure.trained = patterns;
           })
      .def("set_allow_uncovered", &OpenSettings::SetAllowUncovered,
           nb::arg("patterns"), nb::arg("all"))
      .def("set_symmetries",
           [](OpenSettings& self, const std::string& word) {
             self.options.structure.symmetries = ParseSymmetries(word);
           })
      .def("set_need",
           [](OpenSettings& self, const std::string& word) {
             self.options.need = ParseNeed(word);
           })
      .def("set_dtype",
           [](OpenSettings& self, const std::string& word) {
             self.options.dtype = ParseType(word);
           })
      .def("set_key",
           [](OpenSettings& self, const std::string& key) {
             self.options.file.key = key;
             self.options.file.find_key = key.empty();
           })
      .def("set_rename",
           [](OpenSettings& self,
              const std::vector<std::pair<std::string, std::string>>& names) {
             self.options.file.renames = names;
           })
      .def("set_skip_unsupported",
           [](OpenSettings& self, bool on) {
             self.options.file.skip_unsupported = on;
           })
      .def("set_keep_prefixes",
           [](OpenSettings& self, bool on) {
             self.options.file.keep_prefixes = on;
           })
      .def("set_follow_symlinks",
           [](OpenSettings& self, bool on) {
             self.options.file.follow_symlinks = on;
           })
      .def("set_same_tensors",
           [](OpenSettings& self, bool on) { self.options.same_tensors = on; })
      .def("set_allow_different_graphs", [](OpenSettings& self, bool on) {
        self.options.allow_different_graphs = on;
      });
}

void BindModel(nb::module_& module) {
  nb::class_<ModelInput>(module, "ModelInput", "A file, or weights in memory.")
      .def_static(
          "of_file",
          [](const std::string& path) { return ModelInput{.file = path}; },
          nb::arg("path"))
      .def_static(
          "of_weights",
          [](const Checkpoint& weights, const std::string& name) {
            return ModelInput{.weights = weights, .name = name};
          },
          nb::arg("weights"), nb::arg("name"));
  nb::class_<Model>(module, "Model", "An opened model.")
      .def_ro("name", &Model::name)
      .def_ro("weights", &Model::weights)
      .def_ro("structure", &Model::structure)
      .def_prop_ro("onnx_file",
                   [](const Model& model) { return model.onnx_file.native(); });
}

}  // namespace

void BindModels(nb::module_& module) {
  BindOptions(module);
  BindModel(module);
  module.def("open_models", Open, nb::arg("inputs"), nb::arg("options"),
             nb::arg("has_base"), nb::arg("run"));
  module.def("describe_structure", Describe, nb::arg("options"),
             nb::arg("run"));
  module.def("save", Save, nb::arg("weights"), nb::arg("path"),
             nb::arg("graph_from"), nb::arg("force"), nb::arg("shard_bytes"),
             nb::arg("run"));
}

}  // namespace rebasin::python
