# Warnings and sanitizers shared by every target of the project.
add_library(rebasin_flags INTERFACE)
target_compile_options(rebasin_flags INTERFACE -Wall -Wextra -Wshadow
                       -Wnon-virtual-dtor -Woverloaded-virtual)
# GCC 12 sees overlapping copies in std::string concatenation that are not
# there (GCC bug 105651).
target_compile_options(rebasin_flags INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Precompiled headers that a compiler cache can keep: read as text by GCC's
# preprocessor, and without the time at which Clang made them.
target_compile_options(rebasin_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
if(REBASIN_WERROR)
  target_compile_options(rebasin_flags INTERFACE -Werror)
endif()
if(REBASIN_SANITIZE)
  target_compile_definitions(rebasin_flags INTERFACE REBASIN_SANITIZED)
  target_compile_options(rebasin_flags INTERFACE
    -fsanitize=${REBASIN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(rebasin_flags INTERFACE -fsanitize=${REBASIN_SANITIZE})
endif()
