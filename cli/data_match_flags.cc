#include "cli/data_match_flags.h"

#include "cli/arguments.h"
#include "cli/option_adder.h"

namespace rebasin::cli {
namespace {

constexpr int64_t kMany = int64_t{1} << 40;

void ParseLambda(const std::string& text, StraightThroughOptions& options) {
  if (text.empty()) return;
  const size_t slash = text.find('/');
  options.lambda_low = ParseShare("--ste-lambda", text.substr(0, slash));
  options.lambda_high =
      slash == std::string::npos
          ? options.lambda_low
          : ParseShare("--ste-lambda", text.substr(slash + 1));
}

}  // namespace

void DataMatchFlags::AddTo(CLI::App& command) {
  AddDataOptions(command);
  AddStraightThroughOptions(command);
  const OptionAdder add(command, "Simulated annealing");
  add("--budget", budget, "Budget in seconds; default 60", "S");
  add("--moves", moves,
      "Budget in moves instead of seconds: the same result on every machine",
      "N");
}

void DataMatchFlags::AddDataOptions(CLI::App& command) {
  const OptionAdder add(command, "Matching with data");
  add("--match-samples", samples,
      "Training examples for matching, drawn by --seed from every class; "
      "default 10000",
      "N");
  add("--cost", cost,
      "Activation matching: compare units by correlation (default), or by "
      "product as in the paper",
      "WORD");
  add("--mix", mix,
      "Activation matching: share of the weights in the comparison, from 0 "
      "(default) to below 1",
      "X");
}

void DataMatchFlags::AddStraightThroughOptions(CLI::App& command) {
  const OptionAdder add(command, "Straight-through matching");
  add("--ste-start", start,
      "First alignment: that of any method but ste, or an alignment file; "
      "default weights, with BatchNorm activations (--mix 0.5)",
      "WORD|FILE");
  add("--ste-latent", latent,
      "Initial latent weights: a (default, as in the paper), b (permuted; "
      "default with BatchNorm) or midpoint",
      "WORD");
  add("--ste-learn", learn,
      "Model that the latent weights approximate: b (default; permuted) or "
      "midpoint",
      "WORD");
  add("--ste-projection", projection,
      "Choice of the nearest permutation: by distance (default) or product",
      "WORD");
  add("--ste-lambda", lambda,
      "Position on the line where the loss is computed: 0.5 (default), or a "
      "range such as 0.3/0.7",
      "X[/X]");
  add("--ste-optimizer", optimizer, "Optimizer: adam (default) or sgd", "WORD");
  add("--ste-lr", rate,
      "Learning rate; default: relative to the size of the weights", "X");
  add("--ste-schedule", schedule,
      "Learning rate schedule: constant (default), or cosine (default with "
      "BatchNorm) down to zero over all epochs",
      "WORD");
  add("--ste-momentum", momentum, "Momentum of sgd; default 0.9", "X");
  add("--ste-batch", batch, "Batch size; default 500, with BatchNorm 100", "N");
  add("--ste-epochs", epochs, "Epochs; default 20, with BatchNorm 4", "N");
  add("--ste-patience", patience,
      "Stop after this many evaluations without improvement; default 20", "N");
  add("--ste-held-back", held_out,
      "Held-out examples; default: a tenth, at most 5000", "N");
  add("--ste-every", every,
      "Steps between evaluations; default: so that these take a sixth of the "
      "time",
      "N");
}

DataAlignOptions DataMatchFlags::Options(
    const StraightThroughDefaults& usual) const {
  DataAlignOptions all;
  all.cost = ParseChoice<ActivationCost>(
      "--cost", cost,
      {{"correlation", ActivationCost::kCorrelation},
       {"product", ActivationCost::kProduct}});
  if (!mix.empty()) all.weight_share = ParseShare("--mix", mix);
  if (!start.empty() && StartFile().empty()) all.start_method = start;
  all.annealing.seconds = ParseNumber("--budget", budget);
  Override("--moves", moves, &all.annealing.moves);
  StraightThroughOptions options = usual.options;
  Override<StraightThroughStart>(
      "--ste-latent", latent,
      {{"a", StraightThroughStart::kModelA},
       {"b", StraightThroughStart::kPermuted},
       {"midpoint", StraightThroughStart::kMidpoint}},
      &options.latent_start);
  Override<StraightThroughLatent>(
      "--ste-learn", learn,
      {{"b", StraightThroughLatent::kPermuted},
       {"midpoint", StraightThroughLatent::kMidpoint}},
      &options.latent);
  Override<StraightThroughProjection>(
      "--ste-projection", projection,
      {{"distance", StraightThroughProjection::kDistance},
       {"product", StraightThroughProjection::kInnerProduct}},
      &options.projection);
  Override<OptimizerKind>(
      "--ste-optimizer", optimizer,
      {{"adam", OptimizerKind::kAdam}, {"sgd", OptimizerKind::kSgd}},
      &options.optimizer);
  Override<Schedule>(
      "--ste-schedule", schedule,
      {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}},
      &options.schedule);
  Override("--ste-lr", rate, &options.learning_rate);
  Override("--ste-momentum", momentum, &options.momentum);
  Override("--ste-batch", batch, &options.batch_size);
  Override("--ste-epochs", epochs, &options.max_epochs);
  Override("--ste-patience", patience, &options.patience, 0);
  Override("--ste-held-back", held_out, &options.held_out);
  Override("--ste-every", every, &options.evaluate_every);
  ParseLambda(lambda, options);
  all.straight_through = options;
  return all;
}

int64_t DataMatchFlags::Samples() const {
  return ParseInteger("--match-samples", samples, 1, kMany);
}

std::string DataMatchFlags::StartFile() const {
  return FindAlignMethod(start) == nullptr ? start : "";
}

}  // namespace rebasin::cli
