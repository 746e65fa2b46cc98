#include "support/models.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>

#include "base/random.h"

namespace rebasin::testing {
namespace {

std::vector<float> Values(const Tensor& tensor) {
  std::vector<float> values(tensor.size());
  ReadFloats(tensor, 0, values);
  return values;
}

// An index of an axis: in which segment, and where along each of its factors.
struct Place {
  size_t segment = 0;
  std::vector<int64_t> digits = {};

  friend auto operator<=>(const Place&, const Place&) = default;
};

// Counts through segments [begin, end), whose first `prefix.size()` factors
// stand at `prefix`, as nested loops would.
void Count(const Axis& axis, size_t begin, size_t end,
           const std::vector<int64_t>& prefix, std::vector<Place>& places) {
  while (begin < end) {
    size_t next = begin + 1;
    size_t common = axis.segments[begin].size();
    for (; next < end; ++next) {
      const auto shared = static_cast<size_t>(axis.Shared(next));
      if (shared <= prefix.size()) break;
      common = std::min(common, shared);
    }
    std::vector<std::vector<int64_t>> rows = {prefix};
    for (size_t f = prefix.size(); f < common; ++f) {
      std::vector<std::vector<int64_t>> longer;
      for (const auto& row : rows) {
        for (int64_t i = 0; i < axis.segments[begin][f].size; ++i) {
          longer.push_back(row);
          longer.back().push_back(i);
        }
      }
      rows = std::move(longer);
    }
    for (const auto& row : rows) {
      if (next == begin + 1) {
        places.push_back({begin, row});
      } else {
        Count(axis, begin, next, row, places);
      }
    }
    begin = next;
  }
}

// The places of an axis in order, and the number of each.
struct Places {
  explicit Places(const Axis& axis) {
    Count(axis, 0, axis.segments.size(), {}, all);
    for (const Place& place : all) {
      numbers.emplace(place, static_cast<int64_t>(numbers.size()));
    }
  }

  std::vector<Place> all = {};
  std::map<Place, int64_t> numbers = {};
};

// Where each position of a tensor takes its element from: axis by axis, then
// factor by factor. `outer` holds the positions of groups already decoded.
class ElementMap {
 public:
  ElementMap(const std::vector<Axis>& axes, const Alignment& alignment)
      : axes_(axes), alignment_(alignment) {
    for (const Axis& axis : axes) places_.emplace_back(axis);
  }

  std::vector<int64_t> Source(const std::vector<int64_t>& index) const {
    std::vector<std::map<int, int64_t>> positions(index.size());
    for (size_t a = 0; a < index.size(); ++a) {
      positions[a] = Decode(a, index[a]);
    }
    std::vector<int64_t> source(index.size());
    for (size_t a = 0; a < index.size(); ++a) {
      source[a] = SourceOnAxis(a, index[a], positions);
    }
    return source;
  }

 private:
  std::map<int, int64_t> Decode(size_t axis, int64_t index) const {
    const Place& place = places_[axis].all.at(index);
    const Segment& segment = axes_[axis].segments[place.segment];
    std::map<int, int64_t> positions;
    for (size_t f = 0; f < segment.size(); ++f) {
      if (segment[f].group != kNoGroup) {
        positions[segment[f].group] = place.digits[f];
      }
    }
    return positions;
  }

  int64_t PositionOf(int group, size_t axis,
                     const std::vector<std::map<int, int64_t>>& all) const {
    if (all[axis].contains(group)) return all[axis].at(group);
    for (const auto& positions : all) {
      if (positions.contains(group)) return positions.at(group);
    }
    std::abort();
  }

  int64_t CopyOf(int group, size_t axis,
                 const std::vector<std::map<int, int64_t>>& all) const {
    const auto& groups = alignment_.symmetry().groups();
    const int parent = groups[group].parent;
    if (parent == kNoGroup) return 0;
    return CopyOf(parent, axis, all) * groups[parent].size +
           PositionOf(parent, axis, all);
  }

  int64_t SourceOnAxis(size_t axis, int64_t index,
                       const std::vector<std::map<int, int64_t>>& all) const {
    Place source = places_[axis].all.at(index);
    const Segment& segment = axes_[axis].segments[source.segment];
    for (size_t f = 0; f < segment.size(); ++f) {
      const int group = segment[f].group;
      if (group == kNoGroup) continue;
      int64_t& digit = source.digits[f];
      digit = alignment_.permutation(group, CopyOf(group, axis, all))[digit];
    }
    return places_[axis].numbers.at(source);
  }

  const std::vector<Axis>& axes_;
  const Alignment& alignment_;
  std::vector<Places> places_ = {};  // by axis
};

bool Step(const Shape& shape, std::vector<int64_t>& index) {
  for (size_t a = shape.size(); a-- > 0;) {
    if (++index[a] < shape[a]) return true;
    index[a] = 0;
  }
  return false;
}

int64_t Flat(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t flat = 0;
  for (size_t a = 0; a < shape.size(); ++a) flat = flat * shape[a] + index[a];
  return flat;
}

// Where the element at `index` comes from: part by part.
std::vector<int64_t> Source(const TensorSymmetry& symmetry,
                            const std::vector<ElementMap>& parts,
                            std::vector<int64_t> index) {
  int64_t begin = 0;
  size_t p = 0;
  for (; p + 1 < parts.size(); ++p) {
    const int64_t size = symmetry.part(p)[symmetry.along].size();
    if (index[symmetry.along] < begin + size) break;
    begin += size;
  }
  if (parts.size() > 1) index[symmetry.along] -= begin;
  index = parts[p].Source(index);
  if (parts.size() > 1) index[symmetry.along] += begin;
  return index;
}

Tensor PermuteTensor(const Tensor& tensor, const TensorSymmetry& symmetry,
                     const Alignment& alignment) {
  const std::vector<float> from = Values(tensor);
  std::vector<float> to(from.size());
  std::vector<ElementMap> parts;
  for (size_t p = 0; p < symmetry.parts(); ++p) {
    parts.emplace_back(symmetry.part(p), alignment);
  }
  std::vector<int64_t> index(tensor.shape.size(), 0);
  do {
    const auto source = Source(symmetry, parts, index);
    to[Flat(tensor.shape, index)] = from[Flat(tensor.shape, source)];
  } while (Step(tensor.shape, index));
  return MakeTensor(tensor.name, tensor.shape, to, tensor.dtype);
}

std::string Name(const std::string& stem, int i) {
  return stem + std::to_string(i);
}

std::string Text(int64_t number) { return std::to_string(number); }

// Adds a 3x3 (or other) convolution's weight with a norm's scale and shift.
void AddConv(AxisTexts& tensors, const std::string& name,
             const std::string& out, const std::string& in,
             const std::string& kernel, bool norm) {
  tensors[name + ".weight"] = {out, in, kernel, kernel};
  if (!norm) {
    tensors[name + ".bias"] = {out};
    return;
  }
  tensors[name + ".norm.weight"] = {out};
  tensors[name + ".norm.bias"] = {out};
}

double Scale(const Shape& shape) {
  if (shape.size() < 2) return 0.1;
  double fan_in = 1;
  for (size_t a = 1; a < shape.size(); ++a) fan_in *= shape[a];
  return 1 / std::sqrt(fan_in);
}

}  // namespace

SymmetryPtr MakeSymmetry(const std::vector<Group>& groups,
                         const AxisTexts& tensors) {
  std::vector<TensorSymmetry> parsed;
  for (const auto& [name, texts] : tensors) {
    TensorSymmetry tensor{.name = name, .axes = {}};
    for (const std::string& text : texts) {
      tensor.axes.push_back(ParseAxis(text, groups));
    }
    parsed.push_back(std::move(tensor));
  }
  return std::make_shared<const Symmetry>(groups, std::move(parsed));
}

SymmetryPtr Mlp(const std::vector<int64_t>& widths) {
  std::vector<Group> groups;
  AxisTexts tensors;
  std::string input = Text(widths[0]);
  for (size_t l = 1; l < widths.size(); ++l) {
    const bool last = l + 1 == widths.size();
    const std::string output =
        last ? Text(widths[l]) : Name("P", static_cast<int>(l - 1));
    if (!last) groups.push_back({output, widths[l]});
    const std::string name = Name("fc", static_cast<int>(l));
    tensors[name + ".weight"] = {output, input};
    tensors[name + ".bias"] = {output};
    input = output;
  }
  return MakeSymmetry(groups, tensors);
}

SymmetryPtr ResidualMlp(int blocks, int64_t width, int64_t hidden) {
  std::vector<Group> groups = {{"R", width}};
  AxisTexts tensors = {{"embed.weight", {"R", "32"}},
                       {"head.weight", {"10", "R"}}};
  for (int b = 0; b < blocks; ++b) {
    const std::string group = Name("H", b), name = Name("block", b);
    groups.push_back({group, hidden});
    tensors[name + ".fc1.weight"] = {group, "R"};
    tensors[name + ".fc1.bias"] = {group};
    tensors[name + ".fc2.weight"] = {"R", group};
  }
  return MakeSymmetry(groups, tensors);
}

SymmetryPtr Vgg16() {
  const std::vector<int64_t> channels = {64,  64,  128, 128, 256, 256, 256,
                                         512, 512, 512, 512, 512, 512};
  std::vector<Group> groups;
  AxisTexts tensors;
  std::string input = "3";
  for (size_t c = 0; c < channels.size(); ++c) {
    const std::string output = Name("C", static_cast<int>(c));
    groups.push_back({output, channels[c]});
    AddConv(tensors, Name("conv", static_cast<int>(c)), output, input, "3",
            false);
    input = output;
  }
  tensors["classifier.weight"] = {"10", input};
  return MakeSymmetry(groups, tensors);
}

SymmetryPtr ResNet20(int64_t width) {
  std::vector<Group> groups;
  AxisTexts tensors;
  std::string stream = "S0";
  groups.push_back({stream, 16 * width});
  AddConv(tensors, "conv1", stream, "3", "3", true);
  for (int stage = 0; stage < 3; ++stage) {
    const int64_t channels = width << (4 + stage);
    for (int block = 0; block < 3; ++block) {
      const std::string name = Name("layer", stage) + "." + Text(block);
      const std::string input = stream, inner = Name("B", stage * 3 + block);
      if (block == 0 && stage > 0) {
        stream = Name("S", stage);
        groups.push_back({stream, channels});
        AddConv(tensors, name + ".shortcut", stream, input, "1", true);
      }
      groups.push_back({inner, channels});
      AddConv(tensors, name + ".conv1", inner, input, "3", true);
      AddConv(tensors, name + ".conv2", stream, inner, "3", true);
    }
  }
  tensors["fc.weight"] = {"10", stream};
  return MakeSymmetry(groups, tensors);
}

SymmetryPtr Recurrent(int64_t inputs, int64_t hidden, int64_t outputs) {
  return MakeSymmetry({{"h", hidden}}, {{"rnn.weight_ih", {"h", Text(inputs)}},
                                        {"rnn.weight_hh", {"h", "h"}},
                                        {"rnn.bias", {"h"}},
                                        {"out.weight", {Text(outputs), "h"}}});
}

SymmetryPtr Attention(int64_t width, int64_t heads, int64_t head_size) {
  return MakeSymmetry({{"res", width},
                       {"heads", heads},
                       {"qk", head_size, 1},
                       {"vo", head_size, 1},
                       {"mlp", 4 * width}},
                      {{"embed.weight", {"50", "res"}},
                       {"q.weight", {"heads*qk", "res"}},
                       {"q.bias", {"heads*qk"}},
                       {"k.weight", {"heads*qk", "res"}},
                       {"v.weight", {"heads*vo", "res"}},
                       {"o.weight", {"res", "heads*vo"}},
                       {"up.weight", {"mlp", "res"}},
                       {"down.weight", {"res", "mlp"}},
                       {"head.weight", {"10", "res"}}});
}

SymmetryPtr GroupedQueryAttention(int64_t width, int64_t kv, int64_t queries,
                                  int64_t head_size) {
  return MakeSymmetry({{"res", width},
                       {"kv", kv},
                       {"query", queries, 1},
                       {"qk", head_size, 1},
                       {"vo", head_size, 1}},
                      {{"embed.weight", {"50", "res"}},
                       {"q.weight", {"kv*query*qk", "res"}},
                       {"k.weight", {"kv*qk", "res"}},
                       {"v.weight", {"kv*vo", "res"}},
                       {"o.weight", {"res", "kv*query*vo"}},
                       {"head.weight", {"10", "res"}}});
}

SymmetryPtr GroupedConvolution(int64_t groups, int64_t per_group) {
  return MakeSymmetry(
      {{"g", groups}, {"in", per_group, 0}, {"out", per_group, 0}},
      {{"before.weight", {"g*in", "24", "1", "1"}},
       {"grouped.weight", {"g*out", "in", "3", "3"}},
       {"after.weight", {"24", "g*out", "1", "1"}}});
}

SymmetryPtr FusedByHead(int64_t width, int64_t heads, int64_t head_size) {
  return MakeSymmetry({{"res", width},
                       {"heads", heads},
                       {"qk", head_size, 1},
                       {"vo", head_size + 2, 1}},
                      {{"embed.weight", {"res", "7"}},
                       {"qkv.weight", {"heads*(2*qk + vo)", "res"}},
                       {"qkv.bias", {"heads*(2*qk + vo)"}},
                       {"dense.weight", {"res", "heads*vo"}},
                       {"out.weight", {"5", "res"}}});
}

// Both directions of a recurrent layer in one tensor.
SymmetryPtr TwoDirections(int64_t width, int64_t hidden) {
  const std::string size = Text(hidden), in = Text(width);
  return std::make_shared<const Symmetry>(Symmetry::FromJson(
      R"({"format": "rebasin-symmetry", "version": 1,
          "groups": {"there": )" +
          size + R"(, "back": )" + size + R"(},
          "tensors": {
            "w": {"along": 0, "parts": [["1", "4*there", ")" +
          in + R"("],
                                        ["1", "4*back", ")" +
          in + R"("]]},
            "r": {"along": 0, "parts": [["1", "4*there", "there"],
                                        ["1", "4*back", "back"]]},
            "out": ["5", "there+back"]}})",
      "directions"));
}

SymmetryPtr ListOfExperts(int64_t width, int64_t experts, int64_t hidden) {
  std::vector<Group> groups = {
      {"res", width}, {"experts", experts}, {"hidden", hidden, 1}};
  std::vector<TensorSymmetry> tensors;
  const auto add = [&](const std::string& name,
                       const std::vector<std::string>& axes) {
    TensorSymmetry& tensor = tensors.emplace_back();
    tensor.name = name;
    for (const std::string& axis : axes) {
      tensor.axes.push_back(ParseAxis(axis, groups));
    }
    return &tensor;
  };
  add("embed.weight", {"res", "7"});
  add("router.weight", {"experts", "res"});
  for (int64_t e = 0; e < experts; ++e) {
    const std::string name = "experts." + Text(e);
    add(name + ".up.weight", {"hidden", "res"})->member = {"up", 1, e};
    add(name + ".up.bias", {"hidden"})->member = {"bias", 1, e};
    add(name + ".down.weight", {"res", "hidden"})->member = {"down", 1, e};
    add(name + ".scale", {})->member = {"scale", 1, e};
  }
  add("head.weight", {"5", "res"});
  return std::make_shared<const Symmetry>(groups, tensors);
}

std::vector<SymmetryPtr> AllKinds() {
  return {Mlp({6, 20, 16, 12, 4}),
          ResidualMlp(3, 16, 12),
          Recurrent(4, 16, 3),
          Attention(12, 4, 5),
          GroupedQueryAttention(12, 3, 2, 4),
          GroupedConvolution(4, 3),
          FusedByHead(12, 4, 3),
          TwoDirections(6, 7),
          ListOfExperts(9, 4, 6),
          ResNet20(1),
          MakeSymmetry({{"a", 6}, {"b", 8}, {"c", 5}},
                       {{"in.weight", {"a + b", "7"}},
                        {"mid.weight", {"c", "b + a"}},
                        {"flat.weight", {"3", "c*4"}}})};
}

Checkpoint RandomModel(const Symmetry& symmetry, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    Shape shape;
    for (size_t a = 0; a < tensor.axes.size(); ++a) {
      shape.push_back(tensor.size(a));
    }
    std::vector<float> values(tensor.elements());
    const double scale = Scale(shape);
    for (float& value : values) {
      value = static_cast<float>(scale * random.Normal());
    }
    tensors.push_back(MakeTensor(tensor.name, shape, values));
  }
  return Checkpoint(std::move(tensors));
}

// All tensors of the list one after the other, permuted, and of these one.
Tensor PermuteMember(const Checkpoint& model, const TensorSymmetry& member,
                     const Alignment& alignment) {
  const Symmetry& symmetry = alignment.symmetry();
  const Group& group = symmetry.groups()[member.member.group];
  std::vector<float> values;
  Shape shape = model.Find(member.name)->shape;
  for (int64_t e = 0; e < group.size; ++e) {
    const auto each =
        FloatsInPlace(*model.Find(symmetry.Sibling(member, e).name));
    values.insert(values.end(), each.begin(), each.end());
  }
  const size_t count = values.size() / static_cast<size_t>(group.size);
  const Shape whole = shape;
  shape.insert(shape.begin(), group.size);
  TensorSymmetry stack{.name = "stack", .axes = member.axes};
  stack.axes.insert(stack.axes.begin(),
                    ParseAxis(group.name, symmetry.groups()));
  const Tensor permuted =
      PermuteTensor(MakeTensor("stack", shape, values), stack, alignment);
  return MakeTensor(
      member.name, whole,
      FloatsInPlace(permuted).subspan(
          count * static_cast<size_t>(member.member.index), count));
}

Checkpoint ReferencePermute(const Checkpoint& model,
                            const Alignment& alignment) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    const TensorSymmetry* found = alignment.symmetry().Find(tensor.name);
    if (found != nullptr && found->in_list()) {
      tensors.push_back(PermuteMember(model, *found, alignment));
      continue;
    }
    tensors.push_back(
        found == nullptr ? tensor : PermuteTensor(tensor, *found, alignment));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

Checkpoint WithNoise(const Checkpoint& model, double noise, uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values = Values(tensor);
    double squares = 0;
    for (float value : values) squares += static_cast<double>(value) * value;
    const double deviation = std::sqrt(squares / values.size());
    for (float& value : values) {
      value += static_cast<float>(noise * deviation * random.Normal());
    }
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

Checkpoint WithPlantedScales(const Checkpoint& model, const Symmetry& symmetry,
                             const std::vector<std::string>& groups,
                             double log_sd, uint64_t seed) {
  Random random(seed);
  std::map<int, std::vector<double>> scales;
  for (const std::string& name : groups) {
    const int group = symmetry.FindGroup(name);
    for (int64_t u = 0; u < symmetry.groups()[group].size; ++u) {
      scales[group].push_back(std::exp(log_sd * random.Normal()));
    }
  }
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values = Values(tensor);
    const TensorSymmetry& axes = *symmetry.Find(tensor.name);
    std::vector<int64_t> index(tensor.shape.size(), 0);
    do {
      double factor = 1;
      for (size_t a = 0; a < index.size(); ++a) {
        const auto found = scales.find(axes.axes[a].segments[0][0].group);
        if (found == scales.end()) continue;
        const double scale = found->second[index[a]];
        factor *= a == 0 ? scale : 1 / scale;
      }
      float& value = values[Flat(tensor.shape, index)];
      value = static_cast<float>(value * factor);
    } while (Step(tensor.shape, index));
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors), model.metadata());
}

double Agreement(const Alignment& x, const Alignment& y) {
  double same = 0, total = 0;
  for (size_t g = 0; g < x.symmetry().groups().size(); ++g) {
    const int group = static_cast<int>(g);
    for (int64_t c = 0; c < x.symmetry().Copies(group); ++c) {
      const auto a = x.permutation(group, c), b = y.permutation(group, c);
      for (size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
      total += static_cast<double>(a.size());
    }
  }
  return same / total;
}

std::vector<Network> SmallNetworks() {
  return {{"mlp", Mlp({12, 16, 14, 5})},
          {"residual", ResidualMlp(2, 10, 12)},
          {"recurrent", Recurrent(8, 16, 4)},
          {"attention", Attention(16, 3, 4)},
          {"grouped_queries", GroupedQueryAttention(16, 2, 2, 3)},
          {"grouped_convolution", GroupedConvolution(3, 4)}};
}

}  // namespace rebasin::testing
