/* faults.h: a format and a preconditioner, built on csr and jacobi, that fail after a given number
 * of calls; CUDA kernels that fail. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "gsolve_plugin.h"

/* The first launches a kernel with more threads than a block may have, and returns the status of
 * the launch. The second launches a kernel that fails while it runs; the launch itself returns
 * GSOLVE_OK. In a build without CUDA both return GSOLVE_NO_DEVICE. */
gsolve_status launch_refused_kernel(gsolve_context *ctx);
gsolve_status launch_dying_kernel(gsolve_context *ctx);

/* The number of products and applications that still succeed (negative: all do), the function that
 * is called then, and the number of plug-ins that are built and not yet destroyed. */
static int successes = -1;
static gsolve_status (*failure)(gsolve_context *ctx);
static int alive;

static inline gsolve_status fail_plainly(gsolve_context *ctx)
{
    return gsolve_fail(ctx, GSOLVE_DEVICE_FAILED, "the test wants it so");
}

static inline gsolve_status succeed(gsolve_context *ctx)
{
    if (successes == 0) return failure(ctx);
    if (successes > 0) successes--;
    return GSOLVE_OK;
}

/* --- the format ------------------------------------------------------------------------------- */

static inline gsolve_status brittle_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                          int64_t entries, const void *options, void *user)
{
    gsolve_matrix *A = NULL;
    const gsolve_status status = gsolve_matrix_create(&A, ctx, "csr", csr);

    (void)user, (void)options, (void)entries;
    if (status != GSOLVE_OK) return status;
    alive++;
    *self = A;
    return GSOLVE_OK;
}

static inline void brittle_destroy(void *self, gsolve_context *ctx)
{
    gsolve_matrix *A = (gsolve_matrix *)self;

    (void)ctx;
    alive--;
    gsolve_matrix_destroy(&A);
}

static inline gsolve_status brittle_apply(void *self, gsolve_context *ctx, double alpha,
                                          gsolve_dense x, double beta, gsolve_dense y)
{
    const gsolve_status status = succeed(ctx);

    return status == GSOLVE_OK ? gsolve_matrix_apply((const gsolve_matrix *)self, alpha, x, beta, y)
                               : status;
}

static const gsolve_format brittle_format = {.size = sizeof(gsolve_format),
                                             .plugin = {"brittle", "fails on request", NULL, 0},
                                             .build = brittle_build,
                                             .destroy = brittle_destroy,
                                             .apply = brittle_apply};

/* --- the preconditioner ----------------------------------------------------------------------- */

static inline gsolve_status shaky_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                        const void *options, void *user)
{
    gsolve_precond *M = NULL;
    const gsolve_status status = gsolve_precond_create(&M, ctx, "jacobi", csr);

    (void)user, (void)options;
    if (status != GSOLVE_OK) return status;
    alive++;
    *self = M;
    return GSOLVE_OK;
}

static inline void shaky_destroy(void *self, gsolve_context *ctx)
{
    gsolve_precond *M = (gsolve_precond *)self;

    (void)ctx;
    alive--;
    gsolve_precond_destroy(&M);
}

static inline gsolve_status shaky_apply(void *self, gsolve_context *ctx, gsolve_dense r,
                                        gsolve_dense z)
{
    const gsolve_status status = succeed(ctx);

    return status == GSOLVE_OK ? gsolve_precond_apply((const gsolve_precond *)self, r, z) : status;
}

static const gsolve_precond_kind shaky_precond = {.size = sizeof(gsolve_precond_kind),
                                                  .plugin = {"shaky", "fails on request", NULL, 0},
                                                  .build = shaky_build,
                                                  .destroy = shaky_destroy,
                                                  .apply = shaky_apply,
                                                  .apply_transpose = shaky_apply};

#endif
