// Reads the file of a row, and looks at whether that went as the row states.

#ifndef REBASIN_TESTS_SUPPORT_EXPECT_ROW_H_
#define REBASIN_TESTS_SUPPORT_EXPECT_ROW_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/bad_input.h"
#include "support/expect_error.h"

namespace rebasin {

// A refusal must say `source`, too.
inline void ExpectAsStated(const InputRow& row, const std::string& source,
                           const std::function<void()>& read) {
  if (!row.error) {
    EXPECT_NO_THROW(read());
    return;
  }
  std::vector<std::string> says = row.says;
  says.push_back(source);
  ExpectError(*row.error, says, read);
}

// `read` takes the file's content, and calls it "the file".
inline void ExpectAsStated(
    const InputRow& row, const std::function<void(const std::string&)>& read) {
  const std::string file = row.make();
  ExpectAsStated(row, "the file: ", [&] { read(file); });
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_EXPECT_ROW_H_
