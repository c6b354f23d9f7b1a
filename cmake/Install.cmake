# `cmake --install BUILD --prefix FOLDER` makes a folder that runs wherever it is moved:
#   bin/pairs
#   libexec/pairs-studio/ pairs-keeper, under which simulators run
#   lib/                  libpairs_cuda.so, libpairs_fits.so, libpairs_transfer.so, libpairs_arrow.so with Arrow's libraries,
#                         and the system's shared libraries, except glibc and libstdc++
#   lib/torch, lib/nvidia LibTorch in the wheel's own layout, which its relative RPATHs expect
#   share/pairs-studio/   presets, weights, examples, licenses of the libraries
#   share/applications, share/icons, share/mime   desktop integration
#   share/man, share/bash-completion  the manual page and bash completion
#   share/doc/pairs-studio            documentation
# The component `folder` holds the files that a Debian package has elsewhere (Package.cmake).
pairs_install(pairs bin RUNTIME_DEPENDENCY_SET pairs_dependencies RUNTIME)
pairs_install(pairs_keeper libexec/pairs-studio RUNTIME)
if(TARGET pairs_cuda)
  pairs_install(pairs_cuda lib LIBRARY)
endif()
if(TARGET pairs_arrow)
  pairs_install(pairs_arrow lib LIBRARY)
  install(FILES ${Arrow_LIBRARIES} DESTINATION lib)
endif()
foreach(module pairs_fits pairs_transfer)
  if(TARGET ${module})
    pairs_install(${module} lib RUNTIME_DEPENDENCY_SET pairs_dependencies LIBRARY)
  endif()
endforeach()

# LibTorch and NVIDIA's libraries follow below; the C and C++ runtimes belong to the machine.
install(RUNTIME_DEPENDENCY_SET pairs_dependencies
  PRE_EXCLUDE_REGEXES "^lib(torch|c10|gomp|cud|cupti|nv)" "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s)\\.so"
  DESTINATION lib)

set(pairs_torch_libraries libc10.so libtorch_cpu.so)
file(GLOB pairs_gomp RELATIVE ${LibTorch_DIR}/lib ${LibTorch_DIR}/lib/libgomp*.so*)
list(APPEND pairs_torch_libraries ${pairs_gomp})
file(GLOB pairs_nvidia_libraries RELATIVE ${LibTorch_ROOT_DIR} ${LibTorch_ROOT_DIR}/nvidia/*/lib/*.so*)
if(NOT pairs_nvidia_libraries MATCHES "libcublas\\.so")
  # The CPU set-up: libtorch_cpu.so needs two of NVIDIA's libraries and nothing else.
  list(FILTER pairs_nvidia_libraries INCLUDE REGEX "/lib(cudart|cupti)\\.so")
elseif(TARGET LibTorch::cuda)
  file(GLOB pairs_torch_libraries RELATIVE ${LibTorch_DIR}/lib ${LibTorch_DIR}/lib/lib*.so*)
  list(FILTER pairs_torch_libraries EXCLUDE REGEX "python")
endif()
list(TRANSFORM pairs_torch_libraries PREPEND ${LibTorch_DIR}/lib/)
install(FILES ${pairs_torch_libraries} DESTINATION lib/torch/lib)
foreach(library IN LISTS pairs_nvidia_libraries)
  get_filename_component(folder ${library} DIRECTORY)
  install(FILES ${LibTorch_ROOT_DIR}/${library} DESTINATION lib/${folder})
endforeach()

install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/packaging/licenses.sh\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" \"${LibTorch_ROOT_DIR}\" \"${Arrow_ROOT_DIR}\" COMMAND_ERROR_IS_FATAL ANY)")

install(DIRECTORY assets/ DESTINATION share/pairs-studio PATTERN desktop EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES third_party/torch-gpu.txt DESTINATION share/pairs-studio)
set(pairs_documents README.md CHANGELOG.md LICENSE CITATION.cff)

# pairs_install_documents(FOLDER SHARED OPTIONS...): the documentation, each page where the others link to it, and links
# to the installed examples and benchmark, in SHARED, a path relative to FOLDER/assets.
function(pairs_install_documents folder shared)
  install(FILES ${pairs_documents} DESTINATION ${folder} ${ARGN})
  install(DIRECTORY docs DESTINATION ${folder} ${ARGN} PATTERN __pycache__ EXCLUDE)
  install(FILES tests/gpu/hour.sh DESTINATION ${folder}/tests/gpu ${ARGN})
  file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS tasks/*/README.md third_party/README.md third_party/*/README.md)
  foreach(page IN LISTS pages)
    get_filename_component(place ${page} DIRECTORY)
    install(FILES ${page} DESTINATION ${folder}/${place} ${ARGN})
  endforeach()
  set(root "\$ENV{DESTDIR}${folder}")
  if(NOT IS_ABSOLUTE ${folder})
    set(root "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  install(CODE "
    file(MAKE_DIRECTORY \"${root}/assets\")
    foreach(part examples benchmark)
      file(CREATE_LINK ${shared}/\${part} \"${root}/assets/\${part}\" SYMBOLIC)
    endforeach()" ${ARGN})
endfunction()
pairs_install_documents(share/doc/pairs-studio ../../../pairs-studio COMPONENT folder)

# pairs_install_words(SHARE COMPONENT): the manual page and bash completion, which the program itself writes.
# pairs_install_desktop(SHARE COMPONENT): the entry for menus, its icon, and the types of our files. SHARE is absolute or
# relative to the prefix.
function(pairs_install_words share component)
  set(root "\$ENV{DESTDIR}${share}")
  if(NOT IS_ABSOLUTE ${share})
    set(root "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}")
  endif()
  # A build to be packaged finds its libraries only in the installed tree.
  install(CODE "
    set(words ${CMAKE_COMMAND} -E env \"LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}:${LibTorch_DIR}/lib\" \"$<TARGET_FILE:pairs>\")
    file(MAKE_DIRECTORY \"${root}/man/man1\" \"${root}/bash-completion/completions\")
    execute_process(COMMAND \${words} --man OUTPUT_FILE \"${root}/man/man1/pairs.1\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND gzip -9nf \"${root}/man/man1/pairs.1\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${words} --completion OUTPUT_FILE \"${root}/bash-completion/completions/pairs\"
      COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component} ${ARGN})
endfunction()
function(pairs_install_desktop share component)
  if(PAIRS_WINDOW)
    install(FILES assets/desktop/pairs-studio.desktop DESTINATION ${share}/applications COMPONENT ${component} ${ARGN})
    install(FILES assets/desktop/pairs-studio.svg DESTINATION ${share}/icons/hicolor/scalable/apps
            COMPONENT ${component} ${ARGN})
    install(FILES assets/desktop/pairs-studio.xml DESTINATION ${share}/mime/packages COMPONENT ${component} ${ARGN})
  endif()
endfunction()
pairs_install_words(share folder)
pairs_install_desktop(share folder)
