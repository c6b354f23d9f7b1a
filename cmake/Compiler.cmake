# Compiler, linker and sanitizers: how files are compiled. pairs_options passes the flags to every library,
# pairs_allocator those that only executables need.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Release is -O3. The window, commands and tests only call the fast code: they are -O1 and compile sooner. There is no
# -march, so results and binaries are the same on every x86-64; kernels for wider registers are chosen at run time.

# A trivial file that includes LibTorch compiles in 13 s, or in 5 s with precompiled headers. The files still include what
# they use, since the preset `dev` builds without precompiled headers.
option(PAIRS_PRECOMPILE "Compile LibTorch's headers once for all files" ON)

# Every file that includes LibTorch instantiates templates of its headers, which takes 3 to 4 s even with precompiled
# headers. Compiling several files as one saves that time.
option(PAIRS_UNITY "Compile several files of a library or test program at once" ON)

find_program(PAIRS_CCACHE ccache)
if(PAIRS_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      # ccache needs these settings to cache files that use precompiled headers. The base folder lets another clone of the
      # repository find what the first compiled.
      set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_NOHASHDIR=1 ${PAIRS_CCACHE})
    endif()
  endforeach()
endif()
find_program(PAIRS_MOLD mold)
if(PAIRS_MOLD)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=mold>)
endif()

set(PAIRS_SANITIZE "" CACHE STRING "Sanitizers, separated by commas: address, undefined, thread")
string(REPLACE "," ";" pairs_sanitizers "${PAIRS_SANITIZE}")
foreach(sanitizer IN LISTS pairs_sanitizers)
  if(NOT sanitizer MATCHES "^(address|undefined|thread)$")
    message(FATAL_ERROR "PAIRS_SANITIZE: '${sanitizer}' is not one of address, undefined, thread")
  endif()
endforeach()
if("thread" IN_LIST pairs_sanitizers AND "address" IN_LIST pairs_sanitizers)
  message(FATAL_ERROR "PAIRS_SANITIZE: thread and address cannot be combined; build once with each")
endif()
if(pairs_sanitizers)
  list(JOIN pairs_sanitizers "," pairs_sanitizers_flag)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${pairs_sanitizers_flag}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${pairs_sanitizers_flag})
  if("undefined" IN_LIST pairs_sanitizers)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=undefined>)
  endif()
endif()

# tests/fuzz selects the instrumented code.
option(PAIRS_FUZZ "Add the libFuzzer programs of tests/fuzz (clang only; build the target fuzzers)" OFF)
if(PAIRS_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "PAIRS_FUZZ needs clang: use the preset 'fuzz', or set CMAKE_CXX_COMPILER to clang++")
endif()

# glibc returns large tensors to the system and faults them in again; tcmalloc keeps them (third_party/README.md). Nothing
# refers to tcmalloc's symbols, so --no-as-needed keeps it linked. Sanitizers have their own allocator.
add_library(pairs_allocator INTERFACE)
if(NOT pairs_sanitizers AND NOT PAIRS_FUZZ)
  find_library(PAIRS_TCMALLOC tcmalloc_minimal REQUIRED)
  target_link_options(pairs_allocator INTERFACE
    "LINKER:--push-state,--no-as-needed,${PAIRS_TCMALLOC},--pop-state")
endif()

# at::parallel_for runs serially in files compiled without OpenMP, whose library the wheel contains.
# ThreadSanitizer cannot see libgomp's barriers and would report every parallel loop.
set(PAIRS_OPENMP_FLAG "")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT "thread" IN_LIST pairs_sanitizers)
  set(PAIRS_OPENMP_FLAG -fopenmp)
endif()

# Programs use -fPIC, too: precompiled headers need the same flags in all files.
add_library(pairs_options INTERFACE)
target_compile_options(pairs_options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-fPIC>
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall> $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>
  # Without -Wno-psabi GCC notes, wherever a vector is passed, that its calling convention changed in version 4.6.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-psabi>
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:C,CXX>:-fno-math-errno>
  $<$<COMPILE_LANGUAGE:C,CXX>:-fno-trapping-math> $<$<COMPILE_LANGUAGE:C,CXX>:${PAIRS_OPENMP_FLAG}>)
target_link_options(pairs_options INTERFACE $<$<LINK_LANGUAGE:C,CXX>:${PAIRS_OPENMP_FLAG}>)
target_include_directories(pairs_options INTERFACE ${PROJECT_SOURCE_DIR})
