# The serial C library of HDF5, through pkg-config: the target LibHDF5::LibHDF5, and LibHDF5::HL with its high-level part
# (dimension scales). CMake's own FindHDF5 queries compiler wrappers, and selects an MPI build if one is installed, too.
find_package(PkgConfig QUIET)
pkg_check_modules(pc_LibHDF5 QUIET hdf5-serial)
find_path(LibHDF5_INCLUDE_DIR hdf5.h HINTS ${pc_LibHDF5_INCLUDE_DIRS} PATH_SUFFIXES hdf5/serial)
find_library(LibHDF5_LIBRARY NAMES hdf5_serial hdf5 HINTS ${pc_LibHDF5_LIBRARY_DIRS})
find_library(LibHDF5_HL_LIBRARY NAMES hdf5_serial_hl hdf5_hl HINTS ${pc_LibHDF5_LIBRARY_DIRS})
mark_as_advanced(LibHDF5_INCLUDE_DIR LibHDF5_LIBRARY LibHDF5_HL_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibHDF5
  REQUIRED_VARS LibHDF5_INCLUDE_DIR LibHDF5_LIBRARY LibHDF5_HL_LIBRARY
  VERSION_VAR pc_LibHDF5_VERSION
  REASON_FAILURE_MESSAGE "install libhdf5-dev, or configure with -DPAIRS_HDF5=OFF to do without HDF5 files")

if(LibHDF5_FOUND AND NOT TARGET LibHDF5::LibHDF5)
  add_library(LibHDF5::LibHDF5 INTERFACE IMPORTED)
  target_include_directories(LibHDF5::LibHDF5 SYSTEM INTERFACE ${LibHDF5_INCLUDE_DIR})
  target_link_libraries(LibHDF5::LibHDF5 INTERFACE ${LibHDF5_LIBRARY})
  add_library(LibHDF5::HL INTERFACE IMPORTED)
  target_link_libraries(LibHDF5::HL INTERFACE ${LibHDF5_HL_LIBRARY} LibHDF5::LibHDF5)
endif()
