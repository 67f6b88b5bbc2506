/* common.h: helpers of the test programs. */
#ifndef TESTS_COMMON_H
#define TESTS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gsolve_io.h"
#include "matrix/csr.h"
#include "tests/apart.h"

#define OK(ctx, call)                                                       \
    do {                                                                    \
        const gsolve_status ok_ = (call);                                   \
        if (ok_ != GSOLVE_OK) fail_msg("%s: %s", #call, gsolve_error(ctx)); \
    } while (0)

static inline gsolve_context *open_context(int threads)
{
    gsolve_context *ctx = NULL;
    char keys[32];

    snprintf(keys, sizeof keys, ",threads=%d", threads);
    if (open_test_device(&ctx, "cpu", keys) != GSOLVE_OK) fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

/* Ends a test program whose device cannot be opened: as skipped if there is no such device, as
 * failed for every other reason, such as a full device. */
static inline void end_without_device(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    printf("%s: %s\n", status == GSOLVE_NO_DEVICE ? "skipped" : "failed", gsolve_error(NULL));
    exit(status == GSOLVE_NO_DEVICE ? 77 : 1);
}

static inline void need_device(void)
{
    gsolve_context *ctx = NULL;

    end_without_device(open_test_device(&ctx, "cpu", ""));
    gsolve_context_destroy(&ctx);
}

/* NULL: the build or the machine has no GPU. */
static inline gsolve_context *open_cuda(void)
{
    gsolve_context *ctx = NULL;
    const gsolve_status status = gsolve_context_create(&ctx, "cuda");

    if (status != GSOLVE_OK && status != GSOLVE_NO_DEVICE) fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

static inline void need_cuda(void)
{
    gsolve_context *ctx = NULL;

    end_without_device(gsolve_context_create(&ctx, "cuda"));
    gsolve_context_destroy(&ctx);
}

/* Fails if other processes use so much of the device's memory that fewer than `bytes` bytes are
 * free, and less than half of all memory. */
static inline void need_memory(gsolve_context *ctx, double bytes)
{
    size_t unused, total;

    if (gsolve_context_memory(ctx, &unused, &total) != GSOLVE_OK) return;
    if ((double)unused >= bytes || unused >= total / 2) return;
    fail_msg("the device is full: %.3g GB of %.3g GB are free, and %.3g GB must be",
             1e-9 * (double)unused, 1e-9 * (double)total, 1e-9 * bytes);
}

static inline int64_t blocks_of(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context_describe(ctx, &info);
    return info.blocks;
}

/* Closes a context; fails if it still has allocated blocks. */
static inline void close_context(gsolve_context *ctx)
{
    assert_int_equal(blocks_of(ctx), 0);
    gsolve_context_destroy(&ctx);
    assert_null(ctx);
}

static inline gsolve_csr read_matrix(gsolve_context *ctx, const char *name)
{
    gsolve_csr csr;
    OK(ctx, gsolve_read_matrix(&csr, ctx, name, NULL, NULL));
    return csr;
}

static inline double *random_vector(int64_t n, uint64_t seed)
{
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = gsolve_random(seed, (uint64_t)i);
    return v;
}

/* Small matrices with difficult shapes, and a few typical ones. */
static const char *const nasty[] = {
    "gen:tridiagonal,n=1",        "gen:tridiagonal,n=2",
    "gen:tridiagonal,n=0",        "gen:poisson2d,n=9",
    "gen:poisson3d27,n=4",        "gen:elasticity3d,n=2",
    "gen:convdiff3d,n=5",         "gen:circuit,n=300,dense=2",
    "gen:web,n=400,longest=200",  "gen:rmat,scale=7",
    "gen:random,n=50,cols=80",    "gen:random,n=80,cols=50",
    "gen:random,n=0,cols=7",      "gen:random,n=7,cols=0,row=0",
    "gen:lp,n=20,cols=120",       "gen:emptyrows,n=60",
    "gen:emptyrows,n=30,cols=90", "gen:band,n=333",
    "gen:neumann2d,n=6",          "gen:tridiagonal,n=40000,low=-1,diag=3,high=-1.5",
};
enum { NASTY = sizeof nasty / sizeof *nasty };

enum { MOST_METHODS = 64 };

/* Fills name with the methods in the list, without those whose names begin with a word of `without`
 * (words between spaces), and returns how many. A new method is tested without being named. */
static inline int list_methods(const char *name[MOST_METHODS], const char *without)
{
    const gsolve_plugin *method;
    int count = 0;

    for (int i = 0; (method = gsolve_method_at(i)); i++) {
        bool out = false;
        for (const char *word = without; *word; word += *word == ' ') {
            const size_t length = strcspn(word, " ");
            out |= strncmp(method->name, word, length) == 0;
            word += length;
        }
        assert_true(count < MOST_METHODS);
        if (!out) name[count++] = method->name;
    }
    return count;
}

/* Creates *M, or returns false if the format refuses the matrix with GSOLVE_UNSUPPORTED, as a
 * format may that would store too much padding. */
static inline bool create_or_refused(gsolve_matrix **M, gsolve_context *ctx, const char *spec,
                                     const gsolve_csr *csr)
{
    const gsolve_status status = gsolve_matrix_create(M, ctx, spec, csr);

    if (status != GSOLVE_OK && status != GSOLVE_UNSUPPORTED) {
        fail_msg("%s, %d x %d: %s", spec, csr->nrows, csr->ncols, gsolve_error(ctx));
    }
    return status == GSOLVE_OK;
}

/* Runs call, which returns a status, with a limit of first, first + step, ... allocations until it
 * succeeds. After each failure the number of blocks must be the same as before, and the message
 * must mention memory. */
#define ALLOCATION_SWEEP_FROM(ctx, first, step, call)             \
    do {                                                          \
        const int64_t before_ = blocks_of(ctx);                   \
        for (int64_t granted_ = (first);; granted_ += (step)) {   \
            gsolve_context_limit_allocations(ctx, granted_);      \
            const gsolve_status swept_ = (call);                  \
            gsolve_context_limit_allocations(ctx, -1);            \
            if (swept_ == GSOLVE_OK) break;                       \
            assert_int_equal(swept_, GSOLVE_NO_MEMORY);           \
            assert_int_equal(blocks_of(ctx), before_);            \
            assert_non_null(strstr(gsolve_error(ctx), "memory")); \
            assert_true(granted_ < 1000);                         \
        }                                                         \
    } while (0)

/* With a limit of 0, 1, 2, ... allocations. */
#define ALLOCATION_SWEEP(ctx, call) ALLOCATION_SWEEP_FROM(ctx, 0, 1, call)

#endif
