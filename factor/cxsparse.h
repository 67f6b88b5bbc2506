/* cxsparse.h: the factors of the library cxsparse. */
#ifndef GS_FACTOR_CXSPARSE_H
#define GS_FACTOR_CXSPARSE_H

#include "factor/factor.h"

/* CXSparse has columns; A's rows are the columns of A'. So Cholesky and LU factor A', and QR
 * factors the one of A and A' that is not wide. symbolic and numeric are what cs_di_schol and
 * cs_di_chol, cs_di_sqr and cs_di_lu, or cs_di_sqr and cs_di_qr make, allocated by CXSparse. */
typedef struct gs_cxsparse_state {
    cs_dis *symbolic;
    cs_din *numeric;     /* NULL: no factors */
    gs_direct_cost cost; /* of the factors */
    bool diagonal;       /* LU: pivots are sought on the diagonal first */
    double most; /* LU with pivots on the diagonal: it gives up after this number of operations */
    gs_direct_cost bound; /* LU with any pivots: an upper bound of its cost */
    bool loaded; /* from a file: symbolic has what solves need, and not what factor needs */
} gs_cxsparse_state;

/* cxsparse_plan.c: the analysis and the numeric factorisation, as in gs_factor_library. */
gsolve_status gs_cxsparse_analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A);
gsolve_status gs_cxsparse_factor(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A);

/* Counts the cost of the factors. */
gs_direct_cost gs_cxsparse_cost(const gs_factorisation *F);

/* cxsparse_file.c: the factors in a file, as in gs_factor_library. */
gsolve_status gs_cxsparse_save(const gs_factorisation *F, gs_saving *file);
gsolve_status gs_cxsparse_load(gs_factorisation *F, gs_loading *file);

#endif
