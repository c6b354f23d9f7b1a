# libpairs_cuda.so: the CUDA side of our operators, opened at run time where there is a driver (core/base/devices.h).
# AUTO builds it where nvcc and LibTorch's CUDA libraries are; ON makes their absence an error; OFF leaves it out.
set(PAIRS_CUDA AUTO CACHE STRING "Build the CUDA module: AUTO, ON or OFF")
set_property(CACHE PAIRS_CUDA PROPERTY STRINGS AUTO ON OFF)
string(TOUPPER "${PAIRS_CUDA}" pairs_cuda_wish)
if(NOT pairs_cuda_wish MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PAIRS_CUDA is '${PAIRS_CUDA}'; it must be AUTO, ON or OFF")
endif()

# nvcc takes most of a minute to read LibTorch's headers: kernels stand in .cu files without them, and _cuda.cpp files
# hand them tensors.
file(GLOB pairs_cuda_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/core/ops/*_kernels.cu ${PROJECT_SOURCE_DIR}/core/ops/*_cuda.cpp
  ${PROJECT_SOURCE_DIR}/render/*_kernels.cu ${PROJECT_SOURCE_DIR}/render/*_cuda.cpp)

set(pairs_cuda_obstacle "")
if(pairs_cuda_wish STREQUAL OFF)
  set(pairs_cuda_obstacle "PAIRS_CUDA is OFF")
elseif(pairs_sanitizers OR PAIRS_FUZZ)
  set(pairs_cuda_obstacle "sanitizers and CUDA do not mix")
elseif(NOT TARGET LibTorch::cuda)
  set(pairs_cuda_obstacle "this LibTorch (${LibTorch_DIR}) has no CUDA libraries")
elseif(NOT pairs_cuda_sources)
  set(pairs_cuda_obstacle "there are no *_kernels.cu files")
else()
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PAIRS_NVCC nvcc HINTS /usr/local/cuda/bin)
    if(PAIRS_NVCC)
      set(CMAKE_CUDA_COMPILER ${PAIRS_NVCC})
    endif()
  endif()
  include(CheckLanguage)
  # Any value stops CMake from choosing an architecture by itself; the flags below name ours.
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(pairs_cuda_obstacle "no nvcc was found")
  else()
    enable_language(CUDA)
    string(REGEX MATCH "^[0-9]+" pairs_nvcc_major "${CMAKE_CUDA_COMPILER_VERSION}")
    if(LibTorch_CUDA_VERSION AND NOT LibTorch_CUDA_VERSION MATCHES "^${pairs_nvcc_major}\\.")
      set(pairs_cuda_obstacle
        "nvcc is ${CMAKE_CUDA_COMPILER_VERSION} and LibTorch was built with CUDA ${LibTorch_CUDA_VERSION}")
    endif()
  endif()
endif()

if(pairs_cuda_obstacle AND pairs_cuda_wish STREQUAL ON)
  message(FATAL_ERROR "PAIRS_CUDA is ON but the CUDA module cannot be built: ${pairs_cuda_obstacle}")
elseif(pairs_cuda_obstacle)
  message(STATUS "CUDA module: left out, ${pairs_cuda_obstacle}")
else()
  message(STATUS "CUDA module: built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for sm_80 and sm_90")
  add_library(pairs_cuda MODULE ${pairs_cuda_sources})
  # CMake 3.25 does not know C++20 for nvcc 13, so the flag is ours and the standard stays unset.
  set_target_properties(pairs_cuda PROPERTIES
    CUDA_STANDARD_REQUIRED OFF
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    INSTALL_RPATH "$ORIGIN:$ORIGIN/torch/lib")
  target_compile_options(pairs_cuda PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off>)
  # What the kernels use of core/base comes along as hidden copies; LibTorch is the program's own.
  target_link_libraries(pairs_cuda PRIVATE pairs_base LibTorch::cuda)
  pairs_precompiled(pairs_cuda)
  # LibTorch's CUDA libraries need NVIDIA's, which a machine without a GPU does not have.
  target_link_options(pairs_cuda PRIVATE LINKER:--allow-shlib-undefined LINKER:--exclude-libs,ALL)
endif()
