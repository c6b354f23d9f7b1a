# libpairs_arrow.so: all that is compiled against Arrow, opened when a Parquet or Arrow file is read
# (tasks/own/tables/arrow_module.h).
if(PAIRS_ARROW)
  find_package(Arrow REQUIRED)
  file(GLOB pairs_arrow_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tasks/own/arrow/*.cpp)
  add_library(pairs_arrow MODULE ${pairs_arrow_sources})
  set_target_properties(pairs_arrow PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_options(pairs_arrow PRIVATE -Wall -Wextra -fvisibility=hidden)
  target_include_directories(pairs_arrow PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(pairs_arrow PRIVATE Arrow::parquet)
  pairs_run_path(pairs_arrow "${Arrow_FOLDER}" "$ORIGIN")
  # Programs look for it beside themselves: those of the tests lie in a folder of their own.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  file(CREATE_LINK ../libpairs_arrow.so ${PROJECT_BINARY_DIR}/tests/libpairs_arrow.so SYMBOLIC)
  add_dependencies(pairs_tables pairs_arrow)
endif()
