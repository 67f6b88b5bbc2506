# Installation: the library, its headers, the command, and what find_package(gsolve) and pkg-config read. Both are relocatable.
include(CMakePackageConfigHelpers)
set(gsolve_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gsolve)
install(TARGETS gsolve EXPORT gsolve_targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(GSOLVE_BOTH)
  install(TARGETS gsolve_other LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(GSOLVE_COMMAND)
  file(RELATIVE_PATH gsolve_lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(gsolve_command PROPERTIES INSTALL_RPATH $ORIGIN/${gsolve_lib_from_bin})
  install(TARGETS gsolve_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/gsolve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(NOT CMAKE_CROSSCOMPILING) # the command writes the completion scripts of the shells
    install(CODE "foreach(shell bash zsh)
      execute_process(COMMAND \"$<TARGET_FILE:gsolve_command>\" completion \${shell}
                      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.\${shell}\" RESULT_VARIABLE failed)
      if(failed)
        message(WARNING \"gsolve completion \${shell} failed; its script is not installed\")
        file(REMOVE \"${PROJECT_BINARY_DIR}/completion.\${shell}\")
      endif()
    endforeach()")
    install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME gsolve OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _gsolve OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
        PATTERN "*.f90" PATTERN "gsolve_mpi.h" EXCLUDE)
if(GSOLVE_MPI) # find_package(gsolve) offers gsolve::gsolve_mpi where find_package(MPI) has been called before
  install(FILES include/gsolve_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS gsolve_mpi EXPORT gsolve_mpi_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gsolve_mpi_targets NAMESPACE gsolve:: DESTINATION ${gsolve_config_dir} FILE gsolve-mpi-targets.cmake)
endif()
install(EXPORT gsolve_targets NAMESPACE gsolve:: DESTINATION ${gsolve_config_dir}
        FILE gsolve-targets.cmake)
if(GSOLVE_CUDA)
  set(gsolve_with_cuda ON)
  set(gsolve_private_libs "-lcudart_static -lcusparse -lstdc++ -ldl -lrt ")
else()
  set(gsolve_with_cuda OFF)
  set(gsolve_private_libs "")
endif()
set(gsolve_find_modules cmake/FindCXSparse.cmake)
foreach(library ${gsolve_factor_libraries})
  list(APPEND gsolve_find_modules cmake/Find${library}.cmake)
  get_filename_component(name ${${library}_LIBRARY} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" name ${name})
  string(APPEND gsolve_private_libs "${name} ")
endforeach()
if(GSOLVE_ZSTD)
  list(APPEND gsolve_find_modules cmake/FindZstd.cmake)
endif()
foreach(library "BZIP2 -lbz2" "XZ -llzma" "ZSTD -lzstd" "MATIO -ldl")
  string(REPLACE " " ";" library ${library})
  list(GET library 0 option)
  list(GET library 1 name)
  if(GSOLVE_${option})
    string(APPEND gsolve_private_libs "${name} ")
  endif()
endforeach()
configure_package_config_file(cmake/gsolve-config.cmake.in gsolve-config.cmake
                              INSTALL_DESTINATION ${gsolve_config_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(gsolve-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gsolve-config.cmake
              ${PROJECT_BINARY_DIR}/gsolve-config-version.cmake ${gsolve_find_modules}
        DESTINATION ${gsolve_config_dir})
file(RELATIVE_PATH gsolve_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/gsolve.pc.in gsolve.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gsolve.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
