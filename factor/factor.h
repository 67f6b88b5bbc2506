/* factor.h: sparse factorisations on the host by one of several libraries, for the method direct
 * and amg's coarsest level.
 *
 *     const gs_factor_request request = {.kind = GS_CHOLESKY, .limit = GS_NO_LIMIT};
 *     gs_factorisation *F = NULL;
 *     TRY(gs_factorisation_create(&F, ctx, &gs_cxsparse, &request, &A));  analysis and factors
 *     TRY(gs_factorisation_solve(F, false, b, x));                        x = A^-1 b
 *     TRY(gs_factorisation_update(F, ctx, GS_NO_LIMIT, &A));              new values, same pattern
 *     gs_factorisation_destroy(F, ctx);
 *
 * A is always given by its rows, on the host, in double precision, with 32-bit offsets and
 * ascending columns in each row; ctx owns its arrays. A may be scaled or ordered by the caller: the
 * factors are those of the A that is given. No function keeps a pointer into A.
 *
 * CXSparse is always present. Other libraries are linked in by CMake options; without its option a
 * library is a table that has a name and computes nothing (factor/no_NAME.c). */
#ifndef GS_FACTOR_FACTOR_H
#define GS_FACTOR_FACTOR_H

#include <math.h>

#include "factor/cost.h"
#include "matrix/setup_file.h"

typedef enum gs_factor_kind {
    GS_FACTOR_AUTO, /* in options only */
    GS_CHOLESKY,    /* A symmetric positive definite; A's symmetry is not checked */
    GS_LU,          /* A square */
    GS_QR,          /* any shape: least squares if A is not square */
    GS_FACTOR_KINDS
} gs_factor_kind;

/* In the order of the option library of direct. */
typedef enum gs_factor_choice {
    GS_LIBRARY_AUTO,
    GS_LIBRARY_CXSPARSE,
    GS_LIBRARY_CHOLMOD,
    GS_LIBRARY_UMFPACK,
    GS_LIBRARY_MUMPS,
    GS_LIBRARIES
} gs_factor_choice;

const char *gs_factor_kind_name(gs_factor_kind kind); /* "Cholesky" */

#define GS_NO_LIMIT ((gs_direct_cost){INFINITY, INFINITY})

typedef struct gs_factor_request {
    gs_factor_kind kind; /* not GS_FACTOR_AUTO */
    bool diagonal;       /* LU: A's pattern is symmetric; seek pivots on the diagonal first */
    bool ordered;        /* the caller has ordered A: keep the order of columns, and of rows as far
                            as pivots allow */
    gs_direct_cost limit;
} gs_factor_request;

typedef struct gs_factor_library gs_factor_library;

typedef struct gs_factorisation {
    const gs_factor_library *library;
    gs_factor_request request;
    int32_t nrows, ncols; /* of A */
    void *state;          /* the library's own, of library->state_size bytes */
    double *work;         /* of solves: library->work_size(F) numbers or more, or NULL */
    int64_t work_count;   /* the numbers that work has */
    double pivot_ratio;   /* the smallest over the largest magnitude of the pivots, for Cholesky of
                             their squares; NAN: unknown */
} gs_factorisation;

/* A library: functions on F->state, which is zero at first. gs_factorisation_create checks that the
 * library computes the kind, and that A is square for other kinds than QR. */
struct gs_factor_library {
    const char *name;               /* as in direct,library=NAME */
    bool computes[GS_FACTOR_KINDS]; /* all false: this build does not have the library */
    const char *package, *option;   /* the Debian package and the CMake option that add it */
    size_t state_size;
    /* The symbolic analysis. It or factor checks the cost: GSOLVE_UNSUPPORTED or GSOLVE_NO_MEMORY:
     * the factors would pass request.limit, see gs_factor_check. */
    gsolve_status (*analyse)(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A);
    /* The numeric factorisation of an A with the analysed pattern, within request.limit, which may
     * differ from that of the analysis; replaces earlier factors, which are lost if it fails. Sets
     * F->pivot_ratio. GSOLVE_ZERO_PIVOT: A is singular, or for Cholesky not positive definite. */
    gsolve_status (*factor)(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A);
    /* x = A^-1 b, or A^-T b if transposed; for QR the least-squares solution. x may be b. Fails
     * with GSOLVE_NO_MEMORY only, without a sentence; CXSparse does not fail. */
    gsolve_status (*solve)(const gs_factorisation *F, bool transposed, const double *b, double *x);
    /* Optional: the numbers that F->work has, once there are factors. */
    int64_t (*work_size)(const gs_factorisation *F);
    /* The entries of the factors, and the operations or an upper bound of them. */
    gs_direct_cost (*cost)(const gs_factorisation *F);
    void (*destroy)(gs_factorisation *F, gsolve_context *ctx); /* frees what F->state points to */
    /* Optional, both or none: writes the factors to a file, and reads them into a state that is
     * zero; nrows, ncols and request.kind are set. Whatever the file holds, later functions access
     * no memory outside the arrays. */
    gsolve_status (*save)(const gs_factorisation *F, gs_saving *file);
    gsolve_status (*load)(gs_factorisation *F, gs_loading *file);
};

extern const gs_factor_library gs_cxsparse, gs_cholmod, gs_umfpack, gs_mumps;

/* The libraries in the order of gs_factor_choice, without auto: k = 0, 1, ...; NULL ends it. */
const gs_factor_library *gs_factor_library_at(int k);
/* Whether this build has the library. */
bool gs_factor_library_is_present(const gs_factor_library *library);

/* Factors A, n x n, or any shape for QR, by request->kind. Failures set the error message and leave
 * *F unchanged. GSOLVE_UNSUPPORTED: the library is missing, does not compute this kind, or the
 * factors would pass the limit. GSOLVE_ZERO_PIVOT: A is singular or not positive definite. */
gsolve_status gs_factorisation_create(gs_factorisation **F, gsolve_context *ctx,
                                      const gs_factor_library *library,
                                      const gs_factor_request *request, const gsolve_csr *A);
/* gs_factorisation_create by the library of this choice. auto: CXSparse where the factorisation is
 * small, else the fastest library that is present and does not refuse because of the limit. */
gsolve_status gs_factorisation_create_by(gs_factorisation **F, gsolve_context *ctx,
                                         gs_factor_choice choice, const gs_factor_request *request,
                                         const gsolve_csr *A);
/* Whether the library of this choice computes the kind, in a build that has it. */
bool gs_factor_choice_computes(gs_factor_choice choice, gs_factor_kind kind);
/* Factors an A with other values in the pattern of the A that F was created from, within limit.
 * After a failure F has no factors; a later update may succeed. */
gsolve_status gs_factorisation_update(gs_factorisation *F, gsolve_context *ctx,
                                      gs_direct_cost limit, const gsolve_csr *A);
/* x = A^-1 b, or A^-T b if transposed. b has a number for each row of A, x for each column;
 * transposed: the other way round. x may be b. Fails with GSOLVE_NO_MEMORY only, without a
 * sentence; gs_cxsparse does not fail. */
gsolve_status gs_factorisation_solve(const gs_factorisation *F, bool transposed, const double *b,
                                     double *x);
gs_direct_cost gs_factorisation_cost(
    const gs_factorisation *F); /* entries of the factors; operations */
void gs_factorisation_destroy(gs_factorisation *F, gsolve_context *ctx); /* NULL: nothing */

/* Writes F to a file. GSOLVE_UNSUPPORTED: the library cannot. */
gsolve_status gs_factorisation_save(const gs_factorisation *F, gs_saving *file);
/* *F = the factorisation in a file, of a matrix of this shape, within limit. An update analyses the
 * matrix again. */
gsolve_status gs_factorisation_load(gs_factorisation **F, gs_loading *file, int32_t nrows,
                                    int32_t ncols, gs_direct_cost limit);

/* --- limits ----------------------------------------------------------------------------------- */

/* The limit of these numbers of entries and operations, and of what the memory limit of a context
 * on the CPU leaves. Libraries allocate factors without counting. */
gs_direct_cost gs_factor_limit(const gsolve_context *ctx, double entries, double operations);
/* Fails with a sentence if cost exceeds limit: GSOLVE_NO_MEMORY if memory is what limits, else
 * GSOLVE_UNSUPPORTED. */
gsolve_status gs_factor_check(gsolve_context *ctx, gs_direct_cost cost, gs_direct_cost limit);
/* Fails with GSOLVE_NO_MEMORY and a sentence. */
gsolve_status gs_factor_out_of_memory(gsolve_context *ctx);

/* A count as "28", "1.5 million" or "3 billion". */
typedef struct gs_count_words {
    char text[32];
} gs_count_words;
gs_count_words gs_count_in_words(double number);

/* --- refusals --------------------------------------------------------------------------------- */

/* Fails with GSOLVE_UNSUPPORTED if A's values are not symmetric, and names the pair of entries that
 * differs most. */
gsolve_status gs_factor_check_symmetric(gsolve_context *ctx, const gsolve_csr *A);
/* Fails with GSOLVE_UNSUPPORTED if the library does not compute factors of this kind, or is not in
 * this build. */
gsolve_status gs_factor_check_library(gsolve_context *ctx, const gs_factor_library *library,
                                      gs_factor_kind kind, const gsolve_csr *A);
/* Fails with GSOLVE_ZERO_PIVOT: Cholesky of A has failed. Names a row whose diagonal entry is not
 * above 0, if there is one and the caller has not ordered A. */
gsolve_status gs_factor_not_definite(gsolve_context *ctx, const gs_factorisation *F,
                                     const gsolve_csr *A);

#endif
