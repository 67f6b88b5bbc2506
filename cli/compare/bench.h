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
    gsolve_dense b, sol; /* of a solve, in double, in the same memory as x */
    void *zeros, *flag;  /* on the host, as long as sol; a double whose copy waits for the device */
    gsolve_precond *M;
    cmp_reference reference;
    cli_live live;
} cmp_bench;

/* Allocates the arrays and sets up the preconditioner; t->m and t->a are set. Returns 0 or
 * CLI_ERROR. */
int cmp_prepare(cmp_bench *t);
void cmp_release(cmp_bench *t);

/* Whether Ctrl-C stops a run and the command reports what it has. Over ranks it ends the command,
 * and runs have no monitor, which would cost a message in each iteration. */
static inline bool cmp_can_stop(const cmp *m)
{
    return m->ranks == 0;
}

/* Bytes of a vector's values; its column j. */
size_t cmp_bytes_of(gsolve_dense v);
gsolve_dense cmp_column(gsolve_dense v, int32_t j);

/* *v = a vector in ctx, whose value must be freed. False: out of memory. */
bool cmp_new_vector(gsolve_context *ctx, gsolve_dense *v, int32_t nrows, int32_t ncols,
                    gsolve_type type, gsolve_location location);

/* to = from on the host, whose columns may be further apart than its rows need; both double. */
gsolve_status cmp_put_columns(gsolve_context *ctx, gsolve_dense to, gsolve_dense from);

#endif
