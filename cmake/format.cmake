# Formatting: the target format applies .clang-format, check_format only looks.

# Other versions of clang-format than 18 format differently.
find_program(CLANG_FORMAT NAMES clang-format-18 clang-format)
if(CLANG_FORMAT)
  execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE clang_format_version)
endif()
if(NOT clang_format_version MATCHES "version 18\\.")
  add_custom_target(format COMMAND ${CMAKE_COMMAND} -E echo "format needs clang-format 18: pip install clang-format==18.1.8"
                    COMMAND ${CMAKE_COMMAND} -E false)
else()
  file(GLOB_RECURSE gsolve_formatted RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
       include/*.h include/*.hpp core/*.[ch] core/*.cu* vector/*.[ch] vector/*.cu* matrix/*.[ch] matrix/*.cu* factor/*.[ch] spmv/*.[ch] spgemm/*.[ch] spgemm/*.cu* precond/*.[ch] solver/*.[ch] io/*.[ch]
       cli/*.[ch] examples/*.c examples/*.cpp bench/*.[ch] bench/*.cu tests/*.[ch] tests/*.cu)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${gsolve_formatted}
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_custom_target(check_format COMMAND ${CLANG_FORMAT} --dry-run -Werror ${gsolve_formatted}
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
