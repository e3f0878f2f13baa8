# Thin wrappers over LLVM's functions. Two lists are kept apart on purpose: our own
# libraries (LINK_LIBS) are static archives, upstream ones (MLIR_LIBS) go through
# tessera_link_mlir, so that MLIR_LINK_MLIR_DYLIB=ON links libMLIR.so alone and no
# second, static copy of MLIR creeps in after it (which duplicates TypeIDs and options).

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
# The libraries of LLVM stay as they are, without assertions; what changes the layout of their classes
# hangs on LLVM_ENABLE_ABI_BREAKING_CHECKS, which their own headers say, but for statistics.
if(TESSERA_ASSERTIONS)
  add_compile_options(-UNDEBUG -D_GLIBCXX_ASSERTIONS
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/ReleaseStatistics.h>")
endif()
if(TESSERA_SANITIZERS)
  add_compile_options(-fsanitize=${TESSERA_SANITIZERS} -fno-sanitize=vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZERS} -fno-sanitize=vptr)
endif()
if(TESSERA_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Gives an installed binary its final RUNPATH already in the build. CMake would pad a RUNPATH that it rewrites at
# installation with colons, and the loader reads an empty element as the current folder. Standalone binaries have no
# RUNPATH.
function(tessera_fix_runpath name)
  get_target_property(standalone ${name} TESSERA_STANDALONE)
  set(links_llvm ON)
  if(standalone)
    set(links_llvm OFF)
  endif()
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ${links_llvm})
endfunction()

# The precompiled header: what nearly every file of the compiler includes.
set(TESSERA_PRECOMPILED_HEADERS
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/Matchers.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Pass/Pass.h>)
add_library(TesseraPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
# The precompiled header of libraries that also include the dialects llvm and nvvm, whose headers take 12 seconds to
# compile.
add_library(TesseraPrecompiledLowered OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
if(TESSERA_PCH)
  target_precompile_headers(TesseraPrecompiled PRIVATE ${TESSERA_PRECOMPILED_HEADERS})
  target_precompile_headers(TesseraPrecompiledLowered PRIVATE ${TESSERA_PRECOMPILED_HEADERS}
    <mlir/Dialect/LLVMIR/NVVMDialect.h> <mlir/Transforms/DialectConversion.h>)
endif()

# LLVM's support library as archives, for tools that are copied alone to machines without LLVM.
# Named as files, since the imported target would bring shared libraries along.
find_library(TESSERA_STATIC_ZLIB NAMES libz.a z)
add_library(TesseraStandaloneLLVM INTERFACE)
target_link_libraries(TesseraStandaloneLLVM INTERFACE
  $<TARGET_FILE:LLVMSupport> $<TARGET_FILE:LLVMDemangle> ${TESSERA_STATIC_ZLIB} ${CMAKE_DL_LIBS})
target_link_options(TesseraStandaloneLLVM INTERFACE
  -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-s)

# The same with MLIR and the code generator: every archive that there is, of which the linker takes what is
# needed, in any order (lld). Debian names one or two that it does not package.
find_library(TESSERA_STATIC_ZSTD NAMES libzstd.a zstd)
get_property(archives GLOBAL PROPERTY MLIR_ALL_LIBS)
add_library(TesseraStandaloneMLIR INTERFACE)
foreach(archive ${archives} ${LLVM_AVAILABLE_LIBS})
  if(TARGET ${archive})
    get_target_property(file ${archive} LOCATION)
    if(file MATCHES "[.]a$" AND EXISTS ${file})
      target_link_libraries(TesseraStandaloneMLIR INTERFACE ${file})
    endif()
  endif()
endforeach()
target_link_libraries(TesseraStandaloneMLIR INTERFACE TesseraStandaloneLLVM ${TESSERA_STATIC_ZSTD})

# Reduces the compile time of a target whose own speed does not matter. Precompiled headers contain only declarations,
# but clang rejects them at another optimisation level unless validation is off.
function(tessera_compile_quickly name)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${name} PRIVATE -O1)
    if(TESSERA_PCH)
      target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-validate-pch")
    endif()
  endif()
endfunction()

# Links LLVM's libraries: libLLVM.so where MLIR uses it too (Debian's static MLIR does), else the
# archives of the named components. What is linked in the end decides, by its property
# TESSERA_STANDALONE, since our own libraries serve both kinds.
function(tessera_link_llvm name visibility)
  if(MLIR_LINK_MLIR_DYLIB OR LLVM_LINK_LLVM_DYLIB)
    set(libs LLVM)
  else()
    llvm_map_components_to_libnames(libs Support ${ARGN})
  endif()
  set(standalone $<BOOL:$<TARGET_PROPERTY:TESSERA_STANDALONE>>)
  target_link_libraries(${name} ${visibility} $<BUILD_INTERFACE:$<${standalone}:TesseraStandaloneLLVM>>)
  foreach(lib ${libs})
    target_link_libraries(${name} ${visibility} $<$<NOT:${standalone}>:${lib}>)
  endforeach()
endfunction()

# Links MLIR's libraries, or libMLIR.so for all of them.
function(tessera_link_mlir name visibility)
  set(libs ${ARGN})
  if(MLIR_LINK_MLIR_DYLIB)
    set(libs MLIR)
  endif()
  set(standalone $<BOOL:$<TARGET_PROPERTY:TESSERA_STANDALONE>>)
  target_link_libraries(${name} ${visibility} $<BUILD_INTERFACE:$<${standalone}:TesseraStandaloneMLIR>>)
  foreach(lib ${libs})
    target_link_libraries(${name} ${visibility} $<$<NOT:${standalone}>:${lib}>)
  endforeach()
endfunction()

# add_tessera_library(<name> SOURCES... [DEPENDS t...] [LINK_LIBS t...] [MLIR_LIBS t...] [NO_PCH | LOWERED])
# NO_PCH is for libraries that must not see MLIR; LOWERED for those that read the dialects llvm and nvvm.
function(add_tessera_library name)
  cmake_parse_arguments(ARG "NO_PCH;LOWERED" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  tessera_link_llvm(${name} PUBLIC)
  if(ARG_MLIR_LIBS)
    tessera_link_mlir(${name} PUBLIC ${ARG_MLIR_LIBS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  add_dependencies(${name} tessera-headers)
  install(TARGETS ${name} EXPORT TesseraCompilerTargets ARCHIVE COMPONENT Compiler)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(TESSERA_PCH AND ARG_LOWERED)
    target_precompile_headers(${name} REUSE_FROM TesseraPrecompiledLowered)
  elseif(TESSERA_PCH AND NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM TesseraPrecompiled)
  endif()
endfunction()

# add_tessera_tool(<name> SOURCES... LINK_LIBS t... [MLIR_LIBS t...] [NO_PCH] [STANDALONE])
# STANDALONE is for tools without MLIR that need nothing at run time but libc.
function(add_tessera_tool name)
  cmake_parse_arguments(ARG "NO_PCH;STANDALONE" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
                                           TESSERA_STANDALONE ${ARG_STANDALONE})
  tessera_fix_runpath(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  tessera_link_llvm(${name} PRIVATE)
  if(ARG_MLIR_LIBS)
    tessera_link_mlir(${name} PRIVATE ${ARG_MLIR_LIBS})
  endif()
  add_dependencies(${name} tessera-headers)
  if(TESSERA_PCH AND NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM TesseraPrecompiled)
  endif()
endfunction()

# add_tessera_tablegen(<target> <td> <output> <generator args...> [<output> -- ...])
# Runs mlir-tblgen once per "output=-gen-x [-arg…]" item.
function(add_tessera_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(item ${ARGN})
    string(REPLACE "|" ";" item "${item}")
    list(POP_FRONT item output)
    mlir_tablegen(${output} ${item})
  endforeach()
  add_public_tablegen_target(${target})
  add_dependencies(tessera-headers ${target})
endfunction()

# add_tessera_doc(<td> <page> <generator args...>): one generated reference page, in docs/ of
# the build folder.
function(add_tessera_doc td page)
  set(LLVM_TARGET_DEFINITIONS ${td})
  tablegen(MLIR ${page}.md ${ARGN} "-I${MLIR_MAIN_INCLUDE_DIR}" "-I${PROJECT_SOURCE_DIR}")
  set(out ${PROJECT_BINARY_DIR}/docs/${page}.md)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${page}.md ${out}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${page}.md)
  add_custom_target(tessera-doc-${page} DEPENDS ${out})
  add_dependencies(tessera-doc tessera-doc-${page})
endfunction()
