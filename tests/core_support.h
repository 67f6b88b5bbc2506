/* core_support.h: helpers of the tests of core/: a context, small matrices, allocation sweeps. */
#ifndef CORE_SUPPORT_H
#define CORE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/csr.h"

static gsolve_context *ctx; /* of the test that runs */

static inline gsolve_context *open_context(const char *spec)
{
    gsolve_context *c = NULL;

    assert_int_equal(gsolve_context_create(&c, spec), GSOLVE_OK);
    return c;
}

static inline gsolve_context_info info_of(const gsolve_context *c)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(c, &info);
    return info;
}

static inline int set_up(void **state)
{
    (void)state;
    ctx = open_context("cpu,threads=2");
    return 0;
}

static inline int tear_down(void **state)
{
    const int64_t left = info_of(ctx).blocks;

    (void)state;
    gsolve_context_destroy(&ctx);
    return left != 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static inline void assert_says(const gsolve_context *c, const char *part)
{
    if (!strstr(gsolve_error(c), part)) fail_msg("'%s' lacks '%s'", gsolve_error(c), part);
}

/* Runs build with a limit of 0, 1, 2, ... allocations until it succeeds. Each failure must be
 * GSOLVE_NO_MEMORY, with that message, and leave no block. Returns the number of allocations. */
static inline int sweep(gsolve_status (*build)(void *), void *arg)
{
    const int64_t before = info_of(ctx).blocks;

    for (int granted = 0; granted < 100; granted++) {
        gsolve_context_limit_allocations(ctx, granted);
        const gsolve_status status = build(arg);
        gsolve_context_limit_allocations(ctx, -1);
        if (status == GSOLVE_OK) return granted;
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_says(ctx, "out of memory");
        assert_int_equal(info_of(ctx).blocks, before);
    }
    fail_msg("100 allocations were not enough");
    return -1;
}

static inline double value_of(const gsolve_csr *A, int64_t k)
{
    return A->type == GSOLVE_F32 ? (double)((const float *)A->value)[k]
                                 : ((const double *)A->value)[k];
}

/* Checks that both have the same sizes, types and bits. */
static inline void assert_same(const gsolve_csr *A, const gsolve_csr *B)
{
    const int64_t entries = gsolve_csr_entries(A);

    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(A->ncols, B->ncols);
    assert_int_equal(A->type, B->type);
    assert_int_equal(A->offset, B->offset);
    for (int32_t i = 0; i <= A->nrows; i++) assert_int_equal(gs_start(A, i), gs_start(B, i));
    for (int64_t k = 0; k < entries; k++) {
        assert_int_equal(A->col[k], B->col[k]);
        assert_true(value_of(A, k) == value_of(B, k));
    }
}

/* Checks that columns ascend strictly in every row and that offsets have 32 bits. */
static inline void assert_clean(const gsolve_csr *A)
{
    bool clean = false;

    assert_int_equal(gs_csr_check(ctx, A, &clean), GSOLVE_OK);
    assert_true(clean);
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i) + 1; k < gs_start(A, i + 1); k++) {
            assert_true(A->col[k - 1] < A->col[k]);
        }
    }
    assert_int_equal(A->offset, GSOLVE_O32);
}

/* Pseudorandom number k, from 0 to below - 1, the same in every run. */
static inline int32_t number(int32_t below, int64_t k)
{
    uint64_t z = ((uint64_t)k + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 31) * 0xd6e8feb86659fd93u;
    return (int32_t)((z >> 32) % (uint32_t)below);
}

#endif
