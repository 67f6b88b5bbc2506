/* gs_levels.h: the level for which the kernels of the CPU are compiled, on processors other than
 * x86-64: the one that the compiler is set to. See cmake/levels/x86_64 for a list of several. */
#ifndef GS_LEVELS_H
#define GS_LEVELS_H

#define GS_LEVEL_COUNT 1
#define GS_LEVEL_NAMES {"baseline"}

#define GS_LEVEL_INIT()      (void)0
#define GS_LEVEL_RUNS(level) ((level) == 0)

/* The declarations of an array's copies, and the copy for a level. */
#define GS_LEVEL_COPIES(name, size) name##_baseline[size]
#define GS_AT_LEVEL(name, level)    ((void)(level), name##_baseline)
#define GS_LEVEL_LIST(name)         {name##_baseline}

#endif
