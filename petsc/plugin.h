/* plugin.h: what the files of the plug-in share. See host.c, rows.c, function.c, near_null.c,
 * precond.c and ksp.c for the descriptions of the functions.
 *
 * An object of PETSc has one rank or several. A function with an object of several ranks is
 * collective: all ranks call it. */
#ifndef GS_PETSC_PLUGIN_H
#define GS_PETSC_PLUGIN_H

#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

#include "gsolve.h"
#include "gsolve_dist.h"
#include "gsolve_petsc.h"
#include "gsolve_plugin.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "gsolve has real numbers in double precision: build the plug-in with such a PETSc"
#endif
#if defined(PETSC_USE_64BIT_INDICES)
#error "gsolve numbers rows by 32 bits: build the plug-in with a PETSc without 64-bit indices"
#endif

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

/* PetscCall for a call of gsolve: an error of PETSc with gsolve's sentence. */
#define GSOLVE_CALL(host, ...) PetscCall(gs_petsc_check(host, __VA_ARGS__))

/* --- a context ------------------------------------------------------------------- */

/* A context of gsolve that a KSP and its PC share. The last one that gives it up destroys it. */
typedef struct gs_petsc_host {
    gsolve_context *ctx;
    MPI_Comm comm; /* of the owners */
    int ranks;     /* of comm */
    int owners;
    int made; /* number of handles that were made in it; each handle remembers its number */
} gs_petsc_host;

PetscErrorCode gs_petsc_host_create(gs_petsc_host **host, PetscObject owner, const char *device);
gs_petsc_host *gs_petsc_host_share(gs_petsc_host *host);
void gs_petsc_host_release(gs_petsc_host **host);
PetscErrorCode gs_petsc_check(const gs_petsc_host *host, gsolve_status status);
bool gs_petsc_choose(const gs_petsc_host *host, const gsolve_statistics *statistics, int attempt,
                     gsolve_choice *choice);

/* ranks.c, or no_ranks.c in a build without libgsolve_mpi: a context whose ranks are those of comm.
 * *sentence: of the failure. */
gsolve_status gs_petsc_context_over_ranks(gsolve_context **ctx, const char *device, MPI_Comm comm,
                                          const char **sentence);

/* Lists of names. */
typedef enum gs_petsc_list { GS_METHODS, GS_PRECONDS, GS_FORMATS } gs_petsc_list;
typedef const gsolve_plugin *(*gs_petsc_plugin_at)(const gsolve_context *, int);

PetscErrorCode gs_petsc_help(PetscBool wanted, const char *about, gs_petsc_list list, char *text,
                             size_t size);
PetscErrorCode gs_petsc_event(const char *name, PetscLogEvent *event);

/* --- rows of a matrix of PETSc ------------------------------------------------------ */

/* The rows of a matrix while they are read. */
typedef struct gs_petsc_rows {
    Mat mat;  /* of a type SeqAIJ: the matrix, a part of it, or */
    Mat copy; /* its rows, if it has another type */
    PetscInt n;
    const PetscInt *start, *col;
    const PetscScalar *value;
    gsolve_csr csr; /* a view of them */
} gs_petsc_rows;

PetscErrorCode gs_petsc_has_rows(Mat A, PetscBool *has);
PetscErrorCode gs_petsc_rows_open(Mat A, gs_petsc_rows *rows);
PetscErrorCode gs_petsc_rows_close(gs_petsc_rows *rows);
PetscErrorCode gs_petsc_matrix_create(const gs_petsc_host *host, Mat A, const char *format,
                                      gsolve_matrix **made);
PetscErrorCode gs_petsc_matrix_update(const gs_petsc_host *host, Mat A, gsolve_matrix *made,
                                      PetscBool *fits);

/* What identifies the values and the pattern of a matrix. */
typedef struct gs_petsc_state {
    PetscObjectId id;
    PetscObjectState values, pattern;
} gs_petsc_state;

PetscErrorCode gs_petsc_state_of(Mat A, gs_petsc_state *state);

/* --- functions of PETSc that gsolve calls --------------------------------------------- */

/* A matrix or a preconditioner of PETSc as an operator of gsolve. */
typedef struct gs_petsc_function {
    Mat mat; /* one of the two */
    PC pc;
    PetscBool transposed; /* gsolve's operator is the transpose */
    Vec in, out;          /* without arrays of their own */
    PetscErrorCode error; /* of the first call that failed */
} gs_petsc_function;

PetscErrorCode gs_petsc_operator(gs_petsc_host *host, gs_petsc_function *f, gsolve_matrix **A);
PetscErrorCode gs_petsc_precond(gs_petsc_host *host, gs_petsc_function *f, gsolve_precond **M);
PetscErrorCode gs_petsc_function_check(gs_petsc_function *f);
PetscErrorCode gs_petsc_function_clear(gs_petsc_function *f);

/* --- the preconditioner ------------------------------------------------------------ */

typedef struct gs_petsc_pc {
    char *spec, *device; /* of the options */
    gs_petsc_host *host;
    gsolve_precond *M;
    int number;               /* of M, see gs_petsc_host.made */
    int updates;              /* of M */
    gsolve_matrix *matrix;    /* the Pmat, if it has no rows, or if it has several ranks and M is
                                 chebyshev */
    gs_petsc_function shell;  /* of a Pmat without rows */
    PetscObjectState nns;     /* state and */
    PetscObjectId nns_id;     /* id of the near-null space that M has */
    PetscInt dim, nodes;      /* of PCSetCoordinates */
    double *xyz;              /* one column for each dimension */
    PetscBool left_to_solver; /* an automatic solver of the KSP sets a preconditioner up */
    PetscLogEvent setup, update, apply;
} gs_petsc_pc;

PetscErrorCode gs_petsc_pc_create(PC pc);
static inline gs_petsc_pc *gs_petsc_pc_of(PC pc)
{
    return pc->data;
}

PetscErrorCode gs_petsc_pc_setup(PC pc);
PetscErrorCode gs_petsc_pc_build(PC pc);
PetscErrorCode gs_petsc_pc_drop(gs_petsc_pc *p);
PetscErrorCode gs_petsc_pc_share(PC pc, gs_petsc_host *host, PetscBool left_to_solver);

PetscErrorCode gs_petsc_choice_of(PC pc, const char *spec, char *own, size_t size);
PetscErrorCode gs_petsc_has_near_null(PC pc, PetscBool *has);
PetscErrorCode gs_petsc_note_near_null(PC pc, PetscBool *changed);
PetscErrorCode gs_petsc_columns(MatNullSpace space, PetscInt rows, PetscBool with_constants,
                                gsolve_dense *columns);
PetscErrorCode gs_petsc_set_near_null(PC pc, gsolve_precond *M);
PetscErrorCode gs_petsc_set_coordinates(PC pc, PetscInt dim, PetscInt nodes, PetscReal *xyz);

/* --- the solver ------------------------------------------------------------------- */

typedef struct gs_petsc_ksp {
    char *method, *format, *device; /* of the options */
    PetscBool matrix_free, null_space, explain;
    gs_petsc_host *host;
    gsolve_matrix *A;
    gs_petsc_state state;    /* of the Amat that A holds */
    PetscObjectId spaces[2]; /* of the null spaces that A has: right, left */
    PetscBool transposed;    /* A is the transpose of Amat, as an operator */
    gs_petsc_function shell, wrapped_pc;
    gsolve_precond *own;     /* a PC of another type than gsolve; none for PCNONE */
    PetscObjectId pc_id;     /* id and */
    char pc_type[64];        /* type of the PC that `own` is */
    const gsolve_precond *M; /* the one that S uses, or NULL */
    int number;              /* of M */
    gsolve_solver *S;
    gsolve_auto *automatic; /* instead of S */
    PetscBool fell_back;    /* S is gmres, because the method that auto had chosen was indefinite */
    PetscLogEvent setup, update, solve;
    /* of a run: */
    PetscBool running, own_test;
    PetscErrorCode error;      /* of a monitor or of the caller's test */
    KSPConvergedReason reason; /* of the caller's test */
    PetscInt iteration;        /* that `norm` belongs to, or -1 */
    PetscReal norm;            /* largest residual of a column so far */
} gs_petsc_ksp;

PetscErrorCode gs_petsc_ksp_create(KSP ksp);
PetscErrorCode gs_petsc_ksp_setup(KSP ksp);
PetscErrorCode gs_petsc_ksp_release_pc(KSP ksp);
PetscErrorCode gs_petsc_ksp_prepare(KSP ksp);
PetscErrorCode gs_petsc_ksp_fall_back(KSP ksp);
PetscErrorCode gs_petsc_ksp_drop(gs_petsc_ksp *k);
PetscErrorCode gs_petsc_ksp_automatic(KSP ksp);
PetscErrorCode gs_petsc_ksp_solve(KSP ksp);
PetscErrorCode gs_petsc_ksp_matsolve(KSP ksp, Mat B, Mat X);
PetscErrorCode gs_petsc_take(const char *text, PetscBool set, char **to, PetscBool *changed);

#endif
