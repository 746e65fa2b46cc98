// Pictures as files.

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
  // What else stands in it. SVG files hold letters as shapes, which look the
  // same everywhere but cannot be searched or read out; the title and these
  // lines are in them as text, too.
  std::vector<std::string> texts = {};
  std::function<void(Canvas&)> draw = {};
};

enum class PictureFormat { kSvg, kPng };

// By the file's ending. Throws Error(kUsage) unless it is .svg or .png.
PictureFormat FormatOf(const std::filesystem::path& path);

// Runs `use` with a canvas that measures texts and is then thrown away.
void Measure(const std::function<void(Canvas&)>& use);

// The bytes of the file. The same picture gives the same bytes.
std::string Render(const Picture& picture, PictureFormat format);

// Throws Error(kUsage) if the file exists and `force` is off.
void WritePicture(const Picture& picture, const std::filesystem::path& path,
                  bool force);

}  // namespace rebasin

#endif  // REBASIN_REPORT_PICTURE_H_
