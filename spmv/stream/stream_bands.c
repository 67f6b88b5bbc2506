/* stream_bands.c: products with a matrix on the host that does not fit on the device, one band of
 * rows after the other. While band b is multiplied, band b + 1 is copied. The memory of band b + 1
 * is allocated before the product of band b is queued, so that its copy need not wait for that
 * product.
 */
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/stream/async_copy.h"

enum { ALLOCATED, ARRIVED = 2, PAGE = 4 }; /* events; band b uses these + b mod 2 */

typedef struct bands {
    gsolve_context *ctx;
    const char *spec;
    gsolve_csr csr; /* on the host */
    const gs_async_copy_kernels *by;
    gs_async_copy *copier;
    int32_t *first; /* count + 1 elements: first row of each band */
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

/* Cuts the rows into as few bands as possible with at most `bytes` bytes each. A band has at least
 * one row and fewer than 2^31 entries. */
static gsolve_status cut(bands *s, double bytes)
{
    const gsolve_csr *A = &s->csr;
    gsolve_status status;

    ALLOC(s->ctx, GSOLVE_HOST, s->first, (size_t)A->nrows + 1);
    s->first[0] = 0;
    for (int32_t at = 0; at < A->nrows;) {
        int32_t low = at + 1, high = A->nrows; /* find the last row that still fits */
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

/* --- one band --------------------------------------------------------------------------------- */

/* Queues a copy of bytes to the device in lane IN, through page-locked buffers (pages) if `from` is
 * not page-locked. */
static gsolve_status copy_in(bands *s, void *to, const void *from, size_t bytes)
{
    const gs_lines all = {bytes, 1, bytes};
    void *host = (void *)(uintptr_t)from;
    gsolve_status status = GSOLVE_OK;
    bool passed;

    if (bytes == 0) return status;
    if (s->by->is_locked(s->copier, from)) {
        return s->by->copy(s->copier, GS_LANE_IN, to, host, &all);
    }
    for (size_t at = 0, end; at < bytes; at = end, s->pages++) {
        const int k = (int)(s->pages % GS_ASYNC_COPY_PAGES);
        void *page = s->by->page(s->copier, GS_LANE_IN, k);
        end = bytes - at < GS_ASYNC_COPY_PAGE ? bytes : at + GS_ASYNC_COPY_PAGE;
        const gs_lines part = {end - at, 1, end - at};
        if (!page)
            return gsolve_fail(s->ctx, GSOLVE_NO_MEMORY,
                               "no memory for page-locked buffers of copies");
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

/* Allocates memory for band b, if there is such a band, and computes its offsets. */
static gsolve_status allocate_band(bands *s, int32_t b)
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
    TRY(s->by->mark(s->copier, GS_LANE_QUEUE, ALLOCATED + k));
done:
    return status;
}

/* Queues the copy of band b, if it exists, to its memory. */
static gsolve_status send(bands *s, int32_t b)
{
    const int k = b % 2;
    gsolve_status status;

    if (b >= s->count) return GSOLVE_OK;
    const gsolve_csr *to = &s->there[k];
    const int64_t at = gs_start(&s->csr, s->first[b]), entries = entries_of(s, b);
    const size_t size = gs_type_size(to->type);
    TRY(s->by->after(s->copier, GS_LANE_IN, ALLOCATED + k));
    const gs_csr_arrays arrays = gs_csr_arrays_of(s->ctx, to);
    TRY(copy_in(s, arrays.start, s->start[k], ((size_t)to->nrows + 1) * sizeof(int32_t)));
    TRY(copy_in(s, arrays.col, s->csr.col + at, (size_t)entries * sizeof(int32_t)));
    TRY(copy_in(s, arrays.value, (const char *)s->csr.value + (size_t)at * size,
                (size_t)entries * size));
    TRY(s->by->mark(s->copier, GS_LANE_IN, ARRIVED + k));
done:
    return status;
}

/* The rows of y, on the device, that band b computes. */
static gsolve_dense band_of(const bands *s, gsolve_dense y, int32_t b)
{
    const int64_t step = y.layout == GSOLVE_ROW_MAJOR ? y.stride : 1;

    y.value = (char *)y.value + (size_t)(s->first[b] * step) * gs_type_size(y.type);
    y.nrows = s->first[b + 1] - s->first[b];
    return y;
}

/* Queues the product of band b after its copy. The band's memory is freed after the product. */
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

/* The product of all bands. x and y are on the device. sequential: copies and products do not
 * overlap. */
static gsolve_status multiply_all(bands *s, bool sequential, double alpha, gsolve_dense x,
                                  double beta, gsolve_dense y)
{
    gsolve_status status;
    bool passed;

    TRY(allocate_band(s, 0));
    TRY(send(s, 0));
    for (int32_t b = 0; b < s->count; b++) {
        TRY(allocate_band(s, b + 1));
        TRY(multiply(s, b, alpha, x, beta, y));
        if (sequential) { /* wait for the product before the next band is copied */
            TRY(s->by->mark(s->copier, GS_LANE_QUEUE, ALLOCATED + b % 2));
            TRY(s->by->passed(s->copier, ALLOCATED + b % 2, true, &passed));
        }
        TRY(s->by->passed(s->copier, ARRIVED + b % 2, true, &passed));
        drop_start(s, b % 2); /* until now, an asynchronous copy may have read it */
        TRY(send(s, b + 1));
    }
done:
    return status;
}

/* --- chunks of columns ------------------------------------------------------------------------ */

/* *there = memory on the device for v's numbers, contiguous. */
static gsolve_status new_on_device(gsolve_dense *there, gsolve_context *ctx, gsolve_dense v)
{
    *there = v;
    there->stride = v.layout == GSOLVE_ROW_MAJOR ? v.ncols : v.nrows;
    there->location = gs_location(ctx);
    there->value = gsolve_alloc(ctx, gs_location(ctx), (size_t)v.nrows * (size_t)v.ncols,
                                gs_type_size(v.type));
    return there->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

/* The product for some columns of x and y, which are copied to the device. */
static gsolve_status multiply_chunk(bands *s, bool sequential, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y)
{
    const gs_lines from = gs_lines_of(x), to = gs_lines_of(y);
    gsolve_dense in = {0}, out = {0};
    gsolve_status status;

    TRY(new_on_device(&in, s->ctx, x));
    TRY(new_on_device(&out, s->ctx, y));
    TRY(gs_copy_lines(s->ctx, true, in.value, x.value, &from));
    if (beta != 0) TRY(gs_copy_lines(s->ctx, true, out.value, y.value, &to));
    TRY(multiply_all(s, sequential, alpha, in, beta, out));
    TRY(gs_copy_lines(s->ctx, false, out.value, y.value, &to));
done:
    gsolve_free(s->ctx, gs_location(s->ctx), in.value);
    gsolve_free(s->ctx, gs_location(s->ctx), out.value);
    return status;
}

/* *columns = the columns of a chunk: its x and y use at most half of the memory. *band = the bytes
 * of a band, an eighth of the memory: two bands and the form of one exist at a time. */
static gsolve_status divide_memory(gsolve_context *ctx, const gsolve_csr *csr, int32_t all,
                                   const gsolve_stream_options *o, int32_t *columns, double *band)
{
    const double memory = (double)gs_stream_memory(ctx, o);
    const double column = ((double)csr->nrows + csr->ncols) * (double)gs_type_size(csr->type);
    const double fit = column > 0 ? memory / 2 / column : all;

    *columns = o->columns > 0 && o->columns < all ? o->columns : all;
    *band = memory / 8;
    if (fit < 1 || (o->columns > 0 && fit < *columns)) {
        return gsolve_fail(ctx, GSOLVE_NO_MEMORY,
                           "%d columns of x and y need %.0f MB of the device's memory, but only "
                           "%.0f MB may be used",
                           o->columns > 0 ? *columns : 1,
                           1e-6 * column * (o->columns > 0 ? *columns : 1), 0.5e-6 * memory);
    }
    if (fit < *columns) *columns = (int32_t)fit;
    return GSOLVE_OK;
}

/* The product without bands: the device computes in the host's memory, or x or y is empty. */
static gsolve_status multiply_uncut(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
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

static gsolve_status check(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense x,
                           gsolve_dense y, const gsolve_stream_options *o)
{
    if (!csr || csr->location != GSOLVE_HOST || x.location != GSOLVE_HOST ||
        y.location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_stream: the matrix is NULL, or the matrix, x or y is not on "
                           "the host");
    }
    return gs_stream_check(ctx, "gsolve_csr_stream", csr, x, y, o);
}

/* The product for all columns. s->csr is clean. Frees what s holds. */
static gsolve_status multiply_bands(bands *s, const gsolve_stream_options *o, double alpha,
                                    gsolve_dense x, double beta, gsolve_dense y,
                                    gsolve_stream_info *info)
{
    int32_t columns;
    double bytes;
    gsolve_status status;

    TRY(divide_memory(s->ctx, &s->csr, x.ncols, o, &columns, &bytes));
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

gsolve_status gsolve_csr_stream(gsolve_context *ctx, const gsolve_csr *csr, double alpha,
                                gsolve_dense x, double beta, gsolve_dense y,
                                const gsolve_stream_options *options, gsolve_stream_info *info)
{
    static const gsolve_stream_options usual = {0};
    const gsolve_stream_options *o = options ? options : &usual;
    const char *format = o->format ? o->format : "csr";
    const double begin = gs_now();
    gsolve_stream_info filled = GSOLVE_INIT(gsolve_stream_info);
    gsolve_csr cleaned = {0};
    int64_t *place = NULL;
    gs_csr_findings found;
    gsolve_status status;
    bool clean;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    TRY(GS_CHECK_INFO(ctx, gsolve_stream_info, info));
    TRY(check(ctx, csr, x, y, o));
    TRY(gs_csr_inspect(ctx, csr, &found, &clean));
    if (gs_location(ctx) == GSOLVE_HOST || (int64_t)x.nrows * x.ncols == 0 || y.nrows == 0) {
        TRY(multiply_uncut(ctx, format, csr, alpha, x, beta, y));
        filled = (gsolve_stream_info){.columns = x.ncols, .chunks = 1, .bands = 1};
    } else {
        bands s = {.ctx = ctx, .spec = format, .by = GS_SCALAR_KERNELS(gs_async_copy, ctx, 0)};
        if (!clean) TRY(gs_csr_clean(&cleaned, ctx, csr, found.ascending, &place));
        s.csr = clean ? *csr : cleaned;
        TRY(multiply_bands(&s, o, alpha, x, beta, y, &filled));
    }
    filled.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_stream_info, info, &filled);
done:
    gsolve_csr_free(&cleaned, ctx);
    gsolve_free(ctx, GSOLVE_HOST, place);
    return status;
}
