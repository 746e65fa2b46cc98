#include "nn/score.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rebasin::nn {
namespace {

// Temperatures from 1/8 to 16 in equal logarithmic steps.
constexpr int kTemperatures = 57;
constexpr double kMinLog = -3, kStepLog = 1.0 / 8;  // powers of two

double TemperatureAt(double step) {
  return std::exp2(kMinLog + step * kStepLog);
}

// log(sum(exp(x / t))) - x_label / t
double CrossEntropy(std::span<const float> logits, double largest,
                    int64_t label, double inverse_temperature) {
  double sum = 0;
  for (float logit : logits) {
    sum += std::exp((logit - largest) * inverse_temperature);
  }
  return std::log(sum) - (logits[label] - largest) * inverse_temperature;
}

struct Best {
  double temperature;
  double loss;
};

// The minimum of the parabola through the lowest point and its neighbours.
Best Lowest(const std::vector<double>& losses) {
  const auto lowest = std::min_element(losses.begin(), losses.end());
  const auto at = lowest - losses.begin();
  const bool inside = at > 0 && at + 1 < static_cast<long>(losses.size());
  const double bend = inside ? lowest[-1] - 2 * lowest[0] + lowest[1] : 0;
  if (!(bend > 0)) return {TemperatureAt(static_cast<double>(at)), *lowest};
  const double slope = (lowest[1] - lowest[-1]) / 2;
  const double shift = -slope / bend;
  return {TemperatureAt(static_cast<double>(at) + shift),
          *lowest + slope * shift / 2};
}

}  // namespace

Score::Score(int bins, bool find_temperature, bool keep_predictions)
    : bins_(bins),
      tempered_(find_temperature ? kTemperatures : 0),
      keeps_predictions_(keep_predictions) {
  assert(bins > 0);
}

void Score::Add(std::span<const float> logits, int64_t label) {
  assert(label >= 0 && label < static_cast<int64_t>(logits.size()));
  ++examples_;
  classes_ = static_cast<int64_t>(logits.size());
  const auto top = std::max_element(logits.begin(), logits.end());
  const bool sound = std::isfinite(*top) &&
                     std::none_of(logits.begin(), logits.end(),
                                  [](float x) { return std::isnan(x); });
  if (keeps_predictions_) {
    const auto predicted = static_cast<int32_t>(top - logits.begin());
    predictions_.push_back(sound ? predicted : -1);
  }
  if (!sound) {
    loss_ = std::nan("");
    ++bins_.front().count;
    return;
  }
  const bool correct = top - logits.begin() == label;
  // The number of classes before it: larger logits, and equal ones of lower
  // index.
  int64_t rank = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    rank += logits[i] > logits[label] ||
            (logits[i] == logits[label] && static_cast<int64_t>(i) < label);
  }
  correct_ += correct;
  among_five_ += rank < 5;
  loss_ += CrossEntropy(logits, *top, label, 1);
  for (size_t t = 0; t < tempered_.size(); ++t) {
    tempered_[t] += CrossEntropy(logits, *top, label,
                                 1 / TemperatureAt(static_cast<double>(t)));
  }
  const double confidence =
      std::exp(-CrossEntropy(logits, *top, top - logits.begin(), 1));
  const auto bin = static_cast<size_t>(confidence * bins_.size());
  Bin& into = bins_[std::min(bin, bins_.size() - 1)];
  ++into.count;
  into.correct += correct;
  into.confidence += confidence;
}

void Score::Add(const Score& other) {
  examples_ += other.examples_;
  classes_ = std::max(classes_, other.classes_);
  correct_ += other.correct_;
  among_five_ += other.among_five_;
  loss_ += other.loss_;
  for (size_t i = 0; i < bins_.size(); ++i) {
    bins_[i].count += other.bins_[i].count;
    bins_[i].correct += other.bins_[i].correct;
    bins_[i].confidence += other.bins_[i].confidence;
  }
  for (size_t t = 0; t < tempered_.size(); ++t) {
    tempered_[t] += other.tempered_[t];
  }
  predictions_.insert(predictions_.end(), other.predictions_.begin(),
                      other.predictions_.end());
}

Evaluation Score::Result() const {
  assert(examples_ > 0);
  const auto all = static_cast<double>(examples_);
  Evaluation result{.examples = examples_,
                    .loss = loss_ / all,
                    .accuracy = static_cast<double>(correct_) / all};
  result.predictions = predictions_;
  if (classes_ > 5) result.top5 = static_cast<double>(among_five_) / all;
  for (const Bin& bin : bins_) {
    const double count = std::max<double>(1, static_cast<double>(bin.count));
    result.bins.push_back(
        {.count = bin.count,
         .confidence = bin.confidence / count,
         .accuracy = static_cast<double>(bin.correct) / count});
    result.calibration_error +=
        std::abs(bin.confidence - static_cast<double>(bin.correct)) / all;
  }
  result.calibrated_loss = result.loss;
  if (tempered_.empty()) return result;
  const Best best = Lowest(tempered_);
  result.temperature = best.temperature;
  result.calibrated_loss = std::min(result.loss, best.loss / all);
  return result;
}

}  // namespace rebasin::nn
