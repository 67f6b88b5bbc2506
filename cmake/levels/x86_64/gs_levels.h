/* gs_levels.h: the levels for which the kernels of the CPU are compiled, on x86-64. v3 and v4 use
 * the vector and bit instructions of x86-64-v3 and x86-64-v4; cmake/sources.cmake has the options of
 * the compiler, which must not allow more than GS_LEVEL_RUNS tests. */
#ifndef GS_LEVELS_H
#define GS_LEVELS_H

#define GS_LEVEL_COUNT 3
#define GS_LEVEL_NAMES {"baseline", "v3", "v4"}

#define GS_LEVEL_INIT()      __builtin_cpu_init()
#define GS_LEVEL_RUNS(level) ((level) == 0 || (GS_HAS_V3 && ((level) == 1 || GS_HAS_V4)))
#define GS_HAS_V3                                                          \
    (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") && \
     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
#define GS_HAS_V4                                                                \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&  \
     __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && \
     __builtin_cpu_supports("avx512vl"))

/* The declarations of an array's copies, and the copy for a level. */
#define GS_LEVEL_COPIES(name, size) name##_baseline[size], name##_v3[size], name##_v4[size]
#define GS_AT_LEVEL(name, level) \
    ((level) == 2 ? name##_v4 : (level) == 1 ? name##_v3 : name##_baseline)
#define GS_LEVEL_LIST(name) {name##_baseline, name##_v3, name##_v4}

#endif
