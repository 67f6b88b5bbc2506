/* async_copy_host.c: lanes where copies are done when their call returns, see async_copy.h. */
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

static bool travels(gs_async_copy *c, const void *host)
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

static gsolve_status copy(gs_async_copy *c, int lane, void *device, void *host, const gs_lines *l)
{
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k < l->count; k++) {
        char *there = (char *)device + k * l->width, *here = (char *)host + k * l->pitch;
        if (lane == GS_LANE_IN) {
            TRY(gsolve_copy(c->ctx, there, gs_location(c->ctx), here, GSOLVE_HOST, l->width));
        } else {
            TRY(gsolve_copy(c->ctx, here, GSOLVE_HOST, there, gs_location(c->ctx), l->width));
        }
    }
done:
    return status;
}

static gsolve_status mark(gs_async_copy *c, int lane, int moment)
{
    (void)c, (void)lane, (void)moment;
    return GSOLVE_OK;
}

static gsolve_status passed(gs_async_copy *c, int moment, bool wait, bool *over)
{
    (void)c, (void)moment, (void)wait;
    *over = true;
    return GSOLVE_OK;
}

const gs_async_copy_kernels gs_async_copy_host[1] = {
    {open, close, travels, page, copy, mark, mark, passed}};

/* --- pages ------------------------------------------------------------------------------------ */

/* Bytes [from, to) of the lines within line k. */
static void pack_line(char *page, char *host, const gs_lines *l, size_t k, size_t from, size_t to,
                      bool out)
{
    const size_t begin = k * l->width, end = begin + l->width;
    const size_t a = from > begin ? from : begin, b = to < end ? to : end;
    char *here = host + k * l->pitch + (a - begin), *there = page + (a - from);

    memcpy(out ? here : there, out ? there : here, b - a);
}

/* gs_copy_host for a page, of which each thread is to have a piece. */
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
