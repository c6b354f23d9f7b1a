# One static library per folder, and one function for each kind of target.

# The precompiled headers, shared by every target that calls pairs_precompiled.
if(PAIRS_PRECOMPILE)
  add_library(pairs_headers STATIC ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
  target_link_libraries(pairs_headers PRIVATE pairs_options)
  target_precompile_headers(pairs_headers PRIVATE
    <torch/types.h> <torch/nn/module.h> <torch/csrc/autograd/custom_function.h> <ATen/Functions.h> <ATen/Parallel.h>
    <fmt/format.h> <fmt/ranges.h> <filesystem> <functional> <map> <memory> <string> <vector>)
endif()
function(pairs_precompiled name)
  if(PAIRS_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM pairs_headers)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    endif()
  endif()
endfunction()

# Compiles up to 54 of the target's files as one unit, so that names in unnamed namespaces must differ between files of
# one namespace. Files that select instruction sets (#pragma GCC target) are compiled alone, and so are CPU operators
# (_cpu.cpp), each of which takes long.
function(pairs_together name)
  if(PAIRS_UNITY)
    get_target_property(sources ${name} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_cpu\\.cpp$")
    set(count 0)
    foreach(source IN LISTS sources)
      file(STRINGS ${source} chooses REGEX "^#pragma GCC target" LIMIT_COUNT 1)
      if(chooses)
        continue()
      endif()
      math(EXPR part "${count} / 54")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${part}")
    endforeach()
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # GCC treats every included file as a header and warns of types with parts in unnamed namespaces.
    target_compile_options(${name} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Compiles with -O1 those targets that only call the fast code: the window, commands, tests.
function(pairs_cold name)
  target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()

# Folders within a folder named with /** that are separate libraries or programs.
set(pairs_own_libraries tasks/own/arrow tasks/own/fits tasks/own/keeper tasks/parts tasks/objects tasks/molecules tasks/own/stored tasks/own/tables)

# pairs_library(NAME FOLDER LIBRARY...): the .cpp files of a folder, and of its subfolders where its name ends in /**. Each
# library links only the libraries below it in the design's order, so a wrong include fails to link as well as failing the
# layering test.
function(pairs_library name folder)
  set(glob GLOB)
  if(folder MATCHES "^(.*)/\\*\\*$")
    set(folder ${CMAKE_MATCH_1})
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")  # these belong to libpairs_cuda.so
  if(glob STREQUAL GLOB_RECURSE)
    foreach(own IN LISTS pairs_own_libraries)
      if(own STREQUAL folder)
        continue()
      endif()
      list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${own}/")
    endforeach()
  endif()
  if(NOT sources)
    set(sources ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC pairs_options ${ARGN})
  if(NOT folder STREQUAL "core/report")  # figures do not use tensors
    pairs_precompiled(${name})
  endif()
  pairs_together(${name})
endfunction()

# pairs_operator_library(NAME FOLDER): a library whose files register operators with LibTorch's dispatcher when the
# program starts. Nothing refers to such a file, so a linker would drop it from a static library: linking NAME
# links all of NAME_archive.
function(pairs_operator_library name folder)
  pairs_library(${name}_archive ${folder} ${ARGN})
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  add_library(${name} INTERFACE ${headers})
  add_dependencies(${name} ${name}_archive)
  target_link_libraries(${name} INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,${name}_archive>)
endfunction()

# pairs_run_path(NAME BUILT INSTALLED): the folders in which a program or module looks for its libraries, in the build tree
# and where pairs_install puts it. CMake by itself would end the first with an empty entry, which the loader reads as the
# current folder; here slashes reserve the space for the second.
function(pairs_run_path name built installed)
  if(PAIRS_PACKAGE)  # the bytes must not depend on the build folder; such a program runs only once installed
    set(built "${installed}")
  endif()
  string(LENGTH "${built}" room)
  string(LENGTH "${installed}" need)
  if(room LESS need)
    math(EXPR missing "${need} - ${room}")
    string(REPEAT "/" ${missing} slashes)
    string(APPEND built "${slashes}")
  endif()
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "${built}"
    PAIRS_INSTALLED_RPATH "${installed}")
endfunction()

# pairs_install(NAME FOLDER ARGUMENT...): installs a target as the component `program`, with its run path INSTALLED. The
# arguments are those of install(TARGETS).
function(pairs_install name folder)
  install(TARGETS ${name} ${ARGN} DESTINATION ${folder} COMPONENT program)
  get_target_property(built ${name} INSTALL_RPATH)
  get_target_property(installed ${name} PAIRS_INSTALLED_RPATH)
  install(CODE "file(RPATH_CHANGE
    FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${name}>\"
    OLD_RPATH \"${built}\" NEW_RPATH \"${installed}\")" COMPONENT program)
endfunction()

# pairs_program(NAME SOURCE...): an executable. It finds libpairs_cuda.so by name: its RPATH (not RUNPATH, which the
# libraries it loads would not inherit) names that folder, too.
function(pairs_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE pairs_allocator)
  target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
  if(NOT pairs_sanitizers AND NOT PAIRS_FUZZ)  # sanitizers' runtimes are not ready so early
    target_link_options(${name} PRIVATE
      LINKER:--undefined=pairs_bound_spinning        # core/base/threads/wait_policy.h
      LINKER:--undefined=pairs_need_working_folder)  # core/base/system/working_folder.h
  endif()
  pairs_run_path(${name} "${PROJECT_BINARY_DIR}:${LibTorch_DIR}/lib" "$ORIGIN/../lib:$ORIGIN/../lib/torch/lib")
endfunction()
