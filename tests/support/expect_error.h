// Runs something that must throw rebasin::Error, and looks at the error.

#ifndef REBASIN_TESTS_SUPPORT_EXPECT_ERROR_H_
#define REBASIN_TESTS_SUPPORT_EXPECT_ERROR_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rebasin/error.h"

namespace rebasin {

// The message must be one line and hold each of `says`, in it or in the hint.
inline void ExpectError(ErrorCode code, const std::vector<std::string>& says,
                        const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    const std::string text = error.what() + ("\t" + error.hint());
    EXPECT_EQ(error.code(), code) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& part : says) {
      EXPECT_NE(text.find(part), std::string::npos)
          << "expected: " << part << "\nfound:    " << text;
    }
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_EXPECT_ERROR_H_
