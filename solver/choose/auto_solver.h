/* auto_solver.h: the automatic solver, for the files that implement it. */
#ifndef GS_SOLVER_CHOOSE_AUTO_SOLVER_H
#define GS_SOLVER_CHOOSE_AUTO_SOLVER_H

#include "factor/transform.h"
#include "solver/choose/explain.h"

typedef struct gs_auto_transform gs_auto_transform;

typedef struct gs_auto_choice {
    char base[256], precond[256], why[256];
    char method[512];   /* base with the options of S */
    bool tried;         /* in this run */
    bool failed;        /* in any run */
    gs_facts facts;     /* why it failed in this run, see gsolve_auto_diagnose */
    bool untransformed; /* it minimises |b - A x|, so it is set up for original in spite of scale
                           and order */
} gs_auto_choice;

struct gsolve_auto {
    gsolve_context *ctx;
    gsolve_matrix *own;            /* NULL: the matrix is the caller's */
    const gsolve_matrix *original; /* own, or the caller's: the system that a run solves */
    const gsolve_matrix *A;        /* what choices iterate on: original, or its transform */
    gs_auto_transform *transform;  /* with scale or order, else NULL */
    bool asks_transform;           /* the options ask for one, which scale=auto may leave out */
    bool not_square;               /* scale=auto left it out because A is not square */
    uint64_t created;              /* the version of original at the creation */
    char spec[256];                /* "auto", followed by the options */

    /* auto_list.c: the choices; auto_run.c sets tried and failed */
    gs_auto_choice *list; /* NULL: none yet */
    int count;
    bool given;                   /* by the caller */
    uint64_t listed;              /* the version of A that the list is for */
    gsolve_statistics statistics; /* of that version */
    int current;                  /* the choice that the next run begins with; -1: the first */

    int begun;   /* the choice that the last run began with; -1: none */
    int running; /* the choice that is being tried; -1: none */
    int leading; /* the choice with the best result in that run; -1: none */

    /* auto_run.c: what is set up */
    int set; /* the choice that M and S belong to; -1: none */
    gsolve_precond *M;
    gsolve_solver *S;
    uint64_t version;         /* of the matrix of that choice, whose values M was made from */
    int built;                /* info.rebuilds of M */
    int first, last;          /* iterations of the first run after the set-up, of the last run */
    int compared;             /* iterations at the last comparison with other choices, or first */
    gsolve_dense guess, best; /* the initial guess; the best x while other choices are tried */
    gs_row_major columns;     /* of a row-major x */

    gsolve_monitor *monitor;
    gsolve_attempt_monitor *attempt_monitor;
    gsolve_stopping_test *test;
    void *monitor_user, *attempt_user, *test_user;

    char *setup_path;               /* of the caller's file for set-ups, or NULL */
    bool setup_due, setup_unfit;    /* it is to be written, over a set-up that does not fit */
    bool setup_read, setup_written; /* what the last attempt did with it, */
    char setup_note[600];           /* and why it did not read or write it */

    int attempts;
    int64_t runs, rebuilds;
    double setup_seconds, solve_seconds, total_setup_seconds, total_solve_seconds;
    char events[1400];      /* of the last run: failures, and what was built again */
    char explanation[4000]; /* see gsolve_auto_explain */
};

/* The matrix that the method and the preconditioner of choice c are set up for. */
static inline const gsolve_matrix *gs_auto_matrix_of(const gsolve_auto *S, const gs_auto_choice *c)
{
    return c->untransformed ? S->original : S->A;
}

/* --- auto_state.c --- */

/* The version of the values of A. */
uint64_t gs_auto_version(const gsolve_matrix *A);

/* Appends a sentence to S->events. */
__attribute__((format(printf, 2, 3))) void gs_auto_add_event(gsolve_auto *S, const char *format,
                                                             ...);
/* Frees the preconditioner and the solver. */
void gs_auto_drop(gsolve_auto *S);

/* --- auto_setup_file.c --- */

/* S->M = the preconditioner of choice c, and S->S = its method, which uses S->M. One of the two is
 * read from S's file if it fits: the method if there is no preconditioner. */
gsolve_status gs_auto_create_precond(gsolve_auto *S, const gs_auto_choice *c);
gsolve_status gs_auto_create_method(gsolve_auto *S, const gs_auto_choice *c);
/* An attempt begins: it has done nothing with the file yet. */
void gs_auto_begin_setup_file(gsolve_auto *S);
/* The run of choice c has ended. If it has solved the system with a new set-up, writes the file,
 * unless the set-up cannot be saved, or it would replace one that is not for the pattern of S->A
 * and the kind of choice c. */
void gs_auto_write_setup_file(gsolve_auto *S, const gs_auto_choice *c, bool solved);

/* --- auto_transform.c --- */

/* Makes S->transform and S->A from S->original; neither if scale=auto finds nothing to scale. Fails
 * with GSOLVE_UNSUPPORTED if A is an operator or has a null space, whatever its values. */
gsolve_status gs_auto_transform_create(gsolve_auto *S, const gs_transform_options *options);
void gs_auto_transform_destroy(gsolve_auto *S);
/* A run begins: S->A gets the values of S->original. */
gsolve_status gs_auto_transform_begin(gsolve_auto *S);
/* text = what the transform does, as gs_transform_describe; "" without one, and if the current
 * choice does not use it. */
void gs_auto_transform_describe(const gsolve_auto *S, char *text, size_t size);
/* Whether an order, and not only a scale, is applied. */
bool gs_auto_has_order(const gsolve_auto *S);
/* Before the set-up of choice c: sets c->untransformed as its specs say. Fails with
 * GSOLVE_UNSUPPORTED if its rows are scaled and it needs a symmetric matrix. */
gsolve_status gs_auto_transform_check(const gsolve_auto *S, gs_auto_choice *c);
/* Whether S->S, which is set up for the transform, must be set up for S->original instead: its
 * method, which "auto" chose, minimises |b - A x|. Sets c->untransformed then. */
bool gs_auto_transform_misused(const gsolve_auto *S, gs_auto_choice *c);
/* auto_passes.c: runs S->S for the system of S->original. *result is that of this system. */
gsolve_status gs_auto_solve(gsolve_auto *S, gsolve_dense b, gsolve_dense x, gsolve_result *result);

/* --- auto_list.c --- */

/* Sets c->method from c->base and the options of S. */
void gs_auto_name_method(const gsolve_auto *S, gs_auto_choice *c);

/* Makes the list for the present values of A, unless the caller gave one. A choice that is set up
 * stays in the list. */
gsolve_status gs_auto_need_list(gsolve_auto *S);
/* Makes a list if there is none, for any values. */
gsolve_status gs_auto_need_first_list(gsolve_auto *S);
/* Before a run with new values: replaces the choice if its iterations have grown so much that
 * another one is estimated to be faster. */
gsolve_status gs_auto_reconsider(gsolve_auto *S);

#endif
