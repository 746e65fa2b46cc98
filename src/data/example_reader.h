// Reads single examples as normalised floats.

#ifndef REBASIN_DATA_EXAMPLE_READER_H_
#define REBASIN_DATA_EXAMPLE_READER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

// Thread-safe. The data set must outlive the object.
class ExampleReader {
 public:
  // Throws Error(kUsage) unless there is one mean, or one for each channel.
  // Examples that are not images have one channel.
  ExampleReader(const Dataset& dataset, const Normalization& normalization);

  // `out` must have as many elements as the example has values.
  void Read(int64_t example, std::span<float> out) const;

  // The normalised value of zero, for each channel.
  const std::vector<float>& zeros() const { return zeros_; }

 private:
  struct Channel {
    bool normalised = false;
    float mean = 0;
    float deviation = 1;
    std::array<float, 256> of_byte;  // the normalised value of each byte
  };
  Channel MakeChannel(const Normalization& normalization, size_t index) const;
  static float Normalised(const Channel& channel, float value);

  const Dataset& dataset_;
  size_t channel_size_ = 0;
  std::vector<Channel> channels_;
  std::vector<float> zeros_;
};

}  // namespace rebasin

#endif  // REBASIN_DATA_EXAMPLE_READER_H_
