#include "rebasin/error.h"

#include <gtest/gtest.h>

namespace rebasin {
namespace {

TEST(Printable, KeepsOrdinaryTextOfAnyScript) {
  EXPECT_EQ(Printable("layer1.0.weight"), "layer1.0.weight");
  EXPECT_EQ(Printable("слой"), "слой");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\nb"), "a\\nb");
  EXPECT_EQ(Printable("\x1b[31m"), "\\u001b[31m");
  EXPECT_EQ(Printable("a\xE2\x80\xAEz"), "a\\u202ez");  // right-to-left mark
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xFFz"), "a\\xffz");
  EXPECT_EQ(Printable("\xC0\xAF"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Printable, ShortensLongTextInTheMiddle) {
  const std::string text = Printable(std::string(5000, 'x'), 10);
  EXPECT_EQ(text, "xxxxx[4990 bytes]xxxxx");
}

TEST(Quoted, EscapesQuotes) { EXPECT_EQ(Quoted("a\"b"), "\"a\\\"b\""); }

TEST(Error, KnowsItsExitCode) {
  EXPECT_EQ(Error(ErrorCode::kUsage, "").ExitCode(), 2);
  EXPECT_EQ(Error(ErrorCode::kUnsupported, "").ExitCode(), 3);
  EXPECT_EQ(Error(ErrorCode::kMismatch, "").ExitCode(), 4);
  EXPECT_EQ(Error(ErrorCode::kIo, "").ExitCode(), 5);
  EXPECT_EQ(Error(ErrorCode::kLimit, "").ExitCode(), 6);
}

}  // namespace
}  // namespace rebasin
