# Installs the core as a static library with a CMake package (rebasin::core)
# and a pkg-config file; what runs networks, if it is built, as the package's
# component nn (rebasin::nn). Every path is relative to the prefix, so the
# installed tree may be moved. The program installs itself, in cli/.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rebasin)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS rebasin_core EXPORT rebasin-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rebasin
                  ${PROJECT_BINARY_DIR}/include/rebasin
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN nn EXCLUDE)
if(REBASIN_NN)
  install(TARGETS rebasin_nn EXPORT rebasin-nn-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rebasin/nn
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rebasin)
  install(EXPORT rebasin-nn-targets NAMESPACE rebasin::
          DESTINATION ${package_dir})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/digits
        DESTINATION ${CMAKE_INSTALL_DATADIR}/rebasin)

get_target_property(linked rebasin_core LINK_LIBRARIES)
if("hwy::hwy" IN_LIST linked)
  set(find_highway "find_dependency(hwy)")
  set(pc_highway "libhwy ")
endif()
install(EXPORT rebasin-targets NAMESPACE rebasin:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/rebasin-config.cmake.in
  ${PROJECT_BINARY_DIR}/rebasin-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break what the old one offered.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/rebasin-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rebasin-config.cmake
              ${PROJECT_BINARY_DIR}/rebasin-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/rebasin.pc.in
               ${PROJECT_BINARY_DIR}/rebasin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rebasin.pc DESTINATION ${pkgconfig_dir})
