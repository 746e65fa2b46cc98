#include "cli/repository.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rebasin::testing {
namespace {

namespace fs = std::filesystem;

std::vector<float> Floats(const Tensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.size()));
  ReadFloats(tensor, 0, values);
  return values;
}

float DeviationOf(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double{value} * value;
  return static_cast<float>(
      std::sqrt(squares / static_cast<double>(values.size())));
}

}  // namespace

Checkpoint LoadedFrom(const ModelFolder& folder, const std::string& name) {
  const Checkpoint model = folder.Load(name);
  return Checkpoint(model.tensors(), model.metadata());
}

Checkpoint Changed(const Checkpoint& model, const std::string& name,
                   float number) {
  const Tensor& tensor = *model.Find(name);
  std::vector<float> values = Floats(tensor);
  for (float& value : values) value += number;
  return With(model, MakeTensor(name, tensor.shape, values));
}

Checkpoint Trained(const Checkpoint& model, double size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, static_cast<float>(size));
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values = Floats(tensor);
    const float scale = DeviationOf(values);
    for (float& value : values) value += scale * normal(random);
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

bool Same(const Checkpoint& a, const Checkpoint& b, const std::string& name) {
  return std::ranges::equal(a.Find(name)->bytes, b.Find(name)->bytes);
}

double Difference(const Checkpoint& a, const Checkpoint& b) {
  double largest = 0;
  for (const Tensor& tensor : a.tensors()) {
    const std::vector<float> x = Floats(tensor);
    const std::vector<float> y = Floats(*b.Find(tensor.name));
    for (size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(double{x[i]} - double{y[i]}));
    }
  }
  return largest;
}

Repository::Repository(const RepositoryOptions& options)
    : file_(options.file), base_(LoadedFrom(*this, "a.safetensors")) {
  fs::remove(*this / "a.safetensors");
  fs::remove(*this / "b.safetensors");
  ExpectGit({"init", "-q", "-b", "main"});
  UseDriver();
  if (options.lfs) ExpectGit({"lfs", "install", "--local"});
  if (!options.setup.empty()) ExpectGit(options.setup);
  Write(".gitattributes", options.lfs
                              ? "*.safetensors filter=lfs merge=rebasin -text\n"
                              : options.attributes);
  Commit(base_);
  ExpectGit({"branch", "side"});
}

Outcome Repository::Git(const Words& words, const Environment& more) const {
  Environment environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"},
                             {"GIT_CONFIG_NOSYSTEM", "1"},
                             {"GIT_AUTHOR_NAME", "A"},
                             {"GIT_AUTHOR_EMAIL", "a@example.org"},
                             {"GIT_COMMITTER_NAME", "C"},
                             {"GIT_COMMITTER_EMAIL", "c@example.org"},
                             {"GIT_EDITOR", "true"}};
  for (const auto& [name, value] : more) environment[name] = value;
  return Program(*this, words, environment, "/usr/bin/git").Wait();
}

void Repository::ExpectGit(const Words& words) const {
  const Outcome run = Git(words);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
}

std::string Repository::Ask(const Words& words) const {
  const Outcome run = Git(words);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  return run.out.substr(0, run.out.find_last_not_of('\n') + 1);
}

void Repository::UseDriver(const std::string& options) const {
  ExpectGit(
      {"config", "merge.rebasin.driver",
       "'" REBASIN_PROGRAM "' merge-driver " + options + " %O %A %B -- %P"});
  ExpectGit({"config", "merge.rebasin.recursive", "binary"});
}

void Repository::Commit(const Checkpoint& model) const {
  Save(file_, model);
  ExpectGit({"add", "-A"});
  ExpectGit({"commit", "-q", "-m", "a model"});
}

void Repository::CommitOn(const std::string& branch,
                          const Checkpoint& model) const {
  ExpectGit({"checkout", "-q", branch});
  Commit(model);
}

void Repository::Part() const {
  CommitOn("side", Changed(Theirs(), "fc2.bias", 0.5));
  CommitOn("main", Changed(Ours(), "fc2.bias", 0.25));
}

void Repository::ExpectMerged() const {
  const Checkpoint merged = Load(file_);
  EXPECT_TRUE(Same(merged, Ours(), "fc1.bias"));
  EXPECT_TRUE(Same(merged, Theirs(), "fc3.bias"));
  EXPECT_TRUE(Same(merged, base_, "fc2.weight"));
  const Checkpoint wanted =
      Changed(Changed(Ours(), "fc3.bias", 0.125), "fc2.bias", 0.75);
  EXPECT_LT(Difference(merged, wanted), 1e-6);
}

}  // namespace rebasin::testing
