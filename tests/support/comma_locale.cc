#include "support/comma_locale.h"

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace rebasin::testing {

CommaLocale::CommaLocale() {
  const std::string command = "localedef -i de_DE -f UTF-8 '" +
                              (folder_ / name_).native() + "' 2>/dev/null";
  if (std::system(command.c_str()) != 0) {
    throw std::runtime_error("localedef failed; scripts/install-deps has it");
  }
}

WithCommaLocale::WithCommaLocale() {
  setenv("LOCPATH", locale_.folder().c_str(), 1);
  std::setlocale(LC_ALL, locale_.name().c_str());
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f", 0.5);
  if (std::string(text.data()) != "0,5") {
    throw std::runtime_error("numbers have no decimal comma");
  }
}

WithCommaLocale::~WithCommaLocale() {
  std::setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
}

}  // namespace rebasin::testing
