#include "report/web.h"

// The files are included by the assembler: C++20 has no #embed, and half a
// megabyte is too long for a string literal.
#define REBASIN_EMBED(name, path)                 \
  __asm__(                                        \
      ".section .rodata\n"                        \
      ".global rebasin_" #name                    \
      "_begin\n"                                  \
      ".global rebasin_" #name                    \
      "_end\n"                                    \
      "rebasin_" #name                            \
      "_begin:\n"                                 \
      ".incbin \"" path                           \
      "\"\n"                                      \
      "rebasin_" #name                            \
      "_end:\n"                                   \
      ".byte 0\n"                                 \
      ".previous\n");                             \
  extern "C" const char rebasin_##name##_begin[]; \
  extern "C" const char rebasin_##name##_end[]

REBASIN_EMBED(style, REBASIN_STYLE_FILE);
REBASIN_EMBED(script, REBASIN_SCRIPT_FILE);
REBASIN_EMBED(vega, REBASIN_VEGA_FILE);

namespace rebasin {

std::string_view PageStyle() {
  return {rebasin_style_begin, rebasin_style_end};
}

std::string_view PageScript() {
  return {rebasin_script_begin, rebasin_script_end};
}

std::string_view VegaScript() { return {rebasin_vega_begin, rebasin_vega_end}; }

}  // namespace rebasin
