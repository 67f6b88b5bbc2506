/* bench.h: the arrays that the rounds of gsolve compare work on. */
#ifndef GS_CLI_COMPARE_BENCH_H
#define GS_CLI_COMPARE_BENCH_H

#include "cli/compare/compare.h"

typedef struct cmp_bench {
    cmp *m;
    cmp_matrix *a;
    gsolve_context *ctx;
    gsolve_location location;
    gsolve_dense x, y;   /* of a product, in A's type where kernels read them */
    gsolve_dense here;   /* y on the host */
    gsolve_dense b, sol; /* of a solve, double; likewise */
    void *zeros, *flag;  /* on the host, as long as sol; and a double to wait for */
    gsolve_precond *M;
    cmp_reference reference;
    cli_live live;
} cmp_bench;

/* Makes them, and the preconditioner; t->m and t->a are set. Returns 0 or CLI_ERROR. */
int cmp_prepare(cmp_bench *t);
void cmp_release(cmp_bench *t);

/* Bytes of a vector's values; its column j. */
size_t cmp_bytes_of(gsolve_dense v);
gsolve_dense cmp_column(gsolve_dense v, int32_t j);

/* Rows that a matrix can take over, where its kernels read them: to bring them there is no part of
 * a format's build. False: there is no room; *copy is to be freed all the same. */
bool cmp_copy_rows(cmp_bench *t, gsolve_csr *copy);

#endif
