/* stream.c: products where x and y are on the host, one chunk of columns after the other (the
 * second half of FastSpMM, see ellr.h).
 *
 * Chunk c of the columns uses slot c mod 2 on the device. Lane IN copies its x once the product of
 * chunk c - 2 is complete, the queue multiplies, and lane OUT copies the result to the host:
 *
 *     IN      x0  x1  x2  x3
 *     queue       p0  p1  p2  p3
 *     OUT             y0  y1  y2  y3
 *
 * Arrays that are not page-locked are copied through page-locked buffers (pages), which the host
 * fills and empties while other copies run. */

#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/stream/async_copy.h"

enum {
    SLOTS = 2,
    ARRIVED = 0,
    MULTIPLIED = 2,
    FETCHED = 4,
    IN_PAGE = 6,
    OUT_PAGE = 6 + GS_ASYNC_COPY_PAGES
};

typedef struct lane_progress { /* the progress of a lane */
    int32_t chunk;
    size_t at;          /* bytes of the chunk whose copies are queued */
    bool second;        /* y is being copied, after x */
    int64_t pages;      /* pages used so far */
    int64_t read_pages; /* lane OUT: pages that are copied out of */
} lane_progress;

typedef struct stream {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    const gs_async_copy_kernels *by;
    gs_async_copy *copier;
    gsolve_dense x, y;
    double alpha, beta;
    int32_t columns, chunks, done_chunks; /* done: chunks whose y is on the host, with sequential */
    bool sequential, direct_in[2], direct_out;
    void *slot[SLOTS][2];
    lane_progress in, out;
    struct packet { /* a part of y in a page of lane OUT */
        int32_t chunk;
        size_t from, to;
    } packet[GS_ASYNC_COPY_PAGES];
} stream;

/* Chunk c of v, on the host. */
static gsolve_dense chunk_of(const stream *s, gsolve_dense v, int32_t c)
{
    return gs_some_columns(v, c * s->columns, s->columns);
}

/* Chunk c of v on the device, in slot c mod 2, contiguous. */
static gsolve_dense slot_of(const stream *s, gsolve_dense v, int32_t c, int which)
{
    gsolve_dense d = chunk_of(s, v, c);

    d.value = s->slot[c % SLOTS][which];
    d.stride = d.layout == GSOLVE_ROW_MAJOR ? d.ncols : d.nrows;
    d.location = gs_location(s->ctx);
    return d;
}

static size_t page_end(size_t from, size_t bytes)
{
    return bytes - from < GS_ASYNC_COPY_PAGE ? bytes : from + GS_ASYNC_COPY_PAGE;
}

/* --- to the device, and the product ----------------------------------------------------------- */

/* Queues the copy of the next bytes of v, chunk c of x or y. *moved stays false if no page is free;
 * with `wait`, waits for one. */
static gsolve_status queue_in(stream *s, gsolve_dense v, void *device, bool direct, bool wait,
                              bool *moved)
{
    const gs_lines lines = gs_lines_of(v);
    const size_t bytes = lines.width * lines.count, from = s->in.at, to = page_end(from, bytes);
    const int k = (int)(s->in.pages % GS_ASYNC_COPY_PAGES);
    const gs_lines part = {to - from, 1, to - from};
    bool empty = true;
    void *page;
    gsolve_status status;

    if (direct) {
        TRY(s->by->copy(s->copier, GS_LANE_IN, device, v.value, &lines));
        s->in.at = bytes;
        *moved = true;
        goto done;
    }
    page = s->by->page(s->copier, GS_LANE_IN, k);
    if (!page)
        return gsolve_fail(s->ctx, GSOLVE_NO_MEMORY, "no memory for page-locked buffers of copies");
    if (s->in.pages >= GS_ASYNC_COPY_PAGES) {
        TRY(s->by->passed(s->copier, IN_PAGE + k, wait, &empty));
        if (!empty) return GSOLVE_OK;
    }
    gs_async_copy_pack(gsolve_threads(s->ctx), page, v.value, &lines, from, to, false);
    TRY(s->by->copy(s->copier, GS_LANE_IN, (char *)device + from, page, &part));
    TRY(s->by->mark(s->copier, GS_LANE_IN, IN_PAGE + k));
    s->in.pages++;
    s->in.at = to;
    *moved = true;
done:
    return status;
}

static gsolve_status wait_if(const stream *s, bool wanted, int event)
{
    bool passed;

    return wanted ? s->by->passed(s->copier, event, true, &passed) : GSOLVE_OK;
}

/* Queues the product of chunk c, whose copies are queued. */
static gsolve_status make_product(stream *s, int32_t c)
{
    const int k = c % SLOTS;
    gsolve_status status;

    TRY(s->by->mark(s->copier, GS_LANE_IN, ARRIVED + k));
    TRY(wait_if(s, s->sequential, ARRIVED + k));
    TRY(s->by->after(s->copier, GS_LANE_QUEUE, ARRIVED + k));
    if (c >= SLOTS) TRY(s->by->after(s->copier, GS_LANE_QUEUE, FETCHED + k));
    TRY(gsolve_matrix_apply(s->A, s->alpha, slot_of(s, s->x, c, 0), s->beta,
                            slot_of(s, s->y, c, 1)));
    TRY(s->by->mark(s->copier, GS_LANE_QUEUE, MULTIPLIED + k));
    TRY(wait_if(s, s->sequential, MULTIPLIED + k));
done:
    return status;
}

/* Whether the slot of the next chunk may be written. */
static bool has_slot(const stream *s)
{
    const int32_t c = s->in.chunk;

    if (c == s->chunks) return false;
    return s->sequential ? c == s->done_chunks : c < SLOTS || s->out.chunk > c - SLOTS;
}

/* One step of lane IN. */
static gsolve_status step_in(stream *s, bool wait, bool *moved)
{
    const int32_t c = s->in.chunk;
    const int which = s->in.second;
    gsolve_dense v;
    gsolve_status status = GSOLVE_OK;

    if (!has_slot(s)) return status;
    if (s->in.at == 0 && c >= SLOTS) {
        TRY(s->by->after(s->copier, GS_LANE_IN, (which ? FETCHED : MULTIPLIED) + c % SLOTS));
    }
    v = chunk_of(s, which ? s->y : s->x, c);
    TRY(queue_in(s, v, s->slot[c % SLOTS][which], s->direct_in[which], wait, moved));
    if (s->in.at < gs_lines_of(v).width * gs_lines_of(v).count) goto done;
    s->in.at = 0;
    if (!which && s->beta != 0) {
        s->in.second = true;
        goto done;
    }
    s->in.second = false;
    TRY(make_product(s, c));
    s->in.chunk++;
done:
    return status;
}

/* --- to the host ------------------------------------------------------------------------------ */

/* Ends the present chunk of lane OUT: all its copies are queued. */
static gsolve_status end_chunk(stream *s)
{
    const int k = s->out.chunk++ % SLOTS;

    s->out.at = 0;
    return s->by->mark(s->copier, GS_LANE_OUT, FETCHED + k);
}

/* One step of lane OUT: queues the copy of the next bytes of y to the host. */
static gsolve_status step_out(stream *s, bool *moved)
{
    const int32_t c = s->out.chunk;
    const int k = (int)(s->out.pages % GS_ASYNC_COPY_PAGES);
    gsolve_status status = GSOLVE_OK;

    if (c == s->in.chunk ||
        (!s->direct_out && s->out.pages - s->out.read_pages == GS_ASYNC_COPY_PAGES)) {
        return status;
    }
    const gsolve_dense v = chunk_of(s, s->y, c);
    const gs_lines lines = gs_lines_of(v);
    const size_t bytes = lines.width * lines.count, from = s->out.at, to = page_end(from, bytes);
    const gs_lines part = {to - from, 1, to - from};
    char *slot = s->slot[c % SLOTS][1];
    *moved = true;
    if (from == 0) TRY(s->by->after(s->copier, GS_LANE_OUT, MULTIPLIED + c % SLOTS));
    if (s->direct_out) {
        TRY(s->by->copy(s->copier, GS_LANE_OUT, slot, v.value, &lines));
        TRY(end_chunk(s));
        TRY(wait_if(s, s->sequential, FETCHED + c % SLOTS));
        s->done_chunks = c + 1;
        goto done;
    }
    void *page = s->by->page(s->copier, GS_LANE_OUT, k);
    if (!page)
        return gsolve_fail(s->ctx, GSOLVE_NO_MEMORY, "no memory for page-locked buffers of copies");
    TRY(s->by->copy(s->copier, GS_LANE_OUT, slot + from, page, &part));
    TRY(s->by->mark(s->copier, GS_LANE_OUT, OUT_PAGE + k));
    s->packet[k] = (struct packet){c, from, to};
    s->out.pages++;
    s->out.at = to;
    if (to == bytes) TRY(end_chunk(s));
done:
    return status;
}

/* Copies the oldest page of lane OUT to y, if it has arrived. */
static gsolve_status empty_page(stream *s, bool wait, bool *moved)
{
    const int k = (int)(s->out.read_pages % GS_ASYNC_COPY_PAGES);
    bool there = false;
    gsolve_status status = GSOLVE_OK;

    if (s->out.read_pages == s->out.pages) return status;
    TRY(s->by->passed(s->copier, OUT_PAGE + k, wait, &there));
    if (!there) goto done;
    const struct packet *p = &s->packet[k];
    const gsolve_dense v = chunk_of(s, s->y, p->chunk);
    const gs_lines lines = gs_lines_of(v);
    gs_async_copy_pack(gsolve_threads(s->ctx), s->by->page(s->copier, GS_LANE_OUT, k), v.value,
                       &lines, p->from, p->to, true);
    if (p->to == lines.width * lines.count) s->done_chunks = p->chunk + 1;
    s->out.read_pages++;
    *moved = true;
done:
    return status;
}

static gsolve_status run(stream *s)
{
    gsolve_status status = GSOLVE_OK;

    while (s->out.chunk < s->chunks || s->out.read_pages < s->out.pages) {
        bool moved = false;
        TRY(step_in(s, false, &moved));
        TRY(step_out(s, &moved));
        TRY(empty_page(s, false, &moved));
        if (!moved) TRY(empty_page(s, true, &moved));
        if (!moved) TRY(step_in(s, true, &moved));
    }
    for (int k = 0; k < SLOTS && k < s->chunks; k++) TRY(wait_if(s, true, FETCHED + k));
done:
    return status;
}

/* --- chunks ----------------------------------------------------------------------------------- */

size_t gs_stream_memory(gsolve_context *ctx, const gsolve_stream_options *options)
{
    const size_t unused = gs_memory_available(ctx);

    if (options->memory > 0) return options->memory;
    if (unused == SIZE_MAX) return unused;
    return unused / 10 * 8; /* formats may need memory to convert columns */
}

/* The columns of a chunk: 32 chunks if these have at least 16 columns, which formats multiply at
 * once; else at least 8 chunks of at least 4 columns. Row-major: 64 columns or an eighth, since
 * copies of short rows are slow. */
static int32_t usual_columns(int32_t all, bool rows)
{
    const int32_t most = (all + 31) / 32, least = (all + 7) / 8, few = rows ? 64 : 16;

    return most >= few ? most : least < 4 ? 4 : least < few ? least : few;
}

/* Chooses the columns per chunk and the number of chunks. */
static gsolve_status cut(stream *s, const gsolve_stream_options *o)
{
    const int32_t all = s->x.ncols;
    const bool row_major = s->x.layout == GSOLVE_ROW_MAJOR || s->y.layout == GSOLVE_ROW_MAJOR;
    const double rows = (double)s->x.nrows + s->y.nrows;
    const double column = SLOTS * rows * (double)gs_type_size(s->x.type);
    const double memory = (double)gs_stream_memory(s->ctx, o);
    const double fit = column > 0 ? memory / column : all;
    int32_t wanted = o->columns > 0 ? o->columns : usual_columns(all, row_major);

    if (wanted > all) wanted = all;
    if (fit < 1 || (o->columns > 0 && fit < wanted)) {
        return gsolve_fail(s->ctx, GSOLVE_NO_MEMORY,
                           "%d columns of x and y, twice, need %.0f MB of the device's memory, but "
                           "only %.0f MB may be used",
                           o->columns > 0 ? wanted : 1,
                           1e-6 * column * (o->columns > 0 ? wanted : 1), 1e-6 * memory);
    }
    if (fit < wanted) wanted = (int32_t)fit;
    if (wanted > 8 && o->columns == 0) wanted -= wanted % 8;
    s->columns = wanted;
    s->chunks = (all + wanted - 1) / wanted;
    return GSOLVE_OK;
}

static gsolve_status open_slots(stream *s)
{
    const gsolve_dense v[2] = {s->x, s->y};
    const int used = s->chunks < SLOTS ? s->chunks : SLOTS;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < 2 * used; k++) {
        void **slot = &s->slot[k / 2][k % 2];
        const size_t count = (size_t)v[k % 2].nrows * (size_t)s->columns;
        *slot = gsolve_alloc(s->ctx, gs_location(s->ctx), count, gs_type_size(s->x.type));
        TRY(*slot ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    TRY(s->by->open(&s->copier, s->ctx));
    s->direct_in[0] = s->by->is_locked(s->copier, s->x.value);
    s->direct_in[1] = s->direct_out = s->by->is_locked(s->copier, s->y.value);
    for (int lane = 0; lane < 2; lane++) { /* the slots are allocated in the order of the queue */
        TRY(s->by->mark(s->copier, GS_LANE_QUEUE, MULTIPLIED));
        TRY(s->by->after(s->copier, lane, MULTIPLIED));
    }
done:
    return status;
}

gsolve_status gs_stream_check(gsolve_context *ctx, const char *function, const gsolve_csr *csr,
                              gsolve_dense x, gsolve_dense y, const gsolve_stream_options *o)
{
    if (!gs_stride_fits(x) || !gs_stride_fits(y) || x.nrows != csr->ncols ||
        y.nrows != csr->nrows || x.ncols != y.ncols || x.ncols < 0 || x.type != csr->type ||
        y.type != csr->type || o->columns < 0 || (!x.value && (int64_t)x.nrows * x.ncols > 0) ||
        (!y.value && (int64_t)y.nrows * y.ncols > 0)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%s: x (%d x %d) and y (%d x %d) must fit the matrix (%d x %d) and have "
                           "its type and values, and columns must be 0 or more",
                           function, x.nrows, x.ncols, y.nrows, y.ncols, csr->nrows, csr->ncols);
    }
    return GSOLVE_OK;
}

static void fill_info(gsolve_stream_info *info, const stream *s, double begin)
{
    const size_t column = ((size_t)s->x.nrows + (size_t)s->y.nrows) * gs_type_size(s->x.type);
    const size_t used = s->chunks < SLOTS ? (size_t)s->chunks : SLOTS;
    const gsolve_stream_info own = {.columns = s->columns,
                                    .chunks = s->chunks,
                                    .bands = 1,
                                    .bytes = used * (size_t)s->columns * column,
                                    .seconds = gs_now() - begin};

    GS_FILL_INFO(gsolve_stream_info, info, &own);
}

gsolve_status gsolve_matrix_stream(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                   double beta, gsolve_dense y,
                                   const gsolve_stream_options *options, gsolve_stream_info *info)
{
    static const gsolve_stream_options usual = {0};
    const gsolve_stream_options *o = options ? options : &usual;
    const double begin = gs_now();
    stream s = {.A = A, .x = x, .y = y, .alpha = alpha, .beta = beta, .sequential = o->sequential};
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    s.ctx = A->ctx;
    TRY(GS_CHECK_INFO(s.ctx, gsolve_stream_info, info));
    if (o->format) {
        return gsolve_fail(s.ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_stream: options->format is '%s', but the matrix has a "
                           "format already; leave it NULL",
                           o->format);
    }
    if (gs_location(s.ctx) == GSOLVE_HOST || x.location != GSOLVE_HOST ||
        y.location != GSOLVE_HOST || (int64_t)x.nrows * x.ncols == 0 ||
        (int64_t)y.nrows * y.ncols == 0) {
        TRY(gsolve_matrix_apply(A, alpha, x, beta, y));
        gsolve_stream_info own = {.columns = x.ncols, .chunks = 1, .bands = 1};
        own.seconds = gs_now() - begin;
        GS_FILL_INFO(gsolve_stream_info, info, &own);
        goto done;
    }
    TRY(gs_stream_check(s.ctx, "gsolve_matrix_stream", &A->csr, x, y, o));
    s.by = GS_SCALAR_KERNELS(gs_async_copy, s.ctx, 0);
    TRY(cut(&s, o));
    TRY(open_slots(&s));
    TRY(run(&s));
    fill_info(info, &s, begin);
done:
    if (s.copier) s.by->close(s.copier);
    for (int k = 0; s.ctx && k < 2 * SLOTS; k++) {
        gsolve_free(s.ctx, gs_location(s.ctx), s.slot[k / 2][k % 2]);
    }
    return status;
}
