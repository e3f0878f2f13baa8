# tessera_add_package(<name> SOURCE <file.tile> [KERNEL <kernel>] [DEFINES NAME=VALUE...]
#                     [OPTIONS <option of tilec>...])
# Compiles kernels while the project is built. <name> is a library to link: it brings <name>.h, the typed
# launchers of `tile-launch --emit-header`, the runtime, and the path of the package as the string
# literal <NAME>_PACKAGE. The property TESSERA_PACKAGE of <name> is that path, too.
function(tessera_add_package name)
  cmake_parse_arguments(ARG "" "SOURCE;KERNEL" "DEFINES;OPTIONS" ${ARGN})
  if(NOT TARGET Tessera::tilec)
    message(FATAL_ERROR "tessera_add_package(${name}): this installation has no tilec; "
                        "cmake --install BUILD --component Tools adds it")
  endif()
  if(NOT ARG_SOURCE OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_package(${name}): expected SOURCE <file.tile>, KERNEL, DEFINES and "
                        "OPTIONS, got '${ARGN}'")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_SOURCE NORMALIZE)
  if(NOT EXISTS ${ARG_SOURCE})
    message(FATAL_ERROR "tessera_add_package(${name}): there is no '${ARG_SOURCE}'")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}-package)
  set(package ${folder}/${name}.tpk)
  set(header ${folder}/${name}.h)
  list(TRANSFORM ARG_DEFINES PREPEND "-D;" OUTPUT_VARIABLE defines)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${package} ${header}
    COMMAND Tessera::tilec ${ARG_SOURCE} "$<$<BOOL:${ARG_KERNEL}>:--kernel;${ARG_KERNEL}>" ${defines}
            ${ARG_OPTIONS} -o ${package} --depfile=${package}.d
    COMMAND Tessera::tile-launch ${package} --emit-header > ${header}
    DEPENDS ${ARG_SOURCE} Tessera::tilec
    DEPFILE ${package}.d
    COMMENT "Compiling ${name}.tpk"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}-package DEPENDS ${package} ${header})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}-package)
  target_include_directories(${name} INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE Tessera::tessera_runtime)
  string(TOUPPER ${name} prefix)
  string(MAKE_C_IDENTIFIER ${prefix} prefix)
  target_compile_definitions(${name} INTERFACE ${prefix}_PACKAGE="${package}")
  set_target_properties(${name} PROPERTIES TESSERA_PACKAGE ${package})
endfunction()
