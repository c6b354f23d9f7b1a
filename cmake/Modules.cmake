# libpairs_arrow.so, libpairs_fits.so and libpairs_transfer.so: all code that is compiled against Arrow, CFITSIO and
# libcurl. They are opened when such a file is read (tasks/own/tables/table_module.h) or fetched (app/gpu/transfer.h).

# pairs_module(NAME USER FOLDER BUILT LIBRARY...): a module of a folder's files, which the target USER opens. BUILT is the
# folder of its libraries in the build tree.
function(pairs_module name user folder built)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${name} MODULE ${sources})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -fvisibility=hidden)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARGN})
  pairs_run_path(${name} "${built}" "$ORIGIN")
  # Programs look for it in their own folder; test programs have a folder of their own.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  file(CREATE_LINK ../lib${name}.so ${PROJECT_BINARY_DIR}/tests/lib${name}.so SYMBOLIC)
  add_dependencies(${user} ${name})
endfunction()

if(PAIRS_ARROW)
  find_package(Arrow REQUIRED)
  pairs_module(pairs_arrow pairs_tables tasks/own/arrow "${Arrow_FOLDER}" Arrow::parquet)
endif()
if(PAIRS_FITS)
  pkg_check_modules(cfitsio REQUIRED IMPORTED_TARGET cfitsio)
  pairs_module(pairs_fits pairs_tables tasks/own/fits "$ORIGIN" PkgConfig::cfitsio)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/app/main.cpp)
  pkg_check_modules(curl REQUIRED IMPORTED_TARGET libcurl)
  pairs_module(pairs_transfer pairs_gpu app/gpu/curl "$ORIGIN" PkgConfig::curl)
endif()
