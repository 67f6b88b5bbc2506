/* read.c: reads a matrix by its name: from a generator, a file, or the cache of a file. */
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "io/cache.h"
#include "io/generators.h"
#include "io/input.h"
#include "io/matlab.h"
#include "io/numpy.h"
#include "io/petsc.h"
#include "io/text_vector.h"
#include "io/unknown.h"
#include "io/zip.h"

bool gs_matlab_is(const gs_input *in)
{
    const int64_t size = in->end - in->begin;

    return size > 128 && (memcmp(in->begin, "MATLAB 5.0 MAT", 14) == 0 ||
                          memcmp(in->begin, "MATLAB 7.3 MAT", 14) == 0);
}

gsolve_status gs_read_memory(gsolve_csr *csr, gs_input *in)
{
    if (gs_market_is(in->begin, in->end)) return gs_market_matrix(csr, in);
    if (gs_npy_is(in->begin, in->end)) return gs_npy_matrix(csr, in);
    if (gs_zip_is(in->begin, in->end)) return gs_npz_matrix(csr, in);
    if (gs_petsc_is(in->begin, in->end)) return gs_petsc_matrix(csr, in);
    if (gs_matlab_is(in)) return gs_matlab_matrix(csr, in);
    return gs_boeing_is(in) ? gs_boeing_matrix(csr, in) : gs_unknown(in, false);
}

gsolve_status gs_read_dense_memory(gsolve_dense *v, gs_input *in)
{
    if (gs_market_is(in->begin, in->end)) return gs_market_dense(v, in);
    if (gs_npy_is(in->begin, in->end)) return gs_npy_dense(v, in);
    if (gs_zip_is(in->begin, in->end)) return gs_npz_dense(v, in);
    if (gs_petsc_is(in->begin, in->end)) return gs_petsc_dense(v, in);
    if (gs_matlab_is(in)) return gs_matlab_dense(v, in);
    if (gs_boeing_is(in)) {
        return gs_input_fail(in, in->begin,
                             "a Rutherford-Boeing or Harwell-Boeing file holds no dense matrix; "
                             "write vectors as plain text, Matrix Market or .npy");
    }
    if (!gs_unknown_is(in) && gs_text_is(in)) return gs_text_dense(v, in);
    return gs_unknown(in, true);
}

static gsolve_status parse(gs_cached what, gs_input *in)
{
    gsolve_status status;

    TRY(gs_input_unpack(in));
    TRY(what.csr ? gs_read_memory(what.csr, in) : gs_read_dense_memory(what.dense, in));
done:
    return status;
}

static void keep_stamp(gsolve_source *source, const gs_stamp *stamp)
{
    source->stamp[0] = (uint64_t)stamp->size;
    source->stamp[1] = (uint64_t)stamp->mtime;
    source->stamp[2] = stamp->hash;
}

/* *what.csr or *what.dense, and *source, are set on success only. */
static gsolve_status read_file(gs_cached what, gsolve_context *ctx, const char *path,
                               const gsolve_read_options *options, gsolve_source *source)
{
    const bool cache = options && options->cache;
    gs_stamp stamp;
    gs_input in;
    gsolve_source found = GSOLVE_INIT(gsolve_source);
    const bool stamped = cache && gs_stamp_file(&stamp, ctx, path);
    gsolve_status status = GSOLVE_OK;

    if (stamped) keep_stamp(&found, &stamp);
    if (!stamped || !gs_cache_read(what, ctx, path, &stamp, &found)) {
        status = gs_input_file(&in, ctx, path, options);
        if (status != GSOLVE_OK) return status;
        status = parse(what, &in);
        found = in.source;
        if (stamped) keep_stamp(&found, &stamp);
        gs_input_close(&in);
        if (status == GSOLVE_OK && stamped && !options->cache_read_only) {
            gs_cache_write(what, ctx, path, &stamp, &found);
        }
    }
    if (status == GSOLVE_OK) GS_FILL_INFO(gsolve_source, source, &found);
    return status;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                              gsolve_source *source)
{
    gsolve_source own;
    const gsolve_status status = gs_generate(csr, ctx, name + 4, NULL);

    if (status != GSOLVE_OK) return status;
    own = gs_source_of_generator(gs_start(csr, csr->nrows));
    GS_FILL_INFO(gsolve_source, source, &own);
    return GSOLVE_OK;
}

gsolve_status gsolve_read_matrix(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                                 const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_csr A = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!csr || !name) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_matrix: csr or name is NULL");
    }
    gs_range_push(ctx, "read");
    TRY(GS_CHECK_INFO(ctx, gsolve_source, source));
    if (strncmp(name, "gen:", 4) == 0) {
        TRY(generate(&A, ctx, name, source));
    } else {
        TRY(read_file((gs_cached){&A, NULL}, ctx, name, options, source));
    }
    *csr = A;
done:
    gs_range_pop(ctx);
    return status;
}

gsolve_status gsolve_write_cache(gsolve_context *ctx, const char *name, const gsolve_csr *csr,
                                 gsolve_source *source, const gsolve_inspection *inspection)
{
    gsolve_source own = GSOLVE_INIT(gsolve_source);
    gsolve_csr rows;
    gs_stamp stamp;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!name || !csr || !source) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_write_cache: an argument is NULL");
    }
    TRY(GS_CHECK_INFO(ctx, gsolve_source, source));
    TRY(gs_csr_need_host(ctx, csr));
    if (csr->type != GSOLVE_F64 || !csr->start) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_write_cache: csr must be as gsolve_read_matrix set it, with "
                           "values of type double");
    }
    gs_fill_info(&own, source, source->size, GS_LEAST_gsolve_source);
    stamp = (gs_stamp){(int64_t)own.stamp[0], (int64_t)own.stamp[1], own.stamp[2]};
    own.cache[0] = 0;
    own.inspection = (gsolve_inspection){0};
    if (inspection) {
        TRY(GS_CHECK_INFO(ctx, gsolve_inspection, inspection));
        own.inspection.size = sizeof own.inspection;
        gs_fill_info(&own.inspection, inspection, inspection->size, GS_LEAST_gsolve_inspection);
    }
    rows = *csr;
    if (stamp.size || stamp.mtime) {
        gs_cache_write((gs_cached){&rows, NULL}, ctx, name, &stamp, &own);
    }
    memcpy(source->cache, own.cache, sizeof source->cache);
done:
    return status;
}

gsolve_status gsolve_read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_dense x;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!v || !name) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_dense: v or name is NULL");
    }
    if (strncmp(name, "gen:", 4) == 0) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "%.100s: generators make only sparse matrices",
                           name);
    }
    TRY(GS_CHECK_INFO(ctx, gsolve_source, source));
    TRY(read_file((gs_cached){NULL, &x}, ctx, name, options, source));
    *v = x;
done:
    return status;
}

void gsolve_dense_free(gsolve_dense *v, gsolve_context *ctx)
{
    if (!v) return;
    gsolve_free(ctx, v->location, v->value);
    *v = (gsolve_dense){0};
}
