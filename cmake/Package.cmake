# `cpack` makes a Debian package of the folder of Install.cmake, as /usr/lib/pairs-studio. The component `debian` holds the
# files that a Debian system expects elsewhere. packaging/package.sh calls it, on a build with PAIRS_PACKAGE on.
set(pairs_debian_doc /usr/share/doc/pairs-studio)
set(CPACK_PACKAGE_CONTACT "The Pairs Studio developers <pairs-studio@users.noreply.github.com>")

set(pairs_debian COMPONENT debian EXCLUDE_FROM_ALL)

pairs_install_words(/usr/share debian EXCLUDE_FROM_ALL)
pairs_install_desktop(/usr/share debian EXCLUDE_FROM_ALL)
pairs_install_documents(${pairs_debian_doc} ../../../../lib/pairs-studio/share/pairs-studio ${pairs_debian})
install(FILES packaging/copyright DESTINATION ${pairs_debian_doc} ${pairs_debian})
install(FILES packaging/lintian-overrides DESTINATION /usr/share/lintian/overrides RENAME pairs-studio ${pairs_debian})
# These steps are possible only when the package is built: links into the folder, and the changelog in Debian's format with
# the date of the commit (SOURCE_DATE_EPOCH).
install(CODE "
  set(root \"\$ENV{DESTDIR}\")
  file(MAKE_DIRECTORY \"\${root}/usr/bin\" \"\${root}${pairs_debian_doc}\")
  file(CREATE_LINK ../lib/pairs-studio/bin/pairs \"\${root}/usr/bin/pairs\" SYMBOLIC)
  file(CREATE_LINK ../../../lib/pairs-studio/share/pairs-studio/examples \"\${root}${pairs_debian_doc}/examples\" SYMBOLIC)
  string(TIMESTAMP date \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
  set(changelog \"\${root}${pairs_debian_doc}/changelog\")
  file(WRITE \"\${changelog}\" \"pairs-studio (${PROJECT_VERSION}) unstable; urgency=medium\\n\\n\"
    \"  * What is new stands in CHANGELOG.md.\\n\\n -- ${CPACK_PACKAGE_CONTACT}  \${date}\\n\")
  execute_process(COMMAND gzip -9nf \"\${changelog}\" COMMAND_ERROR_IS_FATAL ANY)"
  ${pairs_debian})

set(CPACK_PACKAGE_NAME pairs-studio)
set(CPACK_PACKAGE_VENDOR "Pairs Studio")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "posteriors of parameters that sets of observations share")
set(CPACK_PACKAGE_DESCRIPTION
"Simulation-based inference on sets: given any number of observations that
share unknown parameters, a network answers with the posterior of these. It is
trained on pairs of observations; each large set is then reduced once to the
mean of its embeddings, and a small density head is finetuned on those means
(the PAIRS method). Everything can be done in a window, and by commands
without one. Seven tasks with trained weights come along; tasks of your own
are programs that simulate, or tables of simulations.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packaging)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr/lib/pairs-studio)
set(CPACK_INSTALL_CMAKE_PROJECTS)
foreach(component program Unspecified debian)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} PairsStudio ${component} /)
endforeach()
# With one thread xz divides its work differently than with several; the result is the same for any number from two on.
set(CPACK_THREADS 2)

set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The minimum versions are those of Debian 12, on which the packaged libraries are built.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12)")
if(PAIRS_WINDOW)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", fonts-dejavu-core, fonts-inter, libegl1, libgl1, libglfw3")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, rdkit-data, shared-mime-info")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3-numpy)
include(CPack)
