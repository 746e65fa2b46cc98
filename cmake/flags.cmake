# Warnings and sanitizers shared by every target of the project.
add_library(rebasin_flags INTERFACE)
target_compile_options(rebasin_flags INTERFACE -Wall -Wextra -Wshadow
                       -Wnon-virtual-dtor -Woverloaded-virtual)
# GCC 12 warns of overlap in plain string concatenation (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rebasin_flags INTERFACE -Wno-restrict)
endif()
if(REBASIN_WERROR)
  target_compile_options(rebasin_flags INTERFACE -Werror)
endif()
if(REBASIN_SANITIZE)
  target_compile_options(rebasin_flags INTERFACE
    -fsanitize=${REBASIN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(rebasin_flags INTERFACE -fsanitize=${REBASIN_SANITIZE})
endif()
