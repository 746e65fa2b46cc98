// Single examples as normalised floats.

#ifndef REBASIN_DATA_EXAMPLE_READER_H_
#define REBASIN_DATA_EXAMPLE_READER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rebasin/nn/data.h"

namespace rebasin {

// Safe to use from any number of threads. The data set must outlive it.
class ExampleReader {
 public:
  // Throws Error(kUsage) if there are other than one or as many means as
  // channels. What is no image has one channel.
  ExampleReader(const Dataset& dataset, const Normalization& normalization);

  // `out` has as many places as the example has values.
  void Read(int64_t example, std::span<float> out) const;

  // What zero becomes, for each channel.
  const std::vector<float>& zeros() const { return zeros_; }

 private:
  struct Channel {
    bool normalised = false;
    float mean = 0;
    float deviation = 1;
    std::array<float, 256> of_byte;  // what each byte becomes
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
