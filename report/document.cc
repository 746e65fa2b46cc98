#include "report/document.h"

namespace rebasin {

const char* SupportText(Support support) {
  switch (support) {
    case Support::kSupported:
      return "supported";
    case Support::kPartly:
      return "partly supported";
    case Support::kContradicted:
      return "not supported";
    case Support::kUndecided:
      break;
  }
  return "undecided";
}

}  // namespace rebasin
