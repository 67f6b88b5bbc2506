# FindCXSparse: SuiteSparse's CXSparse as the target CXSparse::CXSparse.
find_path(CXSparse_INCLUDE_DIR cs.h PATH_SUFFIXES suitesparse)
find_library(CXSparse_LIBRARY cxsparse)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CXSparse REQUIRED_VARS CXSparse_LIBRARY CXSparse_INCLUDE_DIR)
mark_as_advanced(CXSparse_INCLUDE_DIR CXSparse_LIBRARY)
if(CXSparse_FOUND AND NOT TARGET CXSparse::CXSparse)
  add_library(CXSparse::CXSparse UNKNOWN IMPORTED)
  set_target_properties(CXSparse::CXSparse PROPERTIES
    IMPORTED_LOCATION ${CXSparse_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CXSparse_INCLUDE_DIR})
endif()
