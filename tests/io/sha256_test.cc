#include "io/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace rebasin {
namespace {

std::string Digest(const std::string& text) {
  return Sha256Of(std::as_bytes(std::span(text)));
}

// The examples of FIPS 180-4.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(Digest(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Digest("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameInAnyPieces) {
  const std::string text(300, 'x');
  for (size_t piece = 1; piece < 200; ++piece) {
    Sha256 sum;
    for (size_t at = 0; at < text.size(); at += piece) {
      const std::string part = text.substr(at, piece);
      sum.Add(std::as_bytes(std::span(part)));
    }
    EXPECT_EQ(sum.Finish(), Digest(text)) << piece;
  }
}

}  // namespace
}  // namespace rebasin
