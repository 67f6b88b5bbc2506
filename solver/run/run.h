/* run.h: the state of a run: the data of each column, and the parts of the run.
 *
 * Each part is defined in the header of the file that owns it, and only that file writes it. A file
 * includes the headers of the parts that it reads. */
#ifndef GS_SOLVER_RUN_RUN_H
#define GS_SOLVER_RUN_RUN_H

#include "solver/method.h"
#include "vector/convergence.h"

/* One right-hand side. outer.c, outer_scale.c and outer_answer.c set it; progress.c sets outcome,
 * iterations and products when the column ends. */
typedef struct gs_column {
    double target, norm;    /* |b - Ax| to reach, |b| */
    double first, begin;    /* |b - Ax| when the run began, when this correction began */
    double verified;        /* |b - Ax| at the last restart */
    double last;            /* |b - Ax| / |b| of the last iterate, recomputed */
    double kept, kept_true; /* |r| and |b - Ax| (or INFINITY) of the kept x, see outer.c */
    int kept_at, checked;   /* iterations when x was kept, and kept_true computed */
    int keeps;              /* the index in gs_outer.kept of the vector that holds the kept x */
    bool pending;           /* the other vector holds an x whose |r| the host does not know yet */
    int scale;              /* the run's r is 2^-scale (b - Ax), see outer.c */
    int left;               /* k->b is 2^-left (b - Ax) after the run */
    bool rounded;           /* only the rounding of x to the caller's type prevents convergence */
    int restarts, iterations, products;
    gsolve_outcome outcome;
    double residual; /* |b - Ax| / |b| of the x that is returned */
} gs_column;

typedef struct gs_auto_method { /* what the method "auto" chose */
    gsolve_precond *M;          /* the preconditioner that it made, or NULL */
    uint64_t version;           /* of A, whose values M was made from */
    char text[768];             /* what it chose and why, or "" */
} gs_auto_method;

struct gs_run {
    /* On the host, an element for each column: */
    gs_column *column;
    int32_t *order;        /* the right-hand side of the column; columns.c */
    bool *in_round;        /* columns that take part in this round; loop.c */
    gs_progress *fetched;  /* the progress that the host last read; progress.c */
    double *squares;       /* scratch: numbers fetched from the device */
    int *mask;             /* scratch: flags for the device, or fetched from it */
    gs_progress *progress; /* on the device, followed by GS_HISTORY residuals for each column */
    bool inner;            /* a method runs this solver: x begins as 0, nothing is verified */
    bool x_is_zero;        /* at the start of such a run; loop.c */
    bool correcting;       /* the run solves for a correction of the caller's x; outer*.c */
    int size;              /* the run's A is 2^size times the caller's; outer*.c */
    struct gs_work *work;  /* work.h: work space */
    struct gs_columns *columns;     /* columns.h: kernels on several columns at once */
    struct gs_recording *recording; /* graph.h: the recorded steps */
    struct gs_counts *counts;       /* counts.h: iterations, products and their time */
    struct gs_monitoring *monitor;  /* progress.h: the caller's monitor */
    struct gs_adapting *adapting;   /* adapt_matrix.h: changes of A's form */
    struct gs_profile *profile;     /* profile.h */
    struct gs_guess *guess;         /* initial_guess.h: earlier solutions */
    struct gs_outer *outer;         /* outer.h: the caller's system */
    struct gs_residency *resident;  /* resident/resident.h: steps in one kernel */
    gs_auto_method chosen;          /* choose/auto_method.c */
    gsolve_result result;           /* of the last run; solver.c */
    char *explanation;              /* of the last run, or NULL; explain.c */
};

#endif
