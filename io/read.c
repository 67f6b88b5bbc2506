/* read.c: the front of all readers: names, kinds of files, the cache. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"
#include "io/generators.h"
#include "io/text.h"

static const char prefix[] = "gen:";

static bool is_generator(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

gsolve_status gs_parse_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                              const gsolve_read_options *options, gsolve_source *source)
{
    static const char banner[] = "%%MatrixMarket";
    const bool market = text->size >= sizeof banner - 1 &&
                        strncasecmp(text->data, banner, sizeof banner - 1) == 0;

    source->bytes = (int64_t)text->size;
    if (market || text->data[0] == '%') return gs_mm_matrix(csr, ctx, text, options, source);
    return gs_hb_matrix(csr, ctx, text, source);
}

static gsolve_status read_file(gsolve_csr *csr, gsolve_context *ctx, const char *path,
                               const gsolve_read_options *options, gsolve_source *source)
{
    const bool cache = options && options->cache;
    gs_text text = {0};
    bool found = false;
    gsolve_status status;

    if (cache) TRY(gs_cache_read(csr, ctx, path, source, &found));
    if (found) return GSOLVE_OK;
    TRY(gs_text_load(&text, ctx, path));
    TRY(gs_parse_matrix(csr, ctx, &text, options, source));
    if (cache) gs_cache_write(ctx, path, csr, source);
done:
    gs_text_free(&text, ctx);
    return status;
}

gsolve_status gsolve_read_matrix(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                                 const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_source about = {0};
    gsolve_csr A;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!csr || !name) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_matrix: an argument is NULL");
    }
    if (is_generator(name)) {
        TRY(gs_generate(&A, ctx, name + sizeof prefix - 1));
        snprintf(about.kind, sizeof about.kind, "generator");
        snprintf(about.field, sizeof about.field, "real");
        about.stored = gs_start(&A, A.nrows);
    } else {
        TRY(read_file(&A, ctx, name, options, &about));
    }
    *csr = A;
    if (source) *source = about;
done:
    return status;
}

gsolve_status gsolve_read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                const gsolve_read_options *options, gsolve_source *source)
{
    gsolve_source about = {0};
    gs_text text = {0};
    gsolve_dense new;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!v || !name) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_dense: an argument is NULL");
    }
    TRY(gs_text_load(&text, ctx, name));
    TRY(gs_mm_dense(&new, ctx, &text, options, &about));
    about.bytes = (int64_t)text.size;
    *v = new;
    if (source) *source = about;
done:
    gs_text_free(&text, ctx);
    return status;
}

void gsolve_dense_free(gsolve_dense *v, gsolve_context *ctx)
{
    if (!v) return;
    gsolve_free(ctx, v->place, v->value);
    memset(v, 0, sizeof *v);
}
