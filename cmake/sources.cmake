# The source files of the library. The kernels of the CPU are compiled once for each level of the processor, see
# core/device.h and cmake/levels/. A context uses the highest level that the processor supports.

# The options of each level beside the baseline, which is what the compiler is set to. cmake/levels/x86_64/gs_levels.h
# tests for exactly these instructions. -mtune: see docs/decisions/026-one-build-for-every-processor.md.
set(gsolve_level_v3 -mpopcnt -mavx2 -mbmi -mbmi2)
set(gsolve_level_v4 ${gsolve_level_v3} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mtune=icelake-server)

# gsolve_sources(C a.c b.c HOST c_host.c CUDA a.cu): the folder's files. HOST: kernels that are compiled for each level.
# no_cuda.c stands in for CUDA.
function(gsolve_sources)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "C;HOST;CUDA")
  if(arg_CUDA AND NOT GSOLVE_CUDA)
    set(arg_CUDA no_cuda.c)
  endif()
  target_sources(gsolve PRIVATE ${arg_C} ${arg_HOST} ${arg_CUDA})
  foreach(file ${arg_HOST})
    gsolve_compile_for_levels(${file})
  endforeach()
endfunction()

# The baseline is compiled from the file itself. A level is compiled from a file that includes it.
function(gsolve_compile_for_levels file)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  get_source_file_property(options ${file} TARGET_DIRECTORY gsolve COMPILE_OPTIONS)
  if(NOT options)
    set(options "")
  endif()
  set_source_files_properties(${file} TARGET_DIRECTORY gsolve PROPERTIES COMPILE_DEFINITIONS
    "GS_LEVEL_SUFFIX=baseline;GS_LEVEL_BYTES=16")
  foreach(level ${gsolve_levels})
    set(copy ${PROJECT_BINARY_DIR}/levels/${level}/${name})
    file(CONFIGURE OUTPUT ${copy} CONTENT "#include \"${name}\"\n")
    target_sources(gsolve PRIVATE ${copy})
    set_source_files_properties(${copy} TARGET_DIRECTORY gsolve PROPERTIES
      COMPILE_OPTIONS "${options};${gsolve_level_${level}}" 
      COMPILE_DEFINITIONS "GS_LEVEL_SUFFIX=${level};GS_LEVEL_BYTES=32")
  endforeach()
endfunction()
