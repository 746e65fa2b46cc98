// A locale in which numbers have a decimal comma, whatever the machine has.

#ifndef REBASIN_TESTS_SUPPORT_COMMA_LOCALE_H_
#define REBASIN_TESTS_SUPPORT_COMMA_LOCALE_H_

#include <string>

#include "support/temp_dir.h"

namespace rebasin::testing {

// Compiles the German locale, as Debian's package locales has it, into a folder
// of its own. Throws std::runtime_error if that fails.
class CommaLocale {
 public:
  CommaLocale();

  // The values of LOCPATH and LC_ALL with which a program finds it.
  const std::string& folder() const { return folder_.path().native(); }
  const std::string& name() const { return name_; }

 private:
  TempDir folder_;
  std::string name_ = "de_DE.UTF-8";
};

// The C library of this process uses that locale as long as this lives.
class WithCommaLocale {
 public:
  WithCommaLocale();
  ~WithCommaLocale();

 private:
  CommaLocale locale_;
};

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_SUPPORT_COMMA_LOCALE_H_
