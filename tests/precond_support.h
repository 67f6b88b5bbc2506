/* precond_support.h: helpers of the tests of precond/: small matrices, vectors, comparisons. */
#ifndef PRECOND_SUPPORT_H
#define PRECOND_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/csr.h"
#include "tests/apart.h"
#include "tests/dense.h"

static inline int64_t blocks_of(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context_describe(ctx, &info);
    return info.blocks;
}

static inline gsolve_context *new_context(const char *spec)
{
    gsolve_context *ctx = NULL;
    if (gsolve_context_create(&ctx, spec) != GSOLVE_OK) fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

/* Skips a test that reads data directly, which is possible only on the host. */
#define HOST_ONLY() \
    if (getenv("GSOLVE_TEST_DEVICE")) skip()

static inline int set_up(void **state)
{
    gsolve_context *ctx = NULL;
    const gsolve_status status = open_test_device(&ctx, "cpu", ",threads=2");

    if (status == GSOLVE_NO_DEVICE) exit(77); /* skipped */
    if (status != GSOLVE_OK) fail_msg("%s", gsolve_error(NULL));
    *state = ctx;
    return 0;
}

/* Checks that the test has released everything. */
static inline int tear_down(void **state)
{
    gsolve_context *ctx = *state;
    assert_int_equal(blocks_of(ctx), 0);
    gsolve_context_destroy(&ctx);
    return 0;
}

/* Uniform in [-1, 1). */
static inline double noise(uint64_t seed, uint64_t index)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + (index + 1) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) / (double)(1ull << 52) - 1;
}

/* --- matrices, in arrays from malloc ----------------------------------------------------- */

static inline void set_value(const gsolve_csr *csr, int64_t k, double value)
{
    if (csr->type == GSOLVE_F32) {
        ((float *)(uintptr_t)csr->value)[k] = (float)value;
    } else {
        ((double *)(uintptr_t)csr->value)[k] = value;
    }
}

static inline gsolve_csr new_csr(int32_t nrows, int32_t ncols, int64_t room, gsolve_type type)
{
    gsolve_csr csr = {.nrows = nrows, .ncols = ncols, .type = type, .location = GSOLVE_HOST};
    csr.start = calloc((size_t)nrows + 2, sizeof(int32_t));
    csr.col = malloc((size_t)room * sizeof(int32_t) + 1);
    csr.value = malloc((size_t)room * sizeof(double) + 1);
    return csr;
}

static inline void free_csr(gsolve_csr *csr)
{
    free((void *)(uintptr_t)csr->start);
    free((void *)(uintptr_t)csr->col);
    free((void *)(uintptr_t)csr->value);
}

static inline void append(const gsolve_csr *csr, int32_t i, int32_t j, double value)
{
    int32_t *start = (int32_t *)(uintptr_t)csr->start;
    ((int32_t *)(uintptr_t)csr->col)[start[i + 1]] = j;
    set_value(csr, start[i + 1]++, value);
}

/* Must be called after the last entry of row i: the next row begins there. */
static inline void close_row(const gsolve_csr *csr, int32_t i)
{
    int32_t *start = (int32_t *)(uintptr_t)csr->start;
    start[i + 2] = start[i + 1];
}

/* An n x n matrix from a row-major array; zeros are left out. */
static inline gsolve_csr from_dense(int32_t n, const double *a, gsolve_type type)
{
    const gsolve_csr csr = new_csr(n, n, (int64_t)n * n, type);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (a[i * n + j] != 0) append(&csr, i, j, a[i * n + j]);
        }
        close_row(&csr, i);
    }
    return csr;
}

/* A 7-point stencil on a grid, diagonally dominant, with values that depend on seed. wind:
 * convection, which makes it nonsymmetric. */
static inline gsolve_csr grid(int32_t nx, int32_t ny, int32_t nz, double wind, uint64_t seed,
                              gsolve_type type)
{
    const int32_t n = nx * ny * nz;
    const int32_t step[] = {-nx * ny, -nx, -1, 0, 1, nx, nx * ny};
    const gsolve_csr csr = new_csr(n, n, 7 * (int64_t)n, type);

    for (int32_t i = 0; i < n; i++) {
        const int32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
        const bool in[] = {z > 0, y > 0, x > 0, true, x < nx - 1, y < ny - 1, z < nz - 1};
        for (int k = 0; k < 7; k++) {
            if (!in[k]) continue;
            const int32_t j = i + step[k];
            const uint64_t edge = (uint64_t)(i < j ? i : j) * 8 + (uint64_t)(k < 3 ? 6 - k : k);
            const double varied = 1 + 0.3 * noise(seed, edge);
            append(&csr, i, j, k == 3 ? 8 + varied : -varied * (1 + (k < 3 ? wind : -wind)));
        }
        close_row(&csr, i);
    }
    return csr;
}

/* A copy of csr with each row in reverse order and its first entry split into two. */
static inline gsolve_csr muddle(const gsolve_csr *csr)
{
    const int64_t entries = gs_start(csr, csr->nrows);
    const gsolve_csr out = new_csr(csr->nrows, csr->ncols, entries + csr->nrows, csr->type);

    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t from = gs_start(csr, i);
        for (int64_t k = gs_start(csr, i + 1) - 1; k > from; k--) {
            append(&out, i, csr->col[k], gs_value(csr, k));
        }
        append(&out, i, csr->col[from], 0.5 * gs_value(csr, from));
        append(&out, i, csr->col[from], 0.5 * gs_value(csr, from));
        close_row(&out, i);
    }
    return out;
}

/* --- vectors ----------------------------------------------------------------------------- */

static inline gsolve_dense new_dense(int32_t n, int32_t columns, gsolve_type type)
{
    const gsolve_dense v = {n, columns, n + 3, NULL, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense filled = v;
    filled.value = calloc((size_t)columns * (size_t)v.stride + 1, sizeof(double));
    return filled;
}

static inline gsolve_dense random_dense(int32_t n, int32_t columns, uint64_t seed, gsolve_type type)
{
    const gsolve_dense v = new_dense(n, columns, type);
    for (int64_t i = 0; i < columns * v.stride; i++) set(v, i, noise(seed, (uint64_t)i));
    return v;
}

static inline gsolve_dense column_of(gsolve_dense v, int32_t c)
{
    v.value = (char *)v.value + (size_t)(c * v.stride) * gs_type_size(v.type);
    v.ncols = 1;
    return v;
}

static inline double dot(gsolve_dense x, gsolve_dense y)
{
    double sum = 0;
    for (int32_t i = 0; i < x.nrows; i++) sum += get(x, i) * get(y, i);
    return sum;
}

static inline void assert_same_bits(gsolve_dense x, gsolve_dense y)
{
    for (int32_t c = 0; c < x.ncols; c++) {
        assert_memory_equal(column_of(x, c).value, column_of(y, c).value,
                            (size_t)x.nrows * gs_type_size(x.type));
    }
}

/* Checks |x - y| <= tolerance max |y| for each element. */
static inline void assert_near(gsolve_dense x, gsolve_dense y, double tolerance)
{
    double most = 0;
    for (int32_t i = 0; i < y.nrows; i++) most = fmax(most, fabs(get(y, i)));
    for (int32_t i = 0; i < y.nrows; i++) {
        if (!(fabs(get(x, i) - get(y, i)) <= tolerance * most)) {
            fail_msg("element %d is %.17g and not %.17g", i, get(x, i), get(y, i));
        }
    }
}

/* --- calls that must succeed or fail ------------------------------------------------------ */

#define assert_ok(ctx, call)                                                   \
    do {                                                                       \
        if ((call) != GSOLVE_OK) fail_msg("%s: %s", #call, gsolve_error(ctx)); \
    } while (0)

#define assert_fails(ctx, call, status, words)                                          \
    do {                                                                                \
        assert_int_equal(call, status);                                                 \
        if (!strstr(gsolve_error(ctx), words)) fail_msg("said: %s", gsolve_error(ctx)); \
    } while (0)

static inline gsolve_precond *make(gsolve_context *ctx, const char *spec, const gsolve_csr *csr)
{
    gsolve_precond *M = NULL;
    assert_ok(ctx, gsolve_precond_create(&M, ctx, spec, csr));
    return M;
}

/* Two columns: M^-1 r and M^-T r for a fixed r. */
static inline gsolve_dense both(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type,
                                int32_t n)
{
    gsolve_dense r = random_dense(n, 1, 8, type), z = new_dense(n, 2, type);

    assert_ok(ctx, gsolve_precond_apply(M, r, column_of(z, 0)));
    assert_ok(ctx, gsolve_precond_apply_transpose(M, r, column_of(z, 1)));
    free(r.value);
    return z;
}

/* Runs a call with a limit of 0, 1, 2, ... allocations until it succeeds. */
#define SWEEP(ctx, call, after_failure)                \
    for (int64_t grant_ = 0;; grant_++) {              \
        const int64_t before_ = blocks_of(ctx);        \
        gsolve_context_limit_allocations(ctx, grant_); \
        const gsolve_status status_ = (call);          \
        gsolve_context_limit_allocations(ctx, -1);     \
        if (status_ == GSOLVE_OK) break;               \
        assert_int_equal(status_, GSOLVE_NO_MEMORY);   \
        assert_int_equal(blocks_of(ctx), before_);     \
        after_failure;                                 \
        assert_true(grant_ < 1000);                    \
    }

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#define EACH_KIND(ctx, plugin)   \
    const gsolve_plugin *plugin; \
    for (int index_ = 0; (plugin = gsolve_precond_at(ctx, index_)) != NULL; index_++)

#endif
