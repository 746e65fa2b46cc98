#include "data/example_reader.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "data/content.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

void CheckCounts(const Dataset& dataset, const Normalization& normalization,
                 size_t channels) {
  const size_t means = normalization.mean.size();
  if (means == normalization.deviation.size() &&
      (means <= 1 || means == channels)) {
    return;
  }
  throw Error(ErrorCode::kUsage,
              dataset.name() + ": a normalization with " +
                  std::to_string(means) + " means and " +
                  std::to_string(normalization.deviation.size()) +
                  " deviations does not fit examples with " +
                  std::to_string(channels) + " channels");
}

}  // namespace

ExampleReader::ExampleReader(const Dataset& dataset,
                             const Normalization& normalization)
    : dataset_(dataset) {
  const size_t channels =
      dataset.is_image() ? static_cast<size_t>(dataset.example_shape()[0]) : 1;
  CheckCounts(dataset, normalization, channels);
  channel_size_ = static_cast<size_t>(dataset.example_size()) / channels;
  // Channels with the same normalization share a table.
  const size_t tables = normalization.mean.size() > 1 ? channels : 1;
  for (size_t i = 0; i < tables; ++i) {
    channels_.push_back(MakeChannel(normalization, i));
  }
  if (tables == 1) channel_size_ *= channels;
  for (size_t i = 0; i < channels; ++i) {
    zeros_.push_back(Normalised(channels_[tables == 1 ? 0 : i], 0));
  }
}

ExampleReader::Channel ExampleReader::MakeChannel(
    const Normalization& normalization, size_t index) const {
  Channel channel;
  if (!normalization.mean.empty()) {
    channel.normalised = true;
    channel.mean = normalization.mean[index];
    channel.deviation = normalization.deviation[index];
  }
  for (size_t byte = 0; byte < channel.of_byte.size(); ++byte) {
    channel.of_byte[byte] =
        Normalised(channel, static_cast<float>(byte) / 255.0f);
  }
  return channel;
}

float ExampleReader::Normalised(const Channel& channel, float value) {
  if (!channel.normalised) return value;
  return (value - channel.mean) / channel.deviation;
}

void ExampleReader::Read(int64_t example, std::span<float> out) const {
  assert(example >= 0 && example < dataset_.size());
  assert(out.size() == channel_size_ * channels_.size());
  const Dataset::Content& content = *dataset_.content_;
  const size_t row =
      static_cast<size_t>(dataset_.rows_[static_cast<size_t>(example)]);
  size_t from = row * out.size();
  float* to = out.data();
  for (const Channel& channel : channels_) {
    if (!content.bytes.empty()) {
      const uint8_t* in = content.bytes.data() + from;
      for (size_t i = 0; i < channel_size_; ++i) to[i] = channel.of_byte[in[i]];
    } else {
      const float* in = content.floats.data() + from;
      std::transform(in, in + channel_size_, to,
                     [&](float value) { return Normalised(channel, value); });
    }
    from += channel_size_;
    to += channel_size_;
  }
}

}  // namespace rebasin
