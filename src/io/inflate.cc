#include "io/inflate.h"

// Makes zlib declare its input const.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/checked.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr int64_t kAlwaysInflated = int64_t{64} << 20;
constexpr int64_t kMaxRatio = 100;

// zlib counts in 32 bits; larger buffers are passed in pieces.
uInt Piece(size_t size) {
  constexpr size_t kMost = std::numeric_limits<uInt>::max();
  return static_cast<uInt>(std::min(size, kMost));
}

int WindowBits(Deflated form) {
  return form == Deflated::kGzip ? MAX_WBITS + 16 : -MAX_WBITS;
}

}  // namespace

int64_t MostInflated(int64_t compressed_bytes) {
  const auto grown = CheckedMul(compressed_bytes, kMaxRatio);
  const auto most = grown ? CheckedAdd(*grown, kAlwaysInflated) : std::nullopt;
  return most.value_or(std::numeric_limits<int64_t>::max());
}

struct Inflater::Stream {
  explicit Stream(Deflated form) {
    if (inflateInit2(&zlib, WindowBits(form)) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream zlib = {};
};

Inflater::Inflater(std::span<const std::byte> input, Deflated form,
                   std::string source)
    : input_(input),
      source_(std::move(source)),
      stream_(std::make_unique<Stream>(form)) {}

Inflater::~Inflater() = default;

void Inflater::Fail(const std::string& what) const {
  throw Error(ErrorCode::kBadInput, source_ + ": " + what);
}

// Calls inflate() once, with more input if there is any.
void Inflater::Step() {
  z_stream& zlib = stream_->zlib;
  if (zlib.avail_in == 0) {
    zlib.next_in = reinterpret_cast<const Bytef*>(input_.data());
    zlib.avail_in = Piece(input_.size());
    input_ = input_.subspan(zlib.avail_in);
  }
  switch (inflate(&zlib, Z_NO_FLUSH)) {
    case Z_OK:
      return;
    case Z_STREAM_END:
      ended_ = true;
      return;
    case Z_BUF_ERROR:  // no progress: the input has ended
      Fail("the compressed data is cut short");
    case Z_MEM_ERROR:
      throw std::bad_alloc();
    default:
      Fail(std::string("the compressed data is damaged") +
           (zlib.msg != nullptr ? std::string(": ") + zlib.msg : ""));
  }
}

size_t Inflater::Read(std::span<uint8_t> out) {
  z_stream& zlib = stream_->zlib;
  size_t done = 0;
  while (done < out.size() && !ended_) {
    const uInt room = Piece(out.size() - done);
    zlib.next_out = out.data() + done;
    zlib.avail_out = room;
    Step();
    done += room - zlib.avail_out;
  }
  return done;
}

void Inflater::RequireEnd() {
  uint8_t extra;
  if (Read({&extra, 1}) != 0) {
    Fail("the compressed data goes on after what it should hold");
  }
  const size_t left = stream_->zlib.avail_in + input_.size();
  if (left != 0) {
    Fail(std::to_string(left) + " bytes follow the end of the compressed data");
  }
}

std::vector<uint8_t> Inflater::ReadRest(int64_t size) {
  constexpr size_t kFirstPiece = 1 << 16;
  const size_t wanted = static_cast<size_t>(size);
  std::vector<uint8_t> out;
  size_t done = 0;
  while (done < wanted) {
    out.resize(std::min(wanted, std::max(kFirstPiece, 2 * done)));
    done += Read(std::span(out).subspan(done));
    if (done < out.size()) {
      Fail("the compressed data ends after " + std::to_string(done) + " of " +
           std::to_string(wanted) + " bytes");
    }
  }
  RequireEnd();
  return out;
}

}  // namespace rebasin
