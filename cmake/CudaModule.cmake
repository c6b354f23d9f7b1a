# libpairs_cuda.so: the CUDA side of our operators, opened at run time where there is a driver (core/base/gpu/devices.h).
# AUTO builds it where nvcc and LibTorch's CUDA libraries are; ON makes their absence an error; OFF leaves it out.
set(PAIRS_CUDA AUTO CACHE STRING "Build the CUDA module: AUTO, ON or OFF")
set_property(CACHE PAIRS_CUDA PROPERTY STRINGS AUTO ON OFF)
string(TOUPPER "${PAIRS_CUDA}" pairs_cuda_wish)
if(NOT pairs_cuda_wish MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PAIRS_CUDA is '${PAIRS_CUDA}'; it must be AUTO, ON or OFF")
endif()

# The compute capabilities of the module's machine code. The newest is included as PTX, too, which drivers compile for later
# GPUs. The program queries the module for the oldest and newest (core/base/gpu/cuda_support.h).
set(pairs_cuda_lowest 80)
set(pairs_cuda_newest 90)

# The nvcc of the wheels, which third_party/install.sh fetches where there is a driver and no nvcc of the right version.
set(PAIRS_NVCC_ROOT "" CACHE PATH "Folder that holds nvidia/cu13/bin/nvcc of the pinned wheels")

# nvcc takes most of a minute to read LibTorch's headers. Kernels are therefore in .cu files without them, and _cuda.cpp
# files pass them tensors.
file(GLOB pairs_cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/base/gpu/*.cu
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
    # Select the first whose major version equals LibTorch's.
    set(pairs_cuda_home /usr/local/cuda)
    if(DEFINED ENV{CUDA_HOME} AND NOT "$ENV{CUDA_HOME}" STREQUAL "")
      set(pairs_cuda_home $ENV{CUDA_HOME})
    endif()
    find_program(pairs_system_nvcc nvcc NO_CACHE)
    file(GLOB pairs_fetched_nvcc ${LibTorch_CACHE}/nvcc-*/nvidia/cu13/bin/nvcc)
    foreach(pairs_nvcc IN ITEMS "${pairs_system_nvcc}" "${pairs_cuda_home}/bin/nvcc"
                                "${PAIRS_NVCC_ROOT}/nvidia/cu13/bin/nvcc"
                                ${pairs_fetched_nvcc})
      if(pairs_nvcc AND EXISTS ${pairs_nvcc})
        execute_process(COMMAND ${pairs_nvcc} --version OUTPUT_VARIABLE pairs_nvcc_text ERROR_QUIET)
        string(REGEX MATCH "release ([0-9]+)\\.[0-9]+" pairs_nvcc_release "${pairs_nvcc_text}")
        if(LibTorch_CUDA_VERSION MATCHES "^${CMAKE_MATCH_1}\\." AND pairs_nvcc_release)
          set(CMAKE_CUDA_COMPILER ${pairs_nvcc})
          break()
        endif()
      endif()
    endforeach()
  endif()
  # CMake turns these into -gencode flags; without a value it would compile for nvcc's default only.
  set(CMAKE_CUDA_ARCHITECTURES ${pairs_cuda_lowest}-real ${pairs_cuda_newest}-real ${pairs_cuda_newest}-virtual)
  include(CheckLanguage)
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
  message(STATUS "CUDA module: built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for sm_${pairs_cuda_lowest} and sm_${pairs_cuda_newest}")
  # The headers of NCCL come with its wheel or lie next to those of the toolkit; its library is opened at run time.
  find_path(PAIRS_NCCL_INCLUDE nccl.h
    PATHS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${LibTorch_DIR}/../nvidia/nccl/include)
  if(PAIRS_NCCL_INCLUDE)
    list(APPEND pairs_cuda_sources ${PROJECT_SOURCE_DIR}/core/parallel/nccl_pair_cuda.cpp)
    message(STATUS "CUDA module: ranks on GPUs use NCCL (${PAIRS_NCCL_INCLUDE}/nccl.h)")
  else()
    message(STATUS "CUDA module: without NCCL, nccl.h was not found; ranks on GPUs exchange gradients through memory")
  endif()
  add_library(pairs_cuda MODULE ${pairs_cuda_sources})
  # CMake 3.25 does not know C++20 for nvcc 13, so we set the flag ourselves and leave the standard unset.
  set_target_properties(pairs_cuda PROPERTIES
    CUDA_STANDARD_REQUIRED OFF
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  # Programs look for it in their own folder; test programs have a folder of their own.
  file(CREATE_LINK ../libpairs_cuda.so ${PROJECT_BINARY_DIR}/tests/libpairs_cuda.so SYMBOLIC)
  pairs_run_path(pairs_cuda "${LibTorch_DIR}/lib" "$ORIGIN:$ORIGIN/torch/lib")
  target_compile_definitions(pairs_cuda PRIVATE
    PAIRS_CUDA_LOWEST=${pairs_cuda_lowest} PAIRS_CUDA_NEWEST=${pairs_cuda_newest})
  target_compile_options(pairs_cuda PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off>)
  # The _cuda.cpp files include the runtime's headers, too, which may lie where the host compiler does not look.
  target_include_directories(pairs_cuda SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}
    $<$<BOOL:${PAIRS_NCCL_INCLUDE}>:${PAIRS_NCCL_INCLUDE}>)
  # The module has hidden copies of the parts of core/base that its kernels use, and shares the program's LibTorch.
  target_link_libraries(pairs_cuda PRIVATE pairs_base LibTorch::cuda)
  pairs_precompiled(pairs_cuda)
  pairs_together(pairs_cuda)
  # LibTorch's CUDA libraries need NVIDIA's, which a machine without a GPU lacks.
  target_link_options(pairs_cuda PRIVATE LINKER:--allow-shlib-undefined LINKER:--exclude-libs,ALL)
  # nvcc derives names of file-local symbols from the folder, so the build's identity would depend on it.
  if(PAIRS_PACKAGE)
    target_link_options(pairs_cuda PRIVATE LINKER:--strip-all)
  endif()
endif()
