# FindMATIO: the header of libmatio and its shared library, which is loaded at run time.
find_path(MATIO_INCLUDE_DIR matio.h)
find_library(MATIO_LIBRARY NAMES libmatio.so)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MATIO REQUIRED_VARS MATIO_LIBRARY MATIO_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "It is in the Debian package libmatio-dev, or configure with -DGSOLVE_MATIO=OFF.")
mark_as_advanced(MATIO_INCLUDE_DIR MATIO_LIBRARY)
