# FindMETIS: METIS 5 as the target METIS::METIS.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "It is in the Debian package libmetis-dev, or configure with -DGSOLVE_METIS=OFF.")
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED GLOBAL)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})
endif()
