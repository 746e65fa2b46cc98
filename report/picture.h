// Writes pictures to files.

#ifndef REBASIN_REPORT_PICTURE_H_
#define REBASIN_REPORT_PICTURE_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/canvas.h"
#include "report/geometry.h"

namespace rebasin {

inline constexpr double kPictureWidth = 900;

struct Picture {
  Size size = {};
  std::string title = {};
  // The other texts of the picture. SVG files store letters as shapes, which
  // look the same everywhere but cannot be searched or read aloud; so the title
  // and these lines are stored as text too.
  std::vector<std::string> texts = {};
  std::function<void(Canvas&)> draw = {};
};

enum class PictureFormat { kSvg, kPng };

// The format of a file extension. Throws Error(kUsage) unless it is .svg or
// .png.
PictureFormat FormatOf(const std::filesystem::path& path);

// Runs `use` with a temporary canvas for measuring texts.
void Measure(const std::function<void(Canvas&)>& use);

// Returns the bytes of the file. Equal pictures give equal bytes.
std::string Render(const Picture& picture, PictureFormat format);

// Throws Error(kUsage) if the file exists and `force` is false.
void WritePicture(const Picture& picture, const std::filesystem::path& path,
                  bool force);

}  // namespace rebasin

#endif  // REBASIN_REPORT_PICTURE_H_
