/* handle.h: what a preconditioner handle holds, and the list of kinds. */
#ifndef GS_PRECOND_HANDLE_H
#define GS_PRECOND_HANDLE_H

#include "matrix/csr.h"

struct gsolve_precond {
    gsolve_context *ctx;
    const gsolve_precond_kind *kind;
    void *options, *self;
    char *spec; /* what it was made from, the choice of auto named */
    int32_t n;
    gsolve_type type;
    uint64_t pattern; /* hash of the clean rows', of a kind that works on the host */
    size_t bytes;
    double setup_seconds;
    uint64_t version;
};

/* The built-in kinds, ending with NULL. */
extern const gsolve_plugin *const gs_preconds[];
extern const gsolve_precond_kind gs_none, gs_jacobi, gs_block_jacobi, gs_ilu, gs_ic, gs_isai,
    gs_chebyshev, gs_amg;

#endif
