// Inflates deflated data piece by piece into limited memory.

#ifndef REBASIN_IO_INFLATE_H_
#define REBASIN_IO_INFLATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rebasin {

// The largest accepted size of inflated data; more throws Error(kLimit) as a
// possible zip bomb. Images shrink about tenfold; labels may shrink a
// thousandfold, but are small.
int64_t MostInflated(int64_t compressed_bytes);

enum class Deflated {
  kRaw,   // no header, as in zip archives
  kGzip,  // header and checksum, which are checked
};

// One deflated stream. Throws Error(kBadInput) for damaged data, with a message
// that starts with `source`. The input must outlive the object.
class Inflater {
 public:
  Inflater(std::span<const std::byte> input, Deflated form, std::string source);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` and returns the number of bytes, which is less than out.size()
  // only at the end of the stream.
  size_t Read(std::span<uint8_t> out);

  // Returns the next `size` bytes, which must be the last ones of the stream
  // and of the input. Memory grows with the data found, not with the claimed
  // size.
  std::vector<uint8_t> ReadRest(int64_t size);

 private:
  struct Stream;
  [[noreturn]] void Fail(const std::string& what) const;
  void Step();
  void RequireEnd();

  std::span<const std::byte> input_;  // not yet given to zlib
  std::string source_;
  std::unique_ptr<Stream> stream_;
  bool ended_ = false;
};

}  // namespace rebasin

#endif  // REBASIN_IO_INFLATE_H_
