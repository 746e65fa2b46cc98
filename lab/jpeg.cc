// JPEG files are decoded by libjpeg. It reports errors by a callback that must
// not return, so each call into it stands behind a setjmp.

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// It needs the headers above.
#include <jpeglib.h>
// It needs jpeglib.h.
#include <jerror.h>

#include "lab/pictures.h"
#include "rebasin/error.h"

namespace rebasin::lab {
namespace {

constexpr int64_t kMostPixels = 100'000'000;

struct Failure {
  jpeg_error_mgr base = {};
  std::jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void OnError(j_common_ptr info) {
  auto* const failure = reinterpret_cast<Failure*>(info->err);
  info->err->format_message(info, failure->message);
  std::longjmp(failure->jump, 1);
}

// The library goes on after warnings. Only a file that ends too early is
// refused; it would have a grey rest.
void OnMessage(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) OnError(info);
}

class Decoder {
 public:
  Decoder(std::span<const std::byte> file, const std::string& source)
      : file_(file), source_(source) {
    info_.err = jpeg_std_error(&failure_.base);
    failure_.base.error_exit = OnError;
    failure_.base.emit_message = OnMessage;
  }
  ~Decoder() { jpeg_destroy_decompress(&info_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  RgbPicture Run() {
    if (!ReadHeader()) Fail();
    CheckSize();
    const int channels = cmyk() ? 4 : 3;
    row_.resize(static_cast<size_t>(info_.image_width) *
                static_cast<size_t>(channels));
    picture_ = {.width = info_.image_width, .height = info_.image_height};
    picture_.rgb.reserve(3 * static_cast<size_t>(picture_.width) *
                         static_cast<size_t>(picture_.height));
    if (!ReadRows()) Fail();
    return std::move(picture_);
  }

 private:
  bool cmyk() const { return info_.out_color_space == JCS_CMYK; }

  bool ReadHeader() {
    if (setjmp(failure_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data()),
                 static_cast<unsigned long>(file_.size()));
    jpeg_read_header(&info_, TRUE);
    const bool four = info_.jpeg_color_space == JCS_CMYK ||
                      info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = four ? JCS_CMYK : JCS_RGB;
    return true;
  }

  bool ReadRows() {
    if (setjmp(failure_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = row_.data();
      jpeg_read_scanlines(&info_, &row, 1);
      AddRow();
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  // Inks are stored inverted, as Adobe's programs do.
  void AddRow() {
    if (!cmyk()) {
      picture_.rgb.insert(picture_.rgb.end(), row_.begin(), row_.end());
      return;
    }
    for (size_t at = 0; at < row_.size(); at += 4) {
      const int black = row_[at + 3];
      for (size_t ink = 0; ink < 3; ++ink) {
        picture_.rgb.push_back(
            static_cast<uint8_t>(row_[at + ink] * black / 255));
      }
    }
  }

  void CheckSize() const {
    const int64_t pixels = static_cast<int64_t>(info_.image_width) *
                           static_cast<int64_t>(info_.image_height);
    if (pixels <= kMostPixels) return;
    throw Error(ErrorCode::kLimit, source_ + " has " + std::to_string(pixels) +
                                       " pixels, more than " +
                                       std::to_string(kMostPixels));
  }

  [[noreturn]] void Fail() const {
    throw Error(ErrorCode::kBadInput,
                source_ + " is a damaged JPEG file: " + failure_.message);
  }

  const std::span<const std::byte> file_;
  const std::string& source_;
  Failure failure_;
  jpeg_decompress_struct info_ = {};
  std::vector<uint8_t> row_;
  RgbPicture picture_;
};

}  // namespace

bool IsJpeg(std::span<const std::byte> file) {
  return file.size() > 2 && file[0] == std::byte{0xFF} &&
         file[1] == std::byte{0xD8} && file[2] == std::byte{0xFF};
}

RgbPicture DecodeJpeg(std::span<const std::byte> file,
                      const std::string& source) {
  if (!IsJpeg(file)) {
    throw Error(ErrorCode::kBadInput, source + " is no JPEG file");
  }
  return Decoder(file, source).Run();
}

}  // namespace rebasin::lab
