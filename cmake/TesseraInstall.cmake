# What `cmake --install` puts where, by components: Runtime (the C library, its header, pkg-config, the
# CMake package), Tools, Compiler (archives and headers), and Wheel, which is installed only by name and
# makes the folder of the Python package complete (pyproject.toml).
include(CMakePackageConfigHelpers)

set(TESSERA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)

install(TARGETS tessera_runtime tessera_emulator EXPORT TesseraRuntimeTargets
  LIBRARY COMPONENT Runtime
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Compiler.h belongs to a library that only wheels contain.
install(DIRECTORY include/tessera-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Runtime
  PATTERN Compiler.h EXCLUDE)

# Headers of dialects are included by their path in the repository, below a folder of their own.
set(headers FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN *.td PATTERN *.h.inc
    PATTERN CMakeFiles EXCLUDE)
install(DIRECTORY include/tessera ${PROJECT_BINARY_DIR}/include/tessera
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Compiler ${headers})
install(DIRECTORY dialects ${PROJECT_BINARY_DIR}/dialects
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/ods COMPONENT Compiler ${headers})

foreach(component Runtime Tools Compiler)
  install(EXPORT Tessera${component}Targets NAMESPACE Tessera:: DESTINATION ${TESSERA_CMAKE_DIR}
    COMPONENT ${component})
endforeach()
configure_package_config_file(cmake/TesseraConfig.cmake.in TesseraConfig.cmake
  INSTALL_DESTINATION ${TESSERA_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
  cmake/TesseraPackages.cmake DESTINATION ${TESSERA_CMAKE_DIR} COMPONENT Runtime)

# Paths from the place of the file, so that the tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE TESSERA_PC_INCLUDEDIR)
configure_file(cmake/tessera-runtime.pc.in tessera-runtime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tessera-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT Runtime)

install(TARGETS tessera RUNTIME DESTINATION bin COMPONENT Wheel EXCLUDE_FROM_ALL)
install(TARGETS tessera_compiler tessera_runtime tessera_emulator LIBRARY DESTINATION . COMPONENT Wheel EXCLUDE_FROM_ALL)
# The wheel is for all versions of Python: those that cannot load the extension do without it.
if(TARGET tessera_calls)
  install(TARGETS tessera_calls LIBRARY DESTINATION . COMPONENT Wheel EXCLUDE_FROM_ALL)
endif()
# The licences of what is linked in.
foreach(package libmlir-22-dev libtomlplusplus-dev libzstd-dev zlib1g-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION licenses RENAME ${package}.txt
    COMPONENT Wheel EXCLUDE_FROM_ALL OPTIONAL)
endforeach()
add_custom_target(tessera-wheel DEPENDS tessera tessera_runtime tessera_emulator
  $<TARGET_NAME_IF_EXISTS:tessera_calls>)
