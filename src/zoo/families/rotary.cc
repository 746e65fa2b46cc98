#include "zoo/families/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rebasin::zoo {
namespace {

// The angle of each pair at position 1, and what cosines and sines are
// multiplied by.
struct Speeds {
  std::vector<double> of_pair;
  double gain = 1;
};

Speeds PlainSpeeds(int64_t size, double theta) {
  Speeds speeds;
  for (int64_t pair = 0; pair < size / 2; ++pair) {
    speeds.of_pair.push_back(std::pow(
        theta, -2 * static_cast<double>(pair) / static_cast<double>(size)));
  }
  return speeds;
}

// Llama 3: slow pairs turn slower by a factor, with a smooth step between.
void ScaleLikeLlama3(const FamilyConfig& scaling, Speeds& speeds) {
  const double factor = scaling.Number({"factor"}, 8);
  const double low = scaling.Number({"low_freq_factor"}, 1);
  const double high = scaling.Number({"high_freq_factor"}, 4);
  const double context =
      scaling.Number({"original_max_position_embeddings"}, 8192);
  for (double& speed : speeds.of_pair) {
    const double turns = context * speed / (2 * std::numbers::pi);
    const double smooth = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    speed *= smooth + (1 - smooth) / factor;
  }
}

// The pair that turns this often within the context (Peng et al., 2023).
double PairOfTurns(double turns, double size, double theta, double context) {
  return size * std::log(context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(theta));
}

double YarnGain(const FamilyConfig& scaling, double factor) {
  const auto gain = [&](double scale) {
    return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1;
  };
  const double scale = scaling.Number({"mscale"}, 0);
  const double all = scaling.Number({"mscale_all_dim"}, 0);
  const double usual =
      scale != 0 && all != 0 ? gain(scale) / gain(all) : gain(1);
  return scaling.Number({"attention_factor"}, usual);
}

void ScaleLikeYarn(const Net& net, const FamilyConfig& scaling, int64_t size,
                   double theta, Speeds& speeds) {
  const double factor = scaling.Number({"factor"}, 1);
  const double context =
      scaling.Number({"original_max_position_embeddings"},
                     net.config.Number({"max_position_embeddings"}, 2048));
  const auto units = static_cast<double>(size);
  double low =
      PairOfTurns(scaling.Number({"beta_fast"}, 32), units, theta, context);
  double high =
      PairOfTurns(scaling.Number({"beta_slow"}, 1), units, theta, context);
  if (scaling.Flag({"truncate"}, true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, units - 1);
  if (high == low) high += 0.001;
  for (size_t pair = 0; pair < speeds.of_pair.size(); ++pair) {
    const double ramp =
        std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    speeds.of_pair[pair] *= (1 - ramp) + ramp / factor;
  }
  speeds.gain = YarnGain(scaling, factor);
}

// Phi-3: a factor for each pair. Short inputs have the short ones.
void ScaleLikeLongRope(const Net& net, const FamilyConfig& scaling,
                       Speeds& speeds) {
  const auto factors = scaling.Numbers({"short_factor"});
  if (factors.size() != speeds.of_pair.size()) {
    scaling.Fail("\"short_factor\" has " + std::to_string(factors.size()) +
                 " numbers, and heads have " +
                 std::to_string(speeds.of_pair.size()) + " pairs");
  }
  for (size_t p = 0; p < factors.size(); ++p) speeds.of_pair[p] /= factors[p];
  const double longest = net.config.Number({"max_position_embeddings"}, 1);
  const double original = net.config.Number(
      {"original_max_position_embeddings"},
      scaling.Number({"original_max_position_embeddings"}, longest));
  const double factor = longest / original;
  const double usual =
      factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
  speeds.gain = scaling.Number({"attention_factor"}, usual);
}

void ScaleSpeeds(const Net& net, const FamilyConfig& scaling, int64_t size,
                 double theta, Speeds& speeds) {
  const std::string type = scaling.Word({"rope_type", "type"}, "default");
  if (type == "linear") {
    const double factor = scaling.Number({"factor"}, 1);
    for (double& speed : speeds.of_pair) speed /= factor;
  } else if (type == "llama3") {
    ScaleLikeLlama3(scaling, speeds);
  } else if (type == "yarn") {
    ScaleLikeYarn(net, scaling, size, theta, speeds);
  } else if (type == "longrope" || type == "su") {
    ScaleLikeLongRope(net, scaling, speeds);
  } else if (type != "default" && type != "dynamic") {
    // "dynamic" differs for inputs beyond the context only.
    net.config.Refuse("the scaling of rotations " + Quoted(type) +
                      " is unknown");
  }
}

Rotation MakeRotation(GraphBuilder& g, const Speeds& speeds, bool interleaved) {
  const size_t pairs = speeds.of_pair.size();
  const auto size = static_cast<int64_t>(2 * pairs);
  const auto table = [&](double (*function)(double)) {
    std::vector<double> values;
    for (int64_t position = 0; position < kSequence; ++position) {
      for (size_t unit = 0; unit < 2 * pairs; ++unit) {
        const size_t pair = interleaved ? unit / 2 : unit % pairs;
        const double angle =
            static_cast<double>(position) * speeds.of_pair[pair];
        values.push_back(speeds.gain * function(angle));
      }
    }
    return g.Constant(
        MakeArray(Kind::kFloat, {kSequence, size}, std::move(values)));
  };
  return {.size = size,
          .interleaved = interleaved,
          .cosines = table(std::cos),
          .sines = table(std::sin)};
}

// (x, y) of each pair becomes (-y, x).
ValueId Turned(GraphBuilder& g, ValueId x, bool interleaved) {
  if (!interleaved) {
    const int64_t size = g.shape(x).back();
    const ValueId first = Slice(g, x, 3, 0, size / 2);
    const ValueId second = Slice(g, x, 3, size / 2, size);
    return Concat(g, {g.Add("Neg", {second}), first}, 3);
  }
  const Shape& shape = g.shape(x);
  const int64_t heads = shape[1], size = shape[3];
  const ValueId pairs = Reshape(g, x, {0, 0, 0, size / 2, 2});
  const ValueId turned = Concat(
      g, {g.Add("Neg", {Slice(g, pairs, 4, 1, 2)}), Slice(g, pairs, 4, 0, 1)},
      4);
  return Reshape(g, turned, {0, heads, kSequence, size});
}

}  // namespace

Rotation UsualRotation(Net& net, int64_t head, const RotaryDefaults& defaults) {
  FamilyConfig settings = net.config.Part({"rope_parameters"});
  if (!defaults.kind.empty() && settings.Has({defaults.kind})) {
    settings = settings.Part({defaults.kind});
  }
  const FamilyConfig old = net.config.Part({"rope_scaling"});
  const double theta = settings.Number(
      {"rope_theta"},
      net.config.Number({"rope_theta", "rotary_emb_base"}, defaults.theta));
  const double part =
      settings.Number({"partial_rotary_factor"},
                      net.config.Number({"partial_rotary_factor", "rotary_pct"},
                                        defaults.part));
  if (!(theta > 0) || !(part > 0) || part > 1) {
    net.config.Fail("rotations need a base above 0 and a part from 0 to 1");
  }
  const auto size = static_cast<int64_t>(static_cast<double>(head) * part);
  if (size < 2 || size % 2 != 0 || size > kMostHeadUnits) {
    net.config.Fail("rotations need an even number of units up to " +
                    std::to_string(kMostHeadUnits) + ", and heads have " +
                    std::to_string(size));
  }
  Speeds speeds = PlainSpeeds(size, theta);
  const bool is_new = settings.Has({"rope_type"});
  ScaleSpeeds(net, is_new ? settings : old, size, theta, speeds);
  return MakeRotation(net.g, speeds, defaults.interleaved);
}

Rotation PlainRotation(GraphBuilder& g, int64_t size, double theta,
                       bool interleaved) {
  return MakeRotation(g, PlainSpeeds(size, theta), interleaved);
}

ValueId Rotated(GraphBuilder& g, ValueId x, const Rotation& rotation) {
  const int64_t size = g.shape(x).back();
  const bool all = rotation.size == size;
  const ValueId part = all ? x : Slice(g, x, 3, 0, rotation.size);
  const ValueId turned = Turned(g, part, rotation.interleaved);
  const ValueId y = Plus(g, Times(g, part, rotation.cosines),
                         Times(g, turned, rotation.sines));
  if (all) return y;
  return Concat(g, {y, Slice(g, x, 3, rotation.size, size)}, 3);
}

}  // namespace rebasin::zoo
