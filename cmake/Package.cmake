# `cpack -G TZST` makes the folder of Install.cmake as pairs-studio-VERSION-linux-x86_64.tar.zst, `cpack -G DEB` a Debian
# package that holds it as /usr/lib/pairs-studio, with what a Debian system looks for elsewhere (the component `debian`).
# packaging/package.sh calls both, from a build with PAIRS_PACKAGE on.
set(pairs_private /usr/lib/pairs-studio)
set(pairs_made ${PROJECT_BINARY_DIR}/packaging)
file(MAKE_DIRECTORY ${pairs_made})

# Of the program itself: its manual page and what bash completes. It finds its libraries in the installed tree alone.
set(pairs_here ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}:${LibTorch_DIR}/lib $<TARGET_FILE:pairs>)
add_custom_command(OUTPUT ${pairs_made}/pairs.1.gz ${pairs_made}/pairs.bash ${pairs_made}/changelog.gz
  COMMAND ${pairs_here} --man > ${pairs_made}/pairs.1
  COMMAND gzip -9nf ${pairs_made}/pairs.1
  COMMAND ${pairs_here} --completion > ${pairs_made}/pairs.bash
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${pairs_made}/changelog.gz
  DEPENDS pairs CHANGELOG.md
  VERBATIM)
add_custom_target(pairs_packaging DEPENDS ${pairs_made}/pairs.1.gz ${pairs_made}/pairs.bash ${pairs_made}/changelog.gz)

function(pairs_debian folder)
  cmake_parse_arguments(PARSE_ARGV 1 of "" RENAME FILES)
  if(of_RENAME)
    install(FILES ${of_FILES} DESTINATION ${folder} RENAME ${of_RENAME} COMPONENT debian EXCLUDE_FROM_ALL)
  else()
    install(FILES ${of_FILES} DESTINATION ${folder} COMPONENT debian EXCLUDE_FROM_ALL)
  endif()
endfunction()
install(CODE "
  file(MAKE_DIRECTORY \"\$ENV{DESTDIR}/usr/bin\")
  file(CREATE_LINK ../lib/pairs-studio/bin/pairs \"\$ENV{DESTDIR}/usr/bin/pairs\" SYMBOLIC)"
  COMPONENT debian EXCLUDE_FROM_ALL)
pairs_debian(/usr/share/man/man1 FILES ${pairs_made}/pairs.1.gz)
pairs_debian(/usr/share/bash-completion/completions RENAME pairs FILES ${pairs_made}/pairs.bash)
pairs_debian(/usr/share/doc/pairs-studio RENAME changelog.gz FILES ${pairs_made}/changelog.gz)
pairs_debian(/usr/share/doc/pairs-studio FILES ${PROJECT_SOURCE_DIR}/packaging/copyright)
pairs_debian(/usr/share/doc/pairs-studio FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CITATION.cff)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION /usr/share/doc/pairs-studio COMPONENT debian EXCLUDE_FROM_ALL)
pairs_debian(/usr/share/lintian/overrides RENAME pairs-studio FILES ${PROJECT_SOURCE_DIR}/packaging/lintian-overrides)
if(PAIRS_WINDOW)
  pairs_debian(/usr/share/applications FILES ${PROJECT_SOURCE_DIR}/assets/desktop/pairs-studio.desktop)
  pairs_debian(/usr/share/icons/hicolor/scalable/apps FILES ${PROJECT_SOURCE_DIR}/assets/desktop/pairs-studio.svg)
  pairs_debian(/usr/share/mime/packages FILES ${PROJECT_SOURCE_DIR}/assets/desktop/pairs-studio.xml)
endif()

set(CPACK_PACKAGE_NAME pairs-studio)
set(CPACK_PACKAGE_VENDOR "Pairs Studio")
set(CPACK_PACKAGE_CONTACT "The Pairs Studio developers <pairs-studio@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "posteriors from sets of exchangeable observations")
set(CPACK_PACKAGE_DESCRIPTION
"Trains neural posterior estimators for sets of thousands of observations that
share unknown nuisances, by pretraining on pairs of observations and finetuning
on cached means of embeddings (PAIRS), and explores their posteriors beside
exact answers: in a window, or by commands without one. Seven simulators and
trained weights come along; simulators of your own are programs or tables.")
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${pairs_made})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/generator.cmake)
set(CPACK_PAIRS_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_PAIRS_PRIVATE ${pairs_private})
set(CPACK_PAIRS_WINDOW ${PAIRS_WINDOW})
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} CPACK_PAIRS_MACHINE)

set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Of Debian 12, whose glibc and libstdc++ the libraries within were built for.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12)")
if(PAIRS_WINDOW)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", fonts-dejavu-core, fonts-inter, libegl1, libgl1, libglfw3")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, rdkit-data, shared-mime-info")
include(CPack)
