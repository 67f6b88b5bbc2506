/* precond_solved.h: applies preconditioners, and solves the same systems by CXSparse. */
#ifndef PRECOND_SOLVED_H
#define PRECOND_SOLVED_H

#include "precond_support.h"

#include <cs.h>

static inline const char *note_of(const gsolve_precond *M)
{
    static gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_precond_describe(M, &info);
    return info.note;
}

/* Creates a preconditioner, applies it and destroys it. */
static inline gsolve_dense applied(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   gsolve_dense r, bool transposed)
{
    gsolve_precond *M = make(ctx, spec, csr);
    gsolve_dense z = new_dense(r.nrows, r.ncols, r.type);

    assert_ok(ctx, (transposed ? gsolve_precond_apply_transpose : gsolve_precond_apply)(M, r, z));
    gsolve_precond_destroy(&M);
    return z;
}

/* --- direct solves by CXSparse ----------------------------------------------------------- */

/* x = A^-1 b, or A^-T b. CXSparse stores columns: the rows of A are the columns of A'. */
static inline gsolve_dense solved(const gsolve_csr *csr, gsolve_dense b, bool transposed)
{
    const int32_t n = csr->nrows;
    const cs_di view = {.nzmax = (int)gs_start(csr, n),
                        .m = n,
                        .n = n,
                        .nz = -1,
                        .p = (int *)(uintptr_t)csr->start,
                        .i = (int *)(uintptr_t)csr->col,
                        .x = (double *)(uintptr_t)csr->value};
    cs_di *turned = cs_di_transpose(&view, 1);
    gsolve_dense x = new_dense(n, 1, b.type);

    for (int32_t i = 0; i < n; i++) set(x, i, get(b, i));
    assert_int_equal(cs_di_lusol(1, transposed ? &view : turned, x.value, 1), 1);
    cs_di_spfree(turned);
    return x;
}

#endif
