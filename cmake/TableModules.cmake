# libpairs_arrow.so and libpairs_fits.so: all that is compiled against Arrow and CFITSIO, opened when such a file is read
# (tasks/own/tables/table_module.h).
function(pairs_table_module name folder built)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${name} MODULE ${sources})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -fvisibility=hidden)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARGN})
  pairs_run_path(${name} "${built}" "$ORIGIN")
  # Programs look for it beside themselves: those of the tests lie in a folder of their own.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  file(CREATE_LINK ../lib${name}.so ${PROJECT_BINARY_DIR}/tests/lib${name}.so SYMBOLIC)
  add_dependencies(pairs_tables ${name})
endfunction()

if(PAIRS_ARROW)
  find_package(Arrow REQUIRED)
  pairs_table_module(pairs_arrow tasks/own/arrow "${Arrow_FOLDER}" Arrow::parquet)
endif()
if(PAIRS_FITS)
  pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
  pairs_table_module(pairs_fits tasks/own/fits "$ORIGIN" PkgConfig::cfitsio)
endif()
