# FindMUMPS: MUMPS for one process, in double precision, as the target MUMPS::MUMPS.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES suitesparse)
find_library(MUMPS_LIBRARY dmumps_seq)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS MUMPS_LIBRARY MUMPS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "It is in the Debian package libmumps-seq-dev, or leave out -DGSOLVE_MUMPS=ON.")
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_LIBRARY)
if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
  add_library(MUMPS::MUMPS UNKNOWN IMPORTED)
  set_target_properties(MUMPS::MUMPS PROPERTIES
    IMPORTED_LOCATION ${MUMPS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${MUMPS_INCLUDE_DIR})
endif()
