/* async_copy_host.c: lanes whose copies are complete when the call returns, see async_copy.h. */
#include <string.h>

#include "core/try.h"
#include "matrix/csr.h"
#include "spmv/stream/async_copy.h"

struct gs_async_copy {
    gsolve_context *ctx;
    void *page[2][GS_ASYNC_COPY_PAGES];
};

static gsolve_status open(gs_async_copy **copier, gsolve_context *ctx)
{
    gs_async_copy *c = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, c, 1);
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    *copier = c;
done:
    return status;
}

static void close(gs_async_copy *c)
{
    if (!c) return;
    for (int k = 0; k < 2 * GS_ASYNC_COPY_PAGES; k++) {
        gsolve_free(c->ctx, GSOLVE_HOST, c->page[k / GS_ASYNC_COPY_PAGES][k % GS_ASYNC_COPY_PAGES]);
    }
    gsolve_free(c->ctx, GSOLVE_HOST, c);
}

static bool is_locked(gs_async_copy *c, const void *host)
{
    (void)c, (void)host;
    return false;
}

static void *page(gs_async_copy *c, int lane, int k)
{
    void **page = &c->page[lane][k];

    if (!*page) *page = gsolve_alloc(c->ctx, GSOLVE_HOST, GS_ASYNC_COPY_PAGE, 1);
    return *page;
}

gsolve_status gs_copy_lines(gsolve_context *ctx, bool in, void *device, void *host,
                            const gs_lines *l)
{
    const bool whole = l->pitch == l->width; /* one line */
    const size_t count = whole ? 1 : l->count, width = whole ? l->width * l->count : l->width;
    const gsolve_location location = gs_location(ctx);
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k < count; k++) {
        char *there = (char *)device + k * width, *here = (char *)host + k * l->pitch;
        TRY(in ? gsolve_copy(ctx, there, location, here, GSOLVE_HOST, width)
               : gsolve_copy(ctx, here, GSOLVE_HOST, there, location, width));
    }
done:
    return status;
}

static gsolve_status copy(gs_async_copy *c, int lane, void *device, void *host, const gs_lines *l)
{
    return gs_copy_lines(c->ctx, lane == GS_LANE_IN, device, host, l);
}

static gsolve_status mark(gs_async_copy *c, int lane, int event)
{
    (void)c, (void)lane, (void)event;
    return GSOLVE_OK;
}

static gsolve_status passed(gs_async_copy *c, int event, bool wait, bool *over)
{
    (void)c, (void)event, (void)wait;
    *over = true;
    return GSOLVE_OK;
}

const gs_async_copy_kernels gs_async_copy_host[1] = {
    {open, close, is_locked, page, copy, mark, mark, passed}};

/* --- pages ------------------------------------------------------------------------------------ */

/* Copies the part of line k among bytes `from` to `to` - 1. */
static void pack_line(char *page, char *host, const gs_lines *l, size_t k, size_t from, size_t to,
                      bool out)
{
    const size_t begin = k * l->width, end = begin + l->width;
    const size_t a = from > begin ? from : begin, b = to < end ? to : end;
    char *here = host + k * l->pitch + (a - begin), *there = page + (a - from);

    memcpy(out ? here : there, out ? there : here, b - a);
}

/* gs_copy_host for a page, in pieces that the threads divide. */
static void copy_pieces(int threads, char *to, const char *from, size_t bytes)
{
    const size_t piece = (size_t)1 << 18;

#pragma omp parallel for schedule(static) num_threads(threads) if (bytes > piece)
    for (size_t at = 0; at < bytes; at += piece) {
        memcpy(to + at, from + at, bytes - at < piece ? bytes - at : piece);
    }
}

void gs_async_copy_pack(int threads, void *page, void *host, const gs_lines *l, size_t from,
                        size_t to, bool out)
{
    const size_t first = from / l->width, last = (to - 1) / l->width;

    if (l->pitch == l->width || first == last) {
        char *here = (char *)host + first * l->pitch + from % l->width;
        copy_pieces(threads, out ? here : page, out ? page : here, to - from);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = (int64_t)first; k <= (int64_t)last; k++) {
        pack_line(page, host, l, (size_t)k, from, to, out);
    }
}
