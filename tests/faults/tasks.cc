#include "faults/tasks.h"

#include <algorithm>

#include "support/onnx_models.h"

namespace rebasin::testing {
namespace {

std::vector<std::string> ShardNames() {
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) {
    names.push_back("out-0000" + std::to_string(i) + "-of-00005.safetensors");
  }
  names.push_back("out.safetensors.index.json");
  return names;
}

Task Conversion(const std::string& name, const std::string& from,
                const std::string& to) {
  return {.name = name, .args = {"convert", from, to}, .outputs = {to}};
}

// All weights in a second file.
void WriteExternalOnnx(const ModelFolder& folder) {
  OnnxBuilder onnx = SmallMlp();
  std::string data;
  for (auto& tensor : *onnx.graph().mutable_initializer()) {
    SetExternal(tensor, "location", "outside.data");
    SetExternal(tensor, "offset", std::to_string(data.size()));
    SetExternal(tensor, "length", std::to_string(tensor.raw_data().size()));
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    data += tensor.raw_data();
    tensor.clear_raw_data();
  }
  folder.Write("outside.data", data);
  folder.Write("outside.onnx", onnx.Bytes());
}

void WriteOnnxFiles(const ModelFolder& folder) {
  OnnxBuilder onnx = SmallMlp();
  folder.Write("a.onnx", onnx.Bytes());
  onnx.graph().mutable_initializer(0)->mutable_raw_data()->back() ^= 1;
  folder.Write("b.onnx", onnx.Bytes());
  WriteExternalOnnx(folder);
}

}  // namespace

Task PlainMerge() {
  return {.name = "Merge",
          .args = {"merge", "a.safetensors", "b.safetensors", "--spec", "mlp",
                   "-o", "out.safetensors"},
          .outputs = {"out.safetensors"}};
}

Task ShardedMerge() {
  Task task = PlainMerge();
  task.name = "ShardedMerge";
  task.args.insert(task.args.end(), {"--shard-size", "16KB"});
  task.outputs = ShardNames();
  return task;
}

std::vector<Task> WritingTasks() {
  return {
      {.name = "Match",
       .args = {"match", "a.safetensors", "b.safetensors", "--spec", "mlp",
                "-o", "out.json"},
       .outputs = {"out.json"}},
      {.name = "Apply",
       .args = {"apply", "b.safetensors", "--align", "ab.json", "-o",
                "out.safetensors"},
       .outputs = {"out.safetensors"}},
      PlainMerge(),
      ShardedMerge(),
      {.name = "MergeOnnx",
       .args = {"merge", "a.onnx", "b.onnx", "-o", "out.onnx"},
       .outputs = {"out.onnx"}},
      Conversion("ToPyTorch", "a.safetensors", "out.pt"),
      Conversion("FromPyTorch", "a.pt", "out.safetensors"),
      Conversion("ToNumPy", "a.safetensors", "out.npz"),
  };
}

std::vector<Task> ChangingTasks() {
  std::vector<Task> tasks = WritingTasks();
  // Row G05: killed at any moment, it leaves the old file or the new one.
  tasks.push_back({.name = "MergeDriver",
                   .args = {"merge-driver", "base.safetensors", "a.safetensors",
                            "b.safetensors"},
                   .outputs = {"a.safetensors"},
                   .in_place = true,
                   .io_code = 129});
  return tasks;
}

std::vector<Task> AllTasks() {
  std::vector<Task> tasks = ChangingTasks();
  tasks.push_back({.name = "Inspect", .args = {"inspect", "a.safetensors"}});
  tasks.push_back(
      {.name = "InspectExternal", .args = {"inspect", "outside.onnx"}});
  return tasks;
}

void WriteInputs(const Task& task, const ModelFolder& folder) {
  using Words = std::vector<std::string>;
  const auto reads = [&](const std::string& name) {
    return std::count(task.args.begin(), task.args.end(), name) > 0;
  };
  const auto run = [&](const Words& words) {
    EXPECT_EQ(folder.Run(words).exit_code, 0) << words[0];
  };
  // As where both sides have added the file.
  if (reads("base.safetensors")) folder.Write("base.safetensors", "");
  if (reads("ab.json")) {
    run({"match", "a.safetensors", "b.safetensors", "--spec", "mlp", "-o",
         "ab.json"});
  }
  if (reads("a.pt")) {
    run({"convert", "a.safetensors", "a.pt"});
    run({"convert", "b.safetensors", "b.pt"});
  }
  WriteOnnxFiles(folder);
}

}  // namespace rebasin::testing
