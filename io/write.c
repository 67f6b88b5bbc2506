/* write.c: writes Matrix Market files. The threads format blocks of lines in parallel, each in its
 * own buffer, and write them in order. */
#define ZLIB_CONST /* z_stream.next_in is const */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/replace.h"
#include "core/try.h"
#include "io/input.h"
#include "io/number.h"
#include "io/write.h"
#include "io/write_binary.h"
#include "matrix/statistics.h"

#define BLOCK     ((int64_t)1 << 14)    /* entries */
#define MOST_LINE (GS_NUMBER_SIZE + 24) /* two integers of ten digits, the value, the spaces */
#define PACKED    ((unsigned)1 << 18)   /* bytes of compressed text before they are written */

/* --- text to a file, compressed if its name ends in ".gz" ------------------------------------ */

typedef struct output {
    gsolve_context *ctx;
    gs_replacement replacement;
    bool compressed;
    z_stream z;
    unsigned char *packed; /* the output of z, before it is written */
} output;

static gsolve_status write_error(const output *sink, int code)
{
    return gs_write_error(sink->ctx, sink->replacement.path, code);
}

bool gs_ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static gsolve_status open_packer(output *sink, gsolve_context *ctx)
{
    sink->packed = gsolve_alloc(ctx, GSOLVE_HOST, PACKED, 1);
    if (!sink->packed) return GSOLVE_NO_MEMORY;
    sink->z = (z_stream){.zalloc = gs_gzip_alloc, .zfree = gs_gzip_free, .opaque = ctx};
    if (deflateInit2(&sink->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK) {
        return GSOLVE_OK;
    }
    gsolve_free(ctx, GSOLVE_HOST, sink->packed);
    return GSOLVE_NO_MEMORY;
}

/* On failure there is nothing to close. path must stay until sink_close. */
static gsolve_status sink_open(output *sink, gsolve_context *ctx, const char *path)
{
    gsolve_status status = GSOLVE_OK;
    int code;

    sink->ctx = ctx;
    sink->replacement.path = path;
    sink->compressed = gs_ends_in_gz(path);
    if (sink->compressed) status = open_packer(sink, ctx);
    if (status != GSOLVE_OK) return status;
    code = gs_replace_begin_any(&sink->replacement, ctx, path);
    if (code == 0) return GSOLVE_OK;
    status = write_error(sink, code);
    if (sink->compressed) {
        deflateEnd(&sink->z);
        gsolve_free(ctx, GSOLVE_HOST, sink->packed);
    }
    return status;
}

static gsolve_status pack(output *sink, const char *text, size_t bytes, int flush)
{
    z_stream *z = &sink->z;

    z->next_in = (const unsigned char *)text;
    z->avail_in = (unsigned)bytes;
    do {
        z->next_out = sink->packed;
        z->avail_out = PACKED;
        deflate(z, flush);
        const int code = gs_replace_write(&sink->replacement, sink->packed, PACKED - z->avail_out);
        if (code) return write_error(sink, code);
    } while (z->avail_out == 0);
    return GSOLVE_OK;
}

static gsolve_status sink_write(output *sink, const char *text, size_t bytes)
{
    gsolve_status status = GSOLVE_OK;

    if (!sink->compressed) {
        const int code = gs_replace_write(&sink->replacement, text, bytes);
        return code ? write_error(sink, code) : GSOLVE_OK;
    }
    while (bytes > 0 && status == GSOLVE_OK) {
        const size_t some = bytes < 1u << 30 ? bytes : 1u << 30;
        status = pack(sink, text, some, Z_NO_FLUSH);
        text += some;
        bytes -= some;
    }
    return status;
}

/* status: the result of the writes; the file appears only if it is GSOLVE_OK. Returns status, or
 * the error of completing the file. */
static gsolve_status sink_close(output *sink, gsolve_status status)
{
    int code;

    if (sink->compressed) {
        if (status == GSOLVE_OK) status = pack(sink, "", 0, Z_FINISH);
        deflateEnd(&sink->z);
        gsolve_free(sink->ctx, GSOLVE_HOST, sink->packed);
    }
    code = gs_replace_end(&sink->replacement, status == GSOLVE_OK, false);
    return status == GSOLVE_OK && code ? write_error(sink, code) : status;
}

/* --- lines ------------------------------------------------------------------------------------ */

typedef struct lines { /* the matrix to write, one entry per line; csr or dense is NULL */
    const gsolve_csr *csr;
    const gsolve_dense *dense;
    gsolve_symmetry symmetry; /* of csr */
    int64_t count;            /* entries of csr or dense */
} lines;

/* Whether the entry in row i and column j is written: all entries of a general matrix, the lower
 * triangle of a symmetric one, and the strictly lower triangle of a skew-symmetric one. */
static bool is_written(gsolve_symmetry symmetry, int32_t i, int32_t j)
{
    return symmetry == GSOLVE_GENERAL || (symmetry == GSOLVE_SKEW ? j < i : j <= i);
}

/* The row in which entry k lies. */
static int32_t row_of(const gsolve_csr *csr, int64_t k)
{
    int32_t low = 0, high = csr->nrows; /* start[low] <= k < start[high] */

    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(csr, middle) <= k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static char *write_entries(const lines *l, int64_t from, int64_t to, char *text)
{
    for (int32_t i = row_of(l->csr, from); from < to; i++) {
        const int64_t end = gs_start(l->csr, i + 1) < to ? gs_start(l->csr, i + 1) : to;
        for (; from < end; from++) {
            if (!is_written(l->symmetry, i, l->csr->col[from])) continue;
            text = gs_integer_write(text, (int64_t)i + 1);
            *text++ = ' ';
            text = gs_integer_write(text, (int64_t)l->csr->col[from] + 1);
            *text++ = ' ';
            text = gs_number_write(text, gs_value(l->csr, from));
            *text++ = '\n';
        }
    }
    return text;
}

static double dense_value(const gsolve_dense *v, int64_t k)
{
    const int64_t at = k % v->nrows + k / v->nrows * v->stride;
    return v->type == GSOLVE_F32 ? (double)((const float *)v->value)[at]
                                 : ((const double *)v->value)[at];
}

char *gs_write_values(const gsolve_dense *v, int64_t from, int64_t to, char *text)
{
    for (int64_t k = from; k < to; k++) {
        text = gs_number_write(text, dense_value(v, k));
        *text++ = '\n';
    }
    return text;
}

static gsolve_status write_lines(output *sink, gsolve_context *ctx, const lines *l)
{
    const int threads = gsolve_threads(ctx);
    const size_t size = (size_t)BLOCK * MOST_LINE; /* of a thread's buffer */
    char *text = NULL;
    size_t *length = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, text, (size_t)threads * size);
    ALLOC(ctx, GSOLVE_HOST, length, threads);
    for (int64_t first = 0; first < l->count; first += threads * BLOCK) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
        for (int t = 0; t < threads; t++) {
            char *begin = text + (size_t)t * size, *end = begin;
            const int64_t from = first + t * BLOCK, most = from + BLOCK;
            const int64_t to = most < l->count ? most : l->count;
            if (from < to) {
                end = l->csr ? write_entries(l, from, to, begin)
                             : gs_write_values(l->dense, from, to, begin);
            }
            length[t] = (size_t)(end - begin);
        }
        for (int t = 0; t < threads; t++) {
            TRY(sink_write(sink, text + (size_t)t * size, length[t]));
        }
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, length);
    gsolve_free(ctx, GSOLVE_HOST, text);
    return status;
}

/* Appends `comment`, each of its lines behind a percent sign; returns the end of the text. */
static char *put_comment(char *text, const char *comment)
{
    while (comment && *comment) {
        const size_t line = strcspn(comment, "\n");
        memcpy(text, "% ", 2);
        memcpy(text + 2, comment, line);
        text += line + 2;
        *text++ = '\n';
        comment += line + (comment[line] == '\n');
    }
    return text;
}

gsolve_status gs_market_header(char **text, size_t *bytes, gsolve_context *ctx, const char *format,
                               const char *symmetry, const char *comment, const char *sizes)
{
    const size_t most = 160 + 4 * (comment ? strlen(comment) : 0); /* of short comment lines */
    char *end;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, *text, most);
    end = *text + sprintf(*text, "%%%%MatrixMarket matrix %s real %s\n", format, symmetry);
    end = put_comment(end, comment);
    end += sprintf(end, "%s\n", sizes);
    *bytes = (size_t)(end - *text);
done:
    return status;
}

static gsolve_status write_file(gsolve_context *ctx, const char *path, const lines *l,
                                const char *symmetry, const char *comment, int32_t nrows,
                                int32_t ncols, int64_t stored)
{
    output *sink = NULL;
    char sizes[64], *header = NULL;
    size_t bytes;
    gsolve_status status;

    snprintf(sizes, sizeof sizes, "%d %d", nrows, ncols);
    if (l->csr) snprintf(sizes, sizeof sizes, "%d %d %lld", nrows, ncols, (long long)stored);
    TRY(gs_market_header(&header, &bytes, ctx, l->csr ? "coordinate" : "array", symmetry, comment,
                         sizes));
    ALLOC(ctx, GSOLVE_HOST, sink, 1);
    TRY(sink_open(sink, ctx, path));
    status = sink_write(sink, header, bytes);
    if (status == GSOLVE_OK) status = write_lines(sink, ctx, l);
    status = sink_close(sink, status);
done:
    gsolve_free(ctx, GSOLVE_HOST, header);
    gsolve_free(ctx, GSOLVE_HOST, sink);
    return status;
}

/* --- symmetric ---------------------------------------------------------------------------- */

/* Refuses A, whose columns ascend, unless A = sign A'. */
static gsolve_status check_symmetric(gsolve_context *ctx, const gsolve_csr *A, double sign)
{
    gsolve_csr B = {0};
    gsolve_status status = GSOLVE_OK;

    if (A->nrows == A->ncols) TRY(gs_csr_transpose(&B, ctx, A));
    for (int32_t i = 0; i < A->nrows; i++) {
        bool same = A->nrows == A->ncols && gs_start(A, i + 1) == gs_start(&B, i + 1);
        for (int64_t k = gs_start(A, i); same && k < gs_start(A, i + 1); k++) {
            same = A->col[k] == B.col[k] && gs_value(A, k) == sign * gs_value(&B, k);
        }
        if (!same) {
            status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                                 "the matrix is not %s: row %d differs from column %d (counted "
                                 "from 1); write it as GSOLVE_GENERAL",
                                 sign < 0 ? "skew-symmetric" : "symmetric", i + 1, i + 1);
            break;
        }
    }
done:
    gsolve_csr_free(&B, ctx);
    return status;
}

static int64_t count_written(const gsolve_csr *A, gsolve_symmetry symmetry)
{
    int64_t count = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            count += is_written(symmetry, i, A->col[k]);
        }
    }
    return count;
}

gsolve_status gsolve_write_matrix(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                                  gsolve_symmetry symmetry, const char *comment)
{
    const bool skew = symmetry == GSOLVE_SKEW, lower = symmetry != GSOLVE_GENERAL;
    gsolve_csr copy = {0};
    lines l = {.csr = csr, .symmetry = symmetry};
    gs_csr_findings found;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!path) return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_write_matrix: path is NULL");
    TRY(gs_csr_need_host(ctx, csr));
    TRY(gs_csr_inspect(ctx, csr, &found, NULL));
    if (gsolve_file_format_of(path) != GSOLVE_FILE_MARKET) {
        return gs_write_binary_matrix(ctx, path, gsolve_file_format_of(path), csr, symmetry);
    }
    if (lower) {
        if (!found.ascending) {
            TRY(gs_csr_clean(&copy, ctx, csr, false, NULL));
            l.csr = &copy;
        }
        TRY(check_symmetric(ctx, l.csr, skew ? -1 : 1));
    }
    l.count = gs_start(l.csr, l.csr->nrows);
    TRY(write_file(ctx, path, &l,
                   skew    ? "skew-symmetric"
                   : lower ? "symmetric"
                           : "general",
                   comment, csr->nrows, csr->ncols,
                   lower ? count_written(l.csr, symmetry) : l.count));
done:
    gsolve_csr_free(&copy, ctx);
    return status;
}

/* --- dense ---------------------------------------------------------------------------------- */

int64_t gs_first_not_finite(const gsolve_dense *v)
{
    for (int64_t k = 0; k < (int64_t)v->nrows * v->ncols; k++) {
        if (!isfinite(dense_value(v, k))) return k;
    }
    return -1;
}

gsolve_status gs_refuse_element(gsolve_context *ctx, const gsolve_dense *v, int64_t k,
                                int64_t first_row)
{
    return gsolve_fail(
        ctx, GSOLVE_BAD_MATRIX,
        "the element in row %lld and column %lld (counted from 1) is %g; values must be finite",
        (long long)(first_row + k % v->nrows) + 1, (long long)(k / v->nrows) + 1,
        dense_value(v, k));
}

static gsolve_status check_dense(gsolve_context *ctx, const gsolve_dense *v)
{
    int64_t bad;

    if (v && v->layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(ctx, *v, "a dense matrix");
    if (!v || v->nrows < 0 || v->ncols < 0 || (v->ncols > 1 && v->stride < v->nrows) || !v->value ||
        v->location != GSOLVE_HOST || (unsigned)v->type >= GSOLVE_TYPE_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the dense matrix is NULL or not on the host, or its sizes or type are "
                           "wrong");
    }
    bad = gs_first_not_finite(v);
    return bad < 0 ? GSOLVE_OK : gs_refuse_element(ctx, v, bad, 0);
}

gsolve_status gsolve_write_dense(gsolve_context *ctx, const char *path, const gsolve_dense *v,
                                 const char *comment)
{
    lines l = {.dense = v};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!path) return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_write_dense: path is NULL");
    TRY(check_dense(ctx, v));
    if (gsolve_file_format_of(path) != GSOLVE_FILE_MARKET) {
        return gs_write_binary_dense(ctx, path, gsolve_file_format_of(path), v);
    }
    l.count = (int64_t)v->nrows * v->ncols;
    TRY(write_file(ctx, path, &l, "general", comment, v->nrows, v->ncols, l.count));
done:
    return status;
}
