/* stream_bands.c: a matrix on the host, band after band of its rows. While band b is multiplied,
 * band b + 1 travels: into memory that was made before that product was asked for, so that it need
 * not wait for it. */
#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/stream/async_copy.h"

enum { ROOM, ARRIVED = 2, PAGE = 4 }; /* moments: of band b those + b mod 2 */

typedef struct bands {
    gsolve_context *ctx;
    const char *spec;
    gsolve_csr csr; /* on the host */
    const gs_async_copy_kernels *by;
    gs_async_copy *copier;
    int32_t *first; /* count + 1: first row of each */
    int32_t count;
    int64_t pages;
    gsolve_csr there[2]; /* on the device */
    int32_t *start[2];   /* offsets of the bands, on the host */
} bands;

static int64_t entries_of(const bands *s, int32_t b)
{
    return gs_start(&s->csr, s->first[b + 1]) - gs_start(&s->csr, s->first[b]);
}

static double bytes_of_rows(const gsolve_csr *csr, int32_t from, int32_t to)
{
    return ((double)to - from + 1) * (double)sizeof(int32_t) +
           (double)(gs_start(csr, to) - gs_start(csr, from)) *
               (double)(sizeof(int32_t) + gs_type_size(csr->type));
}

/* As few bands as have at most so many bytes each; a row at least, and 2^31 entries at most. */
static gsolve_status cut(bands *s, double bytes)
{
    const gsolve_csr *A = &s->csr;
    gsolve_status status;

    ALLOC(s->ctx, GSOLVE_HOST, s->first, (size_t)A->nrows + 1);
    s->first[0] = 0;
    for (int32_t at = 0; at < A->nrows;) {
        int32_t low = at + 1, high = A->nrows; /* the last row that still fits */
        while (low < high) {
            const int32_t middle = low + (high - low + 1) / 2;
            const bool fits = bytes_of_rows(A, at, middle) <= bytes &&
                              gs_start(A, middle) - gs_start(A, at) < INT32_MAX;
            if (fits) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        s->first[++s->count] = at = low;
    }
done:
    return status;
}

/* --- a band ----------------------------------------------------------------------------------- */

/* Bytes from the host, by pages where they cannot travel by themselves. */
static gsolve_status bring(bands *s, void *to, const void *from, size_t bytes)
{
    const gs_lines all = {bytes, 1, bytes};
    void *host = (void *)(uintptr_t)from;
    gsolve_status status = GSOLVE_OK;
    bool passed;

    if (bytes == 0) return status;
    if (s->by->travels(s->copier, from)) {
        return s->by->copy(s->copier, GS_LANE_IN, to, host, &all);
    }
    for (size_t at = 0, end; at < bytes; at = end, s->pages++) {
        const int k = (int)(s->pages % GS_ASYNC_COPY_PAGES);
        void *page = s->by->page(s->copier, GS_LANE_IN, k);
        end = bytes - at < GS_ASYNC_COPY_PAGE ? bytes : at + GS_ASYNC_COPY_PAGE;
        const gs_lines part = {end - at, 1, end - at};
        if (!page) return gsolve_fail(s->ctx, GSOLVE_NO_MEMORY, "no locked pages for copies");
        if (s->pages >= GS_ASYNC_COPY_PAGES) {
            TRY(s->by->passed(s->copier, PAGE + k, true, &passed));
        }
        gs_async_copy_pack(gsolve_threads(s->ctx), page, host, &all, at, end, false);
        TRY(s->by->copy(s->copier, GS_LANE_IN, (char *)to + at, page, &part));
        TRY(s->by->mark(s->copier, GS_LANE_IN, PAGE + k));
    }
done:
    return status;
}

/* Memory for band b, where there is such a band; its offsets. */
static gsolve_status make_room(bands *s, int32_t b)
{
    const int k = b % 2;
    int64_t before;
    gsolve_status status;

    if (b >= s->count) return GSOLVE_OK;
    const int32_t row = s->first[b], rows = s->first[b + 1] - row;
    TRY(gs_csr_new_at(&s->there[k], s->ctx, gs_location(s->ctx), rows, s->csr.ncols,
                      entries_of(s, b), s->csr.type));
    ALLOC(s->ctx, GSOLVE_HOST, s->start[k], (size_t)rows + 1);
    before = gs_start(&s->csr, row);
    for (int32_t i = 0; i <= rows; i++) {
        s->start[k][i] = (int32_t)(gs_start(&s->csr, row + i) - before);
    }
    TRY(s->by->mark(s->copier, GS_LANE_QUEUE, ROOM + k));
done:
    return status;
}

static gsolve_status send(bands *s, int32_t b)
{
    const int k = b % 2;
    gsolve_status status;

    if (b >= s->count) return GSOLVE_OK;
    const gsolve_csr *to = &s->there[k];
    const int64_t at = gs_start(&s->csr, s->first[b]), entries = entries_of(s, b);
    const size_t size = gs_type_size(to->type);
    TRY(s->by->after(s->copier, GS_LANE_IN, ROOM + k));
    const gs_csr_arrays arrays = gs_csr_arrays_of(s->ctx, to);
    TRY(bring(s, arrays.start, s->start[k], ((size_t)to->nrows + 1) * sizeof(int32_t)));
    TRY(bring(s, arrays.col, s->csr.col + at, (size_t)entries * sizeof(int32_t)));
    TRY(bring(s, arrays.value, (const char *)s->csr.value + (size_t)at * size,
              (size_t)entries * size));
    TRY(s->by->mark(s->copier, GS_LANE_IN, ARRIVED + k));
done:
    return status;
}

/* The rows of y, on the device, that band b makes. */
static gsolve_dense band_of(const bands *s, gsolve_dense y, int32_t b)
{
    const int64_t step = y.layout == GSOLVE_ROW_MAJOR ? y.stride : 1;

    y.value = (char *)y.value + (size_t)(s->first[b] * step) * gs_type_size(y.type);
    y.nrows = s->first[b + 1] - s->first[b];
    return y;
}

static gsolve_status multiply(bands *s, int32_t b, double alpha, gsolve_dense x, double beta,
                              gsolve_dense y)
{
    gsolve_matrix *band = NULL;
    gsolve_status status;

    TRY(s->by->after(s->copier, GS_LANE_QUEUE, ARRIVED + b % 2));
    TRY(gs_matrix_create_unchecked(&band, s->ctx, s->spec, &s->there[b % 2]));
    TRY(gsolve_matrix_apply(band, alpha, x, beta, band_of(s, y, b)));
done:
    gsolve_matrix_destroy(&band);
    return status;
}

static void drop_start(bands *s, int k)
{
    gsolve_free(s->ctx, GSOLVE_HOST, s->start[k]);
    s->start[k] = NULL;
}

/* All bands, x and y being on the device. */
static gsolve_status multiply_all(bands *s, bool in_turn, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y)
{
    gsolve_status status;
    bool passed;

    TRY(make_room(s, 0));
    TRY(send(s, 0));
    for (int32_t b = 0; b < s->count; b++) {
        TRY(make_room(s, b + 1));
        TRY(multiply(s, b, alpha, x, beta, y));
        if (in_turn) { /* also the product has ended before the next band leaves */
            TRY(s->by->mark(s->copier, GS_LANE_QUEUE, ROOM + b % 2));
            TRY(s->by->passed(s->copier, ROOM + b % 2, true, &passed));
        }
        TRY(s->by->passed(s->copier, ARRIVED + b % 2, true, &passed));
        drop_start(s, b % 2); /* which may have travelled by itself until now */
        TRY(send(s, b + 1));
    }
done:
    return status;
}

/* --- chunks of columns ------------------------------------------------------------------------ */

/* *there = v's numbers on the device, side by side; unset, if not read. */
static gsolve_status take_there(gsolve_dense *there, gsolve_context *ctx, gsolve_dense v, bool read)
{
    gsolve_status status = GSOLVE_OK;
    gs_lines lines = gs_lines_of(v);
    const size_t bytes = lines.width * lines.count;
    char *to = gsolve_alloc(ctx, gs_location(ctx), bytes, 1);

    *there = v;
    there->value = to;
    there->stride = v.layout == GSOLVE_ROW_MAJOR ? v.ncols : v.nrows;
    there->location = gs_location(ctx);
    if (!to) return GSOLVE_NO_MEMORY;
    if (lines.pitch == lines.width) lines = (gs_lines){bytes, 1, bytes};
    for (size_t k = 0; read && k < lines.count; k++) {
        TRY(gsolve_copy(ctx, to + k * lines.width, there->location,
                        (const char *)v.value + k * lines.pitch, GSOLVE_HOST, lines.width));
    }
done:
    return status;
}

static gsolve_status bring_back(gsolve_context *ctx, gsolve_dense there, gsolve_dense v)
{
    gs_lines lines = gs_lines_of(v);
    gsolve_status status = GSOLVE_OK;

    if (lines.pitch == lines.width) {
        lines = (gs_lines){lines.width * lines.count, 1, lines.width * lines.count};
    }
    for (size_t k = 0; k < lines.count; k++) {
        TRY(gsolve_copy(ctx, (char *)v.value + k * lines.pitch, GSOLVE_HOST,
                        (char *)there.value + k * lines.width, there.location, lines.width));
    }
done:
    return status;
}

static gsolve_status multiply_chunk(bands *s, bool in_turn, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y)
{
    gsolve_dense in = {0}, out = {0};
    gsolve_status status;

    TRY(take_there(&in, s->ctx, x, true));
    TRY(take_there(&out, s->ctx, y, beta != 0));
    TRY(multiply_all(s, in_turn, alpha, in, beta, out));
    TRY(bring_back(s->ctx, out, y));
done:
    gsolve_free(s->ctx, gs_location(s->ctx), in.value);
    gsolve_free(s->ctx, gs_location(s->ctx), out.value);
    return status;
}

/* *columns of a chunk, whose x and y may take half of the memory; *band: bytes of a band, of which
 * two and what the format makes of one are there at a time. */
static gsolve_status share_memory(gsolve_context *ctx, const gsolve_csr *csr, int32_t all,
                                  const gsolve_stream_options *o, int32_t *columns, double *band)
{
    const double memory = (double)gs_stream_memory(ctx, o);
    const double column = ((double)csr->nrows + csr->ncols) * (double)gs_type_size(csr->type);
    const double fit = column > 0 ? memory / 2 / column : all;

    *columns = o->columns > 0 && o->columns < all ? o->columns : all;
    *band = memory / 8;
    if (fit < 1 || (o->columns > 0 && fit < *columns)) {
        return gsolve_fail(ctx, GSOLVE_NO_MEMORY,
                           "%d columns of x and y need %.0f MB of the device's memory, of which "
                           "%.0f MB may be taken",
                           o->columns > 0 ? *columns : 1,
                           1e-6 * column * (o->columns > 0 ? *columns : 1), 0.5e-6 * memory);
    }
    if (fit < *columns) *columns = (int32_t)fit;
    return GSOLVE_OK;
}

/* Where the device's memory is the host's, or nothing need be cut. */
static gsolve_status multiply_plainly(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                      double alpha, gsolve_dense x, double beta, gsolve_dense y)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    TRY(gsolve_matrix_create(&A, ctx, spec, csr));
    TRY(gsolve_matrix_apply(A, alpha, x, beta, y));
done:
    gsolve_matrix_destroy(&A);
    return status;
}

static gsolve_status check(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                           gsolve_dense x, gsolve_dense y, const gsolve_stream_options *o)
{
    if (!spec || !csr || csr->location != GSOLVE_HOST || x.location != GSOLVE_HOST ||
        y.location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_stream: the format, the matrix, x or y is missing, or does "
                           "not lie on the host");
    }
    if (!gs_stride_fits(x) || !gs_stride_fits(y) || x.nrows != csr->ncols ||
        y.nrows != csr->nrows || x.ncols != y.ncols || x.ncols < 0 || x.type != csr->type ||
        y.type != csr->type || o->columns < 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_stream: x (%d x %d) and y (%d x %d) must fit the matrix "
                           "(%d x %d) and be of its type, and columns be 0 or more",
                           x.nrows, x.ncols, y.nrows, y.ncols, csr->nrows, csr->ncols);
    }
    return GSOLVE_OK;
}

/* csr is clean. */
static gsolve_status multiply_bands(bands *s, const gsolve_stream_options *o, double alpha,
                                    gsolve_dense x, double beta, gsolve_dense y,
                                    gsolve_stream_info *info)
{
    int32_t columns;
    double bytes;
    gsolve_status status;

    TRY(share_memory(s->ctx, &s->csr, x.ncols, o, &columns, &bytes));
    TRY(cut(s, bytes));
    TRY(s->by->open(&s->copier, s->ctx));
    info->bands = s->count;
    info->columns = columns;
    info->bytes = (size_t)columns * ((size_t)x.nrows + (size_t)y.nrows) * gs_type_size(x.type) +
                  4 * (size_t)bytes;
    for (int32_t j = 0; j < x.ncols; j += columns, info->chunks++) {
        TRY(multiply_chunk(s, o->sequential, alpha, gs_some_columns(x, j, columns), beta,
                           gs_some_columns(y, j, columns)));
    }
done:
    if (s->copier) s->by->close(s->copier);
    for (int k = 0; k < 2; k++) {
        drop_start(s, k);
        gsolve_csr_free(&s->there[k], s->ctx);
    }
    gsolve_free(s->ctx, GSOLVE_HOST, s->first);
    return status;
}

gsolve_status gsolve_csr_stream(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                double alpha, gsolve_dense x, double beta, gsolve_dense y,
                                const gsolve_stream_options *options, gsolve_stream_info *info)
{
    static const gsolve_stream_options usual = {0};
    const gsolve_stream_options *o = options ? options : &usual;
    const double begin = gs_now();
    gsolve_stream_info made = {0};
    gsolve_csr own = {0};
    int64_t *place = NULL;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    TRY(check(ctx, spec, csr, x, y, o));
    TRY(gs_csr_check(ctx, csr, &clean));
    if (gs_location(ctx) == GSOLVE_HOST || (int64_t)x.nrows * x.ncols == 0 || y.nrows == 0) {
        TRY(multiply_plainly(ctx, spec, csr, alpha, x, beta, y));
        made = (gsolve_stream_info){.columns = x.ncols, .chunks = 1, .bands = 1};
    } else {
        bands s = {.ctx = ctx, .spec = spec, .by = GS_KERNELS(gs_async_copy, ctx, 0)};
        if (!clean) TRY(gs_csr_clean(&own, ctx, csr, &place));
        s.csr = clean ? *csr : own;
        TRY(multiply_bands(&s, o, alpha, x, beta, y, &made));
    }
    made.seconds = gs_now() - begin;
    if (info) *info = made;
done:
    gsolve_csr_free(&own, ctx);
    gsolve_free(ctx, GSOLVE_HOST, place);
    return status;
}
