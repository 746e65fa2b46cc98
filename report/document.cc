#include "report/document.h"

namespace rebasin {

const char* SupportText(Support support) {
  switch (support) {
    case Support::kSupported:
      return "supported";
    case Support::kMixed:
      return "mixed";
    case Support::kNotSupported:
      return "not supported";
    case Support::kNotTested:
      break;
  }
  return "not tested at this size";
}

}  // namespace rebasin
