/* function.h: a function of the caller that computes y = L x for a linear map L: an operator or a
 * preconditioner. */
#ifndef GS_CORE_FUNCTION_H
#define GS_CORE_FUNCTION_H

#include "core/dense.h"

typedef struct gs_function {
    const char *what; /* "operator" or "preconditioner", for the error sentence */
    gsolve_apply_function *apply, *apply_transpose; /* apply_transpose may be NULL */
    void *user;
    unsigned flags; /* of gsolve_function_flag */
} gs_function;

/* y = L x, or y = L'x, by the caller's function. x and y are column-major, lie where kernels read
 * them, and have the same number of columns. */
gsolve_status gs_function_apply(const gs_function *f, gsolve_context *ctx, bool transposed,
                                gsolve_dense x, gsolve_dense y);

/* Sets f->flags. allowed: the flags that f may have. */
gsolve_status gs_function_set_flags(gs_function *f, gsolve_context *ctx, unsigned flags,
                                    unsigned allowed);

#endif
