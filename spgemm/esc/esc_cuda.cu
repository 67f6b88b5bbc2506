// esc_cuda.cu: the steps of a product on a GPU. It counts the products of each row, classifies the
// rows by them, sorts the products, counts the entries of C, allocates C, and fills it. The host
// waits twice: for the number of products and for the number of entries of C. Bands make it wait
// more often.
#include "core/scan.cuh"
#include "spgemm/esc/esc_common.cuh"

extern "C" {
#include "matrix/statistics.h"
}

using namespace gs_esc_parts;

namespace
{

// --- the plan ---------------------------------------------------------------------------------

void drop(gs_esc_plan *p, gsolve_context *ctx)
{
    if (!p) return;
    drop_bands(p, ctx);
    for (void *one : {(void *)p->row_products, (void *)p->chunk_begin, (void *)p->order,
                      (void *)p->medium, (void *)p->rows, (void *)p->before, (void *)p->width}) {
        gsolve_free(ctx, GSOLVE_DEVICE, one);
    }
    gsolve_free(ctx, GSOLVE_HOST, p->tiles);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

// Divides the chunks into bands whose order fits `capacity` elements. length: of the whole order.
gsolve_status cut_tiles(gs_esc_plan *p, gsolve_context *ctx, int64_t length, int64_t capacity)
{
    int64_t *at = nullptr;
    gsolve_status status = GSOLVE_NO_MEMORY;
    const int64_t most = length <= capacity ? 1 : p->chunks;

    p->tiles = (tile_band *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)most, sizeof *p->tiles);
    if (!p->tiles) return status;
    p->tiles[0] = {0, p->chunks, 0, length};
    p->tile_bands = 1;
    if (length <= capacity) return GSOLVE_OK;
    at = (int64_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)p->chunks + 1, sizeof *at);
    if (!at) return status;
    TRY(gsolve_copy(ctx, at, GSOLVE_HOST, p->chunk_begin, GSOLVE_DEVICE,
                    ((size_t)p->chunks + 1) * sizeof *at));
    p->tile_bands = 0;
    for (int64_t c = 0, first = 0; c < p->chunks; c++) {
        if (c + 1 < p->chunks && at[c + 2] - at[first] <= capacity) continue;
        p->tiles[p->tile_bands++] = {first, c + 1, at[first], at[c + 1] - at[first]};
        first = c + 1;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, at);
    return status;
}

gsolve_status new_order(gs_esc_plan *p, gsolve_context *ctx)
{
    int64_t most = 0;
    gsolve_status status;

    for (int64_t b = 0; b < p->tile_bands; b++) {
        if (p->tiles[b].length > most) most = p->tiles[b].length;
    }
    ALLOC_DEVICE(ctx, p->order, most);
done:
    return status;
}

gsolve_status sort_band(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                        int32_t *count)
{
    gsolve_status status = GSOLVE_OK;

    if (p->has_tiles) TRY(sort_tiles(q, p, m, now, count));
    if (p->has_squares[0]) TRY(place_squares<4>(q, p, m, now, count));
    if (p->has_squares[1]) TRY(place_squares<8>(q, p, m, now, count));
    TRY(sort_medium(q, p, m, now, count));
done:
    return status;
}

// --- C ----------------------------------------------------------------------------------------

template <class O>
gsolve_status scan_entries(gsolve_context *ctx, int32_t n, const int32_t *count, O *start)
{
    return with_space(ctx, "the rows of a product", [&](void *space, size_t &bytes) {
        return gs_exclusive_sum(space, bytes, count, start, (int64_t)n + 1, ctx->queue->stream);
    });
}

// Sets C's offsets from the entries of its rows. They have 64 bits if the number of products
// exceeds 32 bits; they are narrowed afterwards if the number of entries does not.
gsolve_status place_rows(gsolve_csr *C, gsolve_context *ctx, int64_t products, const int32_t *count,
                         int64_t *entries)
{
    const bool wide = products > INT32_MAX;
    void *start = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)C->nrows + 1,
                               wide ? sizeof(int64_t) : sizeof(int32_t));
    int32_t *narrow = nullptr;
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!start) return status;
    C->start = start;
    C->offset = wide ? GSOLVE_O64 : GSOLVE_O32;
    TRY(wide ? scan_entries(ctx, C->nrows, count, (int64_t *)start)
             : scan_entries(ctx, C->nrows, count, (int32_t *)start));
    TRY(gs_csr_entries(ctx, C, entries));
    if (wide && *entries <= INT32_MAX) {
        ALLOC_DEVICE(ctx, narrow, (size_t)C->nrows + 1);
        TRY(gs_inspect_cuda[C->type].narrow(ctx, C, narrow));
        gsolve_free(ctx, GSOLVE_DEVICE, start);
        C->start = narrow;
        C->offset = GSOLVE_O32;
        narrow = nullptr;
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, narrow);
    return status;
}

gsolve_status new_result(gs_blocked *out, gsolve_context *ctx, const gs_blocked *A,
                         const gs_blocked *B, int64_t products, const int32_t *count,
                         int64_t *entries)
{
    gs_blocked C = {A->csr, A->height, B->width};
    gsolve_status status;

    C.csr.ncols = B->csr.ncols;
    C.csr.start = nullptr;
    C.csr.col = nullptr;
    C.csr.value = nullptr;
    TRY(place_rows(&C.csr, ctx, products, count, entries));
    C.csr.col = (int32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)*entries, sizeof *C.csr.col);
    TRY(C.csr.col ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    C.csr.value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)*entries * (size_t)(C.height * C.width),
                               gs_type_size(C.csr.type));
    TRY(C.csr.value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    *out = C;
    return GSOLVE_OK;
done:
    gsolve_csr_free(&C.csr, ctx);
    return status;
}

numbers numbers_of(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const gs_blocked *C, bool columns)
{
    return {A->csr.value,
            B->csr.value,
            gs_owned_block(ctx, C->csr.value),
            offsets_of(&C->csr),
            columns ? (int32_t *)gs_owned_block(ctx, C->csr.col) : nullptr,
            A->height,
            A->width,
            B->width};
}

// The second pass: values. Several tile bands share the memory of order, so each is sorted again.
template <class T>
gsolve_status fill(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const numbers &n,
                   int32_t *count)
{
    gs_queue *q = ctx->queue;
    gsolve_status status = GSOLVE_OK;

    for (int64_t b = 0; b < p->tile_bands && p->chunks > 0; b++) {
        const tile_band &now = p->tiles[b];
        if (p->tile_bands > 1) TRY(sort_band(q, p, m, now, count));
        if (p->has_tiles) TRY(fill_tiles<T>(q, p, m, now, n));
        if (p->has_squares[0]) TRY((fill_squares<T, 4>(q, p, m, now, n)));
        if (p->has_squares[1]) TRY((fill_squares<T, 8>(q, p, m, now, n)));
        TRY(fill_medium<T>(q, p, m, now, n));
    }
    if (p->nbands > 0) TRY(fill_bands<T>(p, ctx, m, n));
done:
    return status;
}

// Bytes for the expansion if the option memory is 0: the default of esc.c, but at least as many as
// a band needs to keep the device busy.
double default_memory(const gs_blocked *A, const gs_blocked *B, const statistics &f,
                      int64_t products)
{
    constexpr double least = 32 << 20;
    const double memory = gs_esc_memory(0, A, f.entries[0], B, f.entries[1], products);

    return memory > least ? memory : least;
}

// The first pass: sorts all products, and counts the entries of C's rows. The plan keeps the order
// as far as memory allows; keep: all of it.
gsolve_status sort(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const summary &totals,
                   double memory, bool keep, int32_t *count)
{
    const double bytes = memory / sizeof *p->order;
    gsolve_status status;

    TRY(list_long(p, ctx, m, totals.f, count));
    TRY(cut_tiles(p, ctx, totals.order,
                  keep || bytes > (double)totals.order ? totals.order : (int64_t)bytes));
    TRY(new_order(p, ctx));
    for (int64_t b = 0; b < p->tile_bands && p->chunks > 0; b++) {
        TRY(sort_band(ctx->queue, p, m, p->tiles[b], count));
    }
    if (p->large_rows > 0) TRY(plan_bands(p, ctx, m, memory, keep, count));
done:
    return status;
}

template <class T>
gsolve_status multiply(gs_blocked *C, gs_esc_plan **out, gs_product_work *stats,
                       gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B, double memory)
{
    const pattern m = pattern_of(A, B);
    gs_queue *q = ctx->queue;
    gs_blocked made = {};
    gs_esc_plan *p = nullptr;
    int32_t *count = nullptr;
    summary totals = {};
    int64_t products;
    gsolve_status status;

    p = (gs_esc_plan *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_esc_plan();
    TRY(count_rows(p, ctx, m, A->height * A->width * B->width == 1, &totals));
    products = (int64_t)(totals.f.of_rest + totals.f.of_large);
    if (memory == 0) memory = default_memory(A, B, totals.f, products);
    ALLOC_DEVICE(ctx, count, (size_t)m.nrows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(count + m.nrows, 0, sizeof *count, q->stream), "a product"));
    TRY(sort(p, ctx, m, totals, memory, out != nullptr, count));
    TRY(new_result(&made, ctx, A, B, products, count, &stats->entries));
    TRY(fill<T>(p, ctx, m, numbers_of(ctx, A, B, &made, true), count));
    stats->products = products;
    stats->bands = (int)(p->tile_bands + p->nbands);
    *C = made;
    made = {};
    if (out) *out = p;
    if (out) p = nullptr;
done:
    gsolve_csr_free(&made.csr, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    drop(p, ctx);
    return status;
}

template <class T>
gsolve_status update(const gs_esc_plan *p, gsolve_context *ctx, const gs_blocked *A,
                     const gs_blocked *B, gs_blocked *C)
{
    return fill<T>(p, ctx, pattern_of(A, B), numbers_of(ctx, A, B, C, false), nullptr);
}

} // namespace

extern "C" const gs_esc_kernels gs_esc_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply<float>, update<float>, drop},
    {multiply<double>, update<double>, drop},
};
