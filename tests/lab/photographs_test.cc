// Photographs are read from JPEG files that the tests make.

#include "lab/photographs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>

// It needs the headers above.
#include <jpeglib.h>

#include "io/file.h"
#include "lab/pictures.h"
#include "rebasin/error.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin::lab {
namespace {

namespace fs = std::filesystem;
using Colour = std::array<uint8_t, 3>;

constexpr Colour kRed = {200, 30, 40}, kBlue = {20, 60, 220};

struct Sides {
  int64_t width = 0, height = 0;
};

RgbPicture Plain(const Sides& sides, const Colour& colour) {
  RgbPicture picture{.width = sides.width, .height = sides.height};
  for (int64_t i = 0; i < sides.width * sides.height; ++i) {
    picture.rgb.insert(picture.rgb.end(), colour.begin(), colour.end());
  }
  return picture;
}

// `channels` is 3, or 1 for the red channel as a grey picture.
std::string Jpeg(const RgbPicture& picture, int channels = 3) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row(static_cast<size_t>(channels * picture.width));
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y) {
    for (size_t x = 0; x < static_cast<size_t>(picture.width); ++x) {
      for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
        row[x * static_cast<size_t>(channels) + c] =
            picture.rgb[3 * (y * static_cast<size_t>(picture.width) + x) + c];
      }
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return file;
}

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

void Write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

void ExpectColour(const RgbPicture& picture, const Colour& colour) {
  for (size_t i = 0; i < picture.rgb.size(); ++i) {
    ASSERT_NEAR(picture.rgb[i], colour[i % 3], 3) << i;
  }
}

TEST(PicturesTest, AreDecodedInColourAndGrey) {
  const Sides sides = {.width = 21, .height = 13};
  const RgbPicture colour =
      DecodeJpeg(Bytes(Jpeg(Plain(sides, kRed))), "a file");
  EXPECT_EQ(colour.width, 21);
  EXPECT_EQ(colour.height, 13);
  ExpectColour(colour, kRed);
  const RgbPicture grey =
      DecodeJpeg(Bytes(Jpeg(Plain(sides, kRed), 1)), "a file");
  ExpectColour(grey, {200, 200, 200});
}

TEST(PicturesTest, DamagedFilesAreErrors) {
  const std::string whole = Jpeg(Plain({.width = 64, .height = 64}, kRed));
  for (const size_t size : {size_t{10}, whole.size() / 2, whole.size() - 10}) {
    ExpectError(ErrorCode::kBadInput, {"a file", "damaged"},
                [&] { DecodeJpeg(Bytes(whole.substr(0, size)), "a file"); });
  }
  ExpectError(ErrorCode::kBadInput, {"a file is no JPEG file"},
              [] { DecodeJpeg(Bytes("something else"), "a file"); });
}

TEST(PicturesTest, KeepTheirProportionsAndColours) {
  const RgbPicture large = Plain({.width = 60, .height = 31}, kBlue);
  const RgbPicture smaller = WithShorterSide(large, 10);
  EXPECT_EQ(smaller.width, 19);
  EXPECT_EQ(smaller.height, 10);
  ExpectColour(smaller, kBlue);
  const RgbPicture larger = WithShorterSide(large, 62);
  EXPECT_EQ(larger.width, 120);
  ExpectColour(larger, kBlue);
}

TEST(PicturesTest, ShrinkToTheMeanOfTheirPixels) {
  RgbPicture stripes = Plain({.width = 40, .height = 40}, {0, 0, 0});
  for (size_t i = 0; i < stripes.rgb.size(); ++i) {
    stripes.rgb[i] = (i / 3) % 2 == 0 ? 0 : 200;
  }
  const RgbPicture small = CentreOf(WithShorterSide(stripes, 4), 2);
  for (const uint8_t value : small.rgb) EXPECT_NEAR(value, 100, 6);
}

TEST(PicturesTest, AreCroppedToTheMiddle) {
  RgbPicture picture = Plain({.width = 5, .height = 4}, {0, 0, 0});
  // The pixels of the middle two columns and rows.
  for (const size_t pixel : {6, 7, 11, 12}) picture.rgb[3 * pixel] = 9;
  const RgbPicture middle = CentreOf(picture, 2);
  ASSERT_EQ(middle.rgb.size(), 12u);
  // 1.5 is rounded to 2.
  EXPECT_EQ(middle.rgb[0], 9);
  EXPECT_EQ(middle.rgb[3], 0);
}

// Two classes with two photographs each, and one without a class in val.
void WriteFolder(const fs::path& folder) {
  const std::string red = Jpeg(Plain({.width = 300, .height = 280}, kRed));
  const std::string blue = Jpeg(Plain({.width = 256, .height = 400}, kBlue));
  for (const char* part : {"train", "val"}) {
    Write(folder / part / "n01" / "a.JPEG", red);
    Write(folder / part / "n01" / "b.JPEG", red);
    Write(folder / part / "n02" / "c.jpg", blue);
    Write(folder / part / "n02" / "notes.txt", "no photograph");
  }
}

TEST(PhotographsTest, FoldersAreClassesInTheOrderOfTheirNames) {
  const TempDir folder;
  WriteFolder(folder.path());
  EXPECT_TRUE(HoldsPhotographs(folder.path()));
  const DataSplits data = ReadPhotographs(folder.path(), {}, {});
  ASSERT_EQ(data.train.size(), 3);
  EXPECT_EQ(data.train.example_shape(), (Shape{3, 224, 224}));
  EXPECT_EQ(data.train.classes(), 2);
  EXPECT_EQ(data.test.label(0), 0);
  EXPECT_EQ(data.test.label(2), 1);
  std::vector<float> values(3 * 224 * 224);
  ReadBatch(data.test, {}, 2, 1, values, nullptr);
  EXPECT_NEAR(values[0], 20 / 255.0, 0.02);
  EXPECT_NEAR(values[2 * 224 * 224], 220 / 255.0, 0.02);
}

TEST(PhotographsTest, FewAreTakenFromAllClassesAlike) {
  const TempDir folder;
  WriteFolder(folder.path());
  const DataSplits data =
      ReadPhotographs(folder.path(), {.most_train = 2, .most_test = 0}, {});
  ASSERT_EQ(data.train.size(), 2);
  EXPECT_EQ(data.train.label(0), 0);
  EXPECT_EQ(data.train.label(1), 1);
  EXPECT_EQ(data.test.size(), 3);
}

TEST(PhotographsTest, LabelsMayStandInAList) {
  const TempDir folder;
  const std::string red = Jpeg(Plain({.width = 256, .height = 256}, kRed));
  Write(folder / "val" / "x.JPEG", red);
  Write(folder / "val" / "y.JPEG", red);
  Write(folder / "val.txt", "x.JPEG 7\ny.JPEG 2\n");
  const DataSplits data = ReadPhotographs(folder.path(), {}, {});
  ASSERT_EQ(data.test.size(), 2);
  EXPECT_EQ(data.test.label(0), 7);
  EXPECT_EQ(data.test.label(1), 2);
  EXPECT_EQ(data.test.classes(), 8);
  EXPECT_TRUE(data.train.empty());
}

TEST(PhotographsTest, ListsThatAreNotUnderstoodAreErrors) {
  for (const char* line :
       {"x.JPEG", "x.JPEG -1", "x.JPEG seven", "../x.JPEG 1", " 3"}) {
    const TempDir folder;
    Write(folder / "val" / "x.JPEG", "");
    Write(folder / "val.txt", line);
    ExpectError(ErrorCode::kBadInput, {"val.txt", "a label"},
                [&] { ReadPhotographs(folder.path(), {}, {}); });
  }
}

TEST(PhotographsTest, FilesOfAnotherKindAreLeftOutWithAWarning) {
  const TempDir folder;
  WriteFolder(folder.path());
  Write(folder / "train" / "n01" / "b.JPEG", "a PNG file");
  std::string warned;
  rebasin::Run run;
  run.warn = [&](const std::string& text) { warned = text; };
  EXPECT_EQ(ReadPhotographs(folder.path(), {}, run).train.size(), 2);
  EXPECT_NE(warned.find("b.JPEG"), std::string::npos) << warned;
}

TEST(PhotographsTest, PartsMustHaveTheSameClasses) {
  const TempDir folder;
  WriteFolder(folder.path());
  fs::rename(folder / "val" / "n02", folder / "val" / "n03");
  ExpectError(ErrorCode::kMismatch, {"train has 2 classes"},
              [&] { ReadPhotographs(folder.path(), {}, {}); });
}

}  // namespace
}  // namespace rebasin::lab
