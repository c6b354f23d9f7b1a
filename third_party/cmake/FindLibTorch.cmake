# Finds the pinned LibTorch wheel (third_party/README.md). In this order: LIBTORCH_ROOT, which names a folder that holds
# torch/ (and nvidia/); the caches that third_party/install.sh fills; a torch of the right version that python3 imports.
#
# Targets: LibTorch::cpu (with LibTorch::c10), and LibTorch::cuda where the wheel has its CUDA libraries.
# Variables: LibTorch_VERSION, LibTorch_CUDA_VERSION ("" for a CPU build), LibTorch_DIR (torch/), LibTorch_ROOT_DIR,
# LibTorch_CACHE (the folder that third_party/install.sh fills).
set(LIBTORCH_ROOT "" CACHE PATH "Folder that holds torch/ of the pinned wheel")
set(LibTorch_REQUIRED_VERSION 2.11)

# Sets ${out} to the version in ROOT/torch/version.py where ROOT holds a usable LibTorch, to "" where it does not.
function(_libtorch_version root out)
  set(${out} "" PARENT_SCOPE)
  if(EXISTS ${root}/torch/version.py AND EXISTS ${root}/torch/lib/libtorch_cpu.so
     AND EXISTS ${root}/torch/include/ATen/core/Tensor.h)
    file(STRINGS ${root}/torch/version.py line REGEX "^__version__ *=")
    string(REGEX REPLACE "^[^'\"]*['\"]([^'\"]*)['\"].*" "\\1" version "${line}")
    set(${out} "${version}" PARENT_SCOPE)
  endif()
endfunction()

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(LibTorch_CACHE "$ENV{XDG_CACHE_HOME}/pairs-studio")
else()
  set(LibTorch_CACHE "$ENV{HOME}/.cache/pairs-studio")
endif()

set(LibTorch_ROOT_DIR "")
set(_libtorch_reason "run third_party/install.sh once, or set LIBTORCH_ROOT to a folder that holds torch/ of version ${LibTorch_REQUIRED_VERSION}")
if(LIBTORCH_ROOT)
  _libtorch_version(${LIBTORCH_ROOT} LibTorch_VERSION)
  if(LibTorch_VERSION MATCHES "^${LibTorch_REQUIRED_VERSION}\\.")
    set(LibTorch_ROOT_DIR ${LIBTORCH_ROOT})
  else()
    set(_libtorch_reason "LIBTORCH_ROOT=${LIBTORCH_ROOT} holds no torch/ of version ${LibTorch_REQUIRED_VERSION} (found: '${LibTorch_VERSION}')")
  endif()
else()
  set(_libtorch_candidates ${LibTorch_CACHE}/torch-2.11.0-gpu ${LibTorch_CACHE}/torch-2.11.0-cpu)
  foreach(_libtorch_try RANGE 1)
    foreach(_libtorch_candidate IN LISTS _libtorch_candidates)
      _libtorch_version(${_libtorch_candidate} LibTorch_VERSION)
      if(NOT LibTorch_ROOT_DIR AND LibTorch_VERSION MATCHES "^${LibTorch_REQUIRED_VERSION}\\.")
        set(LibTorch_ROOT_DIR ${_libtorch_candidate})
      endif()
    endforeach()
    if(LibTorch_ROOT_DIR OR _libtorch_try EQUAL 1)
      break()
    endif()
    # Finding the package does not import it: no Python code of torch runs.
    execute_process(
      COMMAND python3 -c "import importlib.util as u, os; s = u.find_spec('torch'); print(os.path.dirname(os.path.dirname(s.origin)))"
      OUTPUT_VARIABLE _libtorch_candidates OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endforeach()
  if(LibTorch_ROOT_DIR)
    _libtorch_version(${LibTorch_ROOT_DIR} LibTorch_VERSION)
  endif()
endif()

set(LibTorch_CUDA_VERSION "")
if(LibTorch_ROOT_DIR)
  get_filename_component(LibTorch_ROOT_DIR ${LibTorch_ROOT_DIR} ABSOLUTE)
  set(LibTorch_DIR ${LibTorch_ROOT_DIR}/torch)
  set(LibTorch_INCLUDE_DIR ${LibTorch_DIR}/include)
  file(STRINGS ${LibTorch_DIR}/version.py _libtorch_line REGEX "^cuda.*= *'")
  if(_libtorch_line MATCHES "'([0-9.]+)'")
    set(LibTorch_CUDA_VERSION ${CMAKE_MATCH_1})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_ROOT_DIR LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "${_libtorch_reason}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_DIR}/lib/libc10.so)
  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    IMPORTED_LOCATION ${LibTorch_DIR}/lib/libtorch_cpu.so
    INTERFACE_LINK_LIBRARIES LibTorch::c10
    INTERFACE_LINK_OPTIONS "-Wl,-rpath-link,${LibTorch_DIR}/lib:${LibTorch_ROOT_DIR}/nvidia/cu13/lib")
  # The wheel's folder comes after the system's: it contains its own fmt, which must not shadow the one that spdlog was
  # built with. nvcc has no -idirafter and passes it to the host compiler, which preprocesses for both sides.
  foreach(_libtorch_folder ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
    target_compile_options(LibTorch::cpu INTERFACE
      "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:-idirafter ${_libtorch_folder}>"
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-idirafter,${_libtorch_folder}>")
  endforeach()
  if(EXISTS ${LibTorch_DIR}/lib/libtorch_cuda.so AND EXISTS ${LibTorch_DIR}/lib/libc10_cuda.so AND LibTorch_CUDA_VERSION)
    add_library(LibTorch::c10_cuda SHARED IMPORTED)
    set_target_properties(LibTorch::c10_cuda PROPERTIES IMPORTED_LOCATION ${LibTorch_DIR}/lib/libc10_cuda.so)
    # A module registers its kernels when it is loaded and may refer to no symbol of torch_cuda; so keep it linked.
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu LibTorch::c10_cuda)
    target_link_options(LibTorch::cuda INTERFACE
      "LINKER:--push-state,--no-as-needed,${LibTorch_DIR}/lib/libtorch_cuda.so,--pop-state")
  endif()
endif()
