# FindZstd: Zstandard as the target Zstd::Zstd.
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(Zstd_LIBRARY zstd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REQUIRED_VARS Zstd_LIBRARY ZSTD_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "It is in the Debian package libzstd-dev, or configure with -DGSOLVE_ZSTD=OFF.")
mark_as_advanced(ZSTD_INCLUDE_DIR Zstd_LIBRARY)
if(Zstd_FOUND AND NOT TARGET Zstd::Zstd)
  add_library(Zstd::Zstd UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Zstd::Zstd PROPERTIES IMPORTED_LOCATION ${Zstd_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR})
endif()
