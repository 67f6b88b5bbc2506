/* work.h: the work space of a solver, and the arrays that move with a column. */
#ifndef GS_SOLVER_RUN_WORK_H
#define GS_SOLVER_RUN_WORK_H

#include "solver/run/run.h"

#define GS_MAX_WORK 56 /* blocks that a solver may own */

typedef struct gs_moving { /* an array on the device, `words` words of 4 bytes for each column */
    void *first;
    int64_t words;
} gs_moving;

typedef struct gs_work {
    void *block[GS_MAX_WORK];
    int blocks;
    gs_moving moving[GS_MAX_WORK]; /* the arrays that move when columns are swapped */
    int nmoving;
    bool counting;  /* work space is counted and not allocated, see gsolve_solver_memory */
    size_t counted; /* its bytes on the device */
} gs_work;

/* From here on the array at first, of `bytes` bytes for each column, moves when columns move. */
void gs_work_move_along(gs_krylov *k, void *first, size_t bytes);
/* Releases all work space. */
void gs_work_release(gs_krylov *k);

#endif
