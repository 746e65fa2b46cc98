# Adds sources that each hand over a table of rows, and writes the function that
# returns all tables. conv_transpose.cc is the family ConvTranspose: with TABLES
# Operators it defines ConvTransposeOperators(). So a new file is listed once,
# where the build needs it anyway.
#
#   rebasin_add_families(TARGET HEADER graph/ops/ops.h NAMESPACE rebasin
#                        ROW Operator TABLES Operators
#                        FAMILIES conv.cc conv_transpose.cc ...)
#
# HEADER declares std::vector<std::span<const ROW>> AllTABLES().
function(rebasin_add_families target)
  set(declarations "")
  set(calls "")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE;ROW;TABLES"
                        "FAMILIES")
  foreach(source IN LISTS arg_FAMILIES)
    rebasin_family_name(${source} family)
    string(APPEND declarations
           "std::span<const ${arg_ROW}> ${family}${arg_TABLES}();\n")
    string(APPEND calls "      ${family}${arg_TABLES}(),\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/all_families.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Written by cmake/families.cmake.
#include \"@arg_HEADER@\"

namespace @arg_NAMESPACE@ {

@declarations@
std::vector<std::span<const @arg_ROW@>> All@arg_TABLES@() {
  return {
@calls@  };
}

}  // namespace @arg_NAMESPACE@
")
  target_sources(${target} PRIVATE ${arg_FAMILIES} ${generated})
endfunction()

# ops/conv_transpose.cc -> ConvTranspose
function(rebasin_family_name source result)
  set(family "")
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "_" ";" words ${name})
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND family ${first}${rest})
  endforeach()
  set(${result} ${family} PARENT_SCOPE)
endfunction()
