/* fuzz_read.c: any bytes at all, given to the readers. They may be refused, with a sentence; what
 * is accepted must be a matrix, and nothing may stay behind. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/input.h"
#include "matrix/csr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static gsolve_context *ctx; /* made once: the process's only one */

static void demand(bool truth)
{
    if (!truth) abort();
}

static gsolve_status open_input(gs_input *in, const uint8_t *data, size_t size)
{
    gs_input_memory(in, ctx, "fuzz", (const char *)data, size, NULL);
    in->size_limit = 1 << 16; /* enough for small files, and quick */
    return gs_input_unpack(in);
}

static void check_matrix(const gsolve_csr *csr, const gs_input *in)
{
    bool clean;

    demand(gs_csr_check(ctx, csr, &clean) == GSOLVE_OK && clean);
    demand(in->source.kind[0] && in->source.field[0] && in->source.duplicates >= 0);
}

static void check_dense(const gsolve_dense *v)
{
    const double *x = v->value;

    for (int64_t k = 0; k < (int64_t)v->nrows * v->ncols; k++) demand(x[k] - x[k] == 0);
}

/* A failure must have said something. */
static void check_failure(gsolve_status status)
{
    demand(status == GSOLVE_BAD_FILE || status == GSOLVE_NO_MEMORY);
    demand(strlen(gsolve_error(ctx)) > 10);
}

static void read_matrix(const uint8_t *data, size_t size)
{
    gs_input in;
    gsolve_csr csr;
    gsolve_status status = open_input(&in, data, size);

    if (status == GSOLVE_OK) status = gs_read_memory(&csr, &in);
    if (status == GSOLVE_OK) {
        check_matrix(&csr, &in);
        gsolve_csr_free(&csr, ctx);
    } else {
        check_failure(status);
    }
    gs_input_close(&in);
}

static void read_dense(const uint8_t *data, size_t size)
{
    gs_input in;
    gsolve_dense v;
    gsolve_status status = open_input(&in, data, size);

    if (status == GSOLVE_OK) status = gs_read_dense_memory(&v, &in);
    if (status == GSOLVE_OK) {
        check_dense(&v);
        gsolve_dense_free(&v, ctx);
    } else {
        check_failure(status);
    }
    gs_input_close(&in);
}

/* $FUZZ_READER: market, dense or boeing (every sparse format but Matrix Market) keeps to that
 * reader; else all are tried. */
static bool tries(const char *reader)
{
    const char *only = getenv("FUZZ_READER");
    return !only || strcmp(only, reader) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool market = size >= 2 && memcmp(data, "%%", 2) == 0;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    if (!ctx) demand(gsolve_context_create(&ctx, "cpu,threads=1") == GSOLVE_OK);
    if (tries(market ? "market" : "boeing")) read_matrix(data, size);
    if (tries("dense")) read_dense(data, size);
    gsolve_context_describe(ctx, &info);
    demand(info.blocks == 0);
    return 0;
}
