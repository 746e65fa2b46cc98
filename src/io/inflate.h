// Deflated data, inflated piece by piece into memory that the caller bounds.

#ifndef REBASIN_IO_INFLATE_H_
#define REBASIN_IO_INFLATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rebasin {

// The most that this many compressed bytes may become; what claims more is
// taken for a bomb (Error(kLimit)). Images shrink some tenfold and labels at
// times a thousandfold, but then they are small.
int64_t MostInflated(int64_t compressed_bytes);

enum class Deflated {
  kRaw,   // nothing around it, as in zip archives
  kGzip,  // header and checksum around it, which are checked
};

// One deflated stream. Damage throws Error(kBadInput) that starts with
// `source`. The input must outlive the inflater.
class Inflater {
 public:
  Inflater(std::span<const std::byte> input, Deflated form, std::string source);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` as far as the stream goes; returns how far that is. Less than
  // `out.size()` only at the stream's end.
  size_t Read(std::span<uint8_t> out);

  // The next `size` bytes, with which the stream must end and the input, too.
  // Memory grows with what was really found, never with what was claimed.
  std::vector<uint8_t> ReadRest(int64_t size);

 private:
  struct Stream;
  [[noreturn]] void Fail(const std::string& what) const;
  void Step();
  void RequireEnd();

  std::span<const std::byte> input_;  // what zlib was not given yet
  std::string source_;
  std::unique_ptr<Stream> stream_;
  bool ended_ = false;
};

}  // namespace rebasin

#endif  // REBASIN_IO_INFLATE_H_
