#include "report/picture.h"

#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "io/atomic_file.h"
#include "rebasin/error.h"
#include "report/svg_text.h"

namespace rebasin {
namespace {

// PNG pixels for each unit of the picture: sharp on high-resolution screens and
// in print, readable at half size.
constexpr double kPixels = 2;

using SurfacePtr =
    std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using ContextPtr = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

// Exceptions must not pass through cairo, which is C.
cairo_status_t Append(void* bytes, const unsigned char* data,
                      unsigned int length) try {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data),
                                           length);
  return CAIRO_STATUS_SUCCESS;
} catch (const std::bad_alloc&) {
  return CAIRO_STATUS_NO_MEMORY;
}

void Check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorCode::kIo, std::string("cannot draw the picture: ") +
                                  cairo_status_to_string(status));
}

// Without hinting, so that letters have the same positions in all formats.
void SetFontOptions(cairo_t* context) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

void DrawOn(cairo_surface_t* surface, const Picture& picture, double scale) {
  Check(cairo_surface_status(surface));
  const ContextPtr context(cairo_create(surface), cairo_destroy);
  cairo_scale(context.get(), scale, scale);
  SetFontOptions(context.get());
  Canvas canvas(context.get());
  canvas.FillBox({0, 0, picture.size.width, picture.size.height}, kWhite);
  picture.draw(canvas);
  Check(cairo_status(context.get()));
}

std::string RenderPng(const Picture& picture) {
  const auto pixels = [](double length) {
    return static_cast<int>(std::lround(length * kPixels));
  };
  const SurfacePtr surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(picture.size.width),
                                 pixels(picture.size.height)),
      cairo_surface_destroy);
  DrawOn(surface.get(), picture, kPixels);
  std::string bytes;
  Check(cairo_surface_write_to_png_stream(surface.get(), Append, &bytes));
  return bytes;
}

std::string RenderSvg(const Picture& picture) {
  std::string bytes;
  const SurfacePtr surface(
      cairo_svg_surface_create_for_stream(Append, &bytes, picture.size.width,
                                          picture.size.height),
      cairo_surface_destroy);
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  DrawOn(surface.get(), picture, 1);
  cairo_surface_finish(surface.get());
  Check(cairo_surface_status(surface.get()));
  return WithTexts(bytes, picture.title, picture.texts);
}

}  // namespace

PictureFormat FormatOf(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".svg") return PictureFormat::kSvg;
  if (ending == ".png") return PictureFormat::kPng;
  throw Error(ErrorCode::kUsage,
              "cannot draw into " + Quoted(path.string()) +
                  ": its name ends with neither .svg nor .png");
}

void Measure(const std::function<void(Canvas&)>& use) {
  const SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1),
                           cairo_surface_destroy);
  DrawOn(surface.get(), {.size = {1, 1}, .title = {}, .texts = {}, .draw = use},
         1);
}

std::string Render(const Picture& picture, PictureFormat format) {
  return format == PictureFormat::kSvg ? RenderSvg(picture)
                                       : RenderPng(picture);
}

void WritePicture(const Picture& picture, const std::filesystem::path& path,
                  bool force) {
  WriteWholeFile(path, Render(picture, FormatOf(path)), force);
}

}  // namespace rebasin
