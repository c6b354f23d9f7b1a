# Finds Arrow's C++ libraries of the pinned wheel pyarrow (third_party/README.md): ARROW_ROOT, which names a folder that holds
# pyarrow/, or the cache that third_party/install.sh fills.
#
# Target: Arrow::parquet, libparquet.so with libarrow.so. Variables: Arrow_LIBRARIES (both files), Arrow_FOLDER, Arrow_VERSION.
set(ARROW_ROOT "" CACHE PATH "Folder that holds pyarrow/ of the pinned wheel")
if(NOT ARROW_ROOT AND DEFINED ENV{ARROW_ROOT})
  set(Arrow_ROOT_DIR $ENV{ARROW_ROOT})
elseif(ARROW_ROOT)
  set(Arrow_ROOT_DIR ${ARROW_ROOT})
else()
  set(Arrow_ROOT_DIR ${LibTorch_CACHE}/arrow-26.0.1)
endif()
set(Arrow_FOLDER ${Arrow_ROOT_DIR}/pyarrow)
set(Arrow_LIBRARIES "")
set(Arrow_VERSION "")
if(EXISTS ${Arrow_FOLDER}/include/arrow/util/config.h)
  file(STRINGS ${Arrow_FOLDER}/include/arrow/util/config.h _arrow_line REGEX "define ARROW_VERSION_STRING")
  string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" Arrow_VERSION "${_arrow_line}")
  foreach(_arrow_name parquet arrow)
    file(GLOB _arrow_library ${Arrow_FOLDER}/lib${_arrow_name}.so.*)
    list(APPEND Arrow_LIBRARIES ${_arrow_library})
  endforeach()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arrow
  REQUIRED_VARS Arrow_LIBRARIES
  VERSION_VAR Arrow_VERSION
  REASON_FAILURE_MESSAGE "run third_party/install.sh once, or configure with -DPAIRS_ARROW=OFF to do without Parquet and Arrow files")

if(Arrow_FOUND AND NOT TARGET Arrow::parquet)
  add_library(Arrow::parquet INTERFACE IMPORTED)
  target_include_directories(Arrow::parquet SYSTEM INTERFACE ${Arrow_FOLDER}/include)
  target_link_libraries(Arrow::parquet INTERFACE ${Arrow_LIBRARIES})
endif()
