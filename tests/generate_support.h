/* generate_support.h: helpers of the tests of the generators. */
#ifndef GENERATE_SUPPORT_H
#define GENERATE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gsolve_io.h"

static gsolve_context *ctx; /* of the test that runs */

static inline int set_up(void **state)
{
    (void)state;
    return gsolve_context_create(&ctx, "cpu,threads=2");
}

static inline int64_t blocks(gsolve_context *of)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context_describe(of, &info);
    return info.blocks;
}

static inline int tear_down(void **state)
{
    (void)state;
    const int64_t left = blocks(ctx);
    gsolve_context_destroy(&ctx);
    return left != 0;
}

static inline int64_t start_of(const gsolve_csr *A, int32_t i)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[i]
                                   : ((const int32_t *)A->start)[i];
}

static inline gsolve_csr make_in(gsolve_context *where, const char *spec)
{
    char name[200];
    gsolve_csr A = {0};

    snprintf(name, sizeof name, "gen:%s", spec);
    if (gsolve_read_matrix(&A, where, name, NULL, NULL) != GSOLVE_OK) {
        fail_msg("%s: %s", name, gsolve_error(where));
    }
    return A;
}

static inline gsolve_csr make(const char *spec)
{
    return make_in(ctx, spec);
}

static inline gsolve_statistics look(const char *spec)
{
    gsolve_csr A = make(spec);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    assert_int_equal(gsolve_csr_statistics(ctx, &A, &t), GSOLVE_OK);
    gsolve_csr_free(&A, ctx);
    return t;
}

static inline void assert_same(const gsolve_csr *A, const gsolve_csr *B)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);

    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(A->ncols, B->ncols);
    assert_int_equal(A->offset, GSOLVE_O32);
    assert_int_equal(B->offset, GSOLVE_O32);
    assert_memory_equal(A->start, B->start, ((size_t)A->nrows + 1) * sizeof(int32_t));
    if (entries == 0) return;
    assert_memory_equal(A->col, B->col, entries * sizeof *A->col);
    assert_memory_equal(A->value, B->value, entries * sizeof(double));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
