/* io_support.h: helpers of the tests of io/: a context, temporary files. */
#ifndef IO_SUPPORT_H
#define IO_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gsolve_io.h"

typedef struct bench { /* the context and the folder of a test */
    gsolve_context *ctx;
    char folder[200];
    char path[300]; /* of the last file that put wrote */
} bench;

static inline int64_t blocks_of(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context_describe(ctx, &info);
    return info.blocks;
}

static inline int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    const char *folder = getenv("TMPDIR");

    snprintf(b->folder, sizeof b->folder, "%.150s/gsolve-io-XXXXXX", folder ? folder : "/tmp");
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(gsolve_context_create(&b->ctx, "cpu,threads=2"), GSOLVE_OK);
    *state = b;
    return 0;
}

static inline int tear_down(void **state)
{
    bench *b = *state;
    char command[256];

    assert_int_equal(blocks_of(b->ctx), 0);
    gsolve_context_destroy(&b->ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    assert_int_equal(system(command), 0);
    free(b);
    return 0;
}

/* Writes a file into the test's folder; returns its path. */
static inline const char *put_bytes(bench *b, const char *name, const void *data, size_t bytes)
{
    FILE *file;

    snprintf(b->path, sizeof b->path, "%s/%s", b->folder, name);
    file = fopen(b->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return b->path;
}

static inline const char *put(bench *b, const char *name, const char *text)
{
    return put_bytes(b, name, text, strlen(text));
}

/* x = csr as a dense row-major array of at most 64 doubles. */
static inline void spread(double x[64], const gsolve_csr *csr)
{
    const int32_t *start = csr->start;

    assert_int_equal(csr->offset, GSOLVE_O32);
    assert_true(csr->nrows * csr->ncols <= 64);
    memset(x, 0, 64 * sizeof *x);
    for (int i = 0; i < csr->nrows; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            if (k > start[i]) assert_true(csr->col[k] > csr->col[k - 1]);
            x[i * csr->ncols + csr->col[k]] = ((const double *)csr->value)[k];
        }
    }
}

static inline bool same_bits(const double *x, const double *y, int n)
{
    return n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

#endif
