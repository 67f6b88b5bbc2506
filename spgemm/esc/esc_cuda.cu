// esc_cuda.cu: the steps of a product on a GPU. It counts the products of each row, classifies the
// rows by them, sorts the products, counts the entries of C, allocates C, and fills it. The host
// waits twice: for the number of products and for the number of entries of C. Bands make it wait
// more often.
#include "spgemm/esc/esc_common.cuh"

extern "C" {
#include "matrix/statistics.h"
}

using namespace gs_esc_parts;

namespace
{

// --- the plan ---------------------------------------------------------------------------------

void drop(void *plan, gsolve_context *ctx)
{
    gs_esc_plan *p = static_cast<gs_esc_plan *>(plan);

    if (!p) return;
    drop_bands(p, ctx);
    gs_rows::free_all(ctx, p->row_products, p->chunk_begin, p->order, p->medium, p->rows, p->before,
                      p->width);
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
    TRY(place_squares(q, p, m, now, count));
    TRY(sort_medium(q, p, m, now, count));
done:
    return status;
}

// --- C ----------------------------------------------------------------------------------------

// Allocates C and sets its offsets from the entries of its rows. They have 64 bits if the number of
// products exceeds 32 bits; they are narrowed afterwards if the number of entries does not.
gsolve_status new_result(gs_blocked *out, gsolve_context *ctx, const gs_blocked *A,
                         const gs_blocked *B, int64_t products, const int32_t *count,
                         int64_t *entries)
{
    const bool wide = products > INT32_MAX;
    gs_blocked C = {A->csr, A->height, B->width};
    gsolve_csr *csr = &C.csr;
    int32_t *narrow = nullptr;
    gsolve_status status;

    csr->ncols = B->csr.ncols;
    csr->offset = wide ? GSOLVE_O64 : GSOLVE_O32;
    csr->col = nullptr;
    csr->value = nullptr;
    csr->start =
        gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)csr->nrows + 1, gs_offset_size(csr->offset));
    TRY(csr->start ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_rows::number_rows(ctx, count, csr));
    TRY(gs_csr_entries(ctx, csr, entries));
    if (wide && *entries <= INT32_MAX) {
        ALLOC_DEVICE(ctx, narrow, (size_t)csr->nrows + 1);
        TRY(gs_inspect_cuda[csr->type].narrow(ctx, csr, narrow));
        gsolve_free(ctx, GSOLVE_DEVICE, csr->start);
        csr->start = narrow;
        csr->offset = GSOLVE_O32;
        narrow = nullptr;
    }
    csr->col = (int32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)*entries, sizeof *csr->col);
    TRY(csr->col ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    csr->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)*entries * (size_t)(C.height * C.width),
                              gs_type_size(csr->type));
    TRY(csr->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    *out = C;
    return GSOLVE_OK;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, narrow);
    gsolve_csr_free(csr, ctx);
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
gsolve_status fill(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const numbers &n,
                   gsolve_type type, int32_t *count)
{
    gs_queue *q = ctx->queue;
    gsolve_status status = GSOLVE_OK;

    for (int64_t b = 0; b < p->tile_bands && p->chunks > 0; b++) {
        const tile_band &now = p->tiles[b];
        if (p->tile_bands > 1) TRY(sort_band(q, p, m, now, count));
        if (p->has_tiles) TRY(fill_tiles(q, p, m, now, n, type));
        TRY(fill_squares(q, p, m, now, n, type));
        TRY(fill_medium(q, p, m, now, n, type));
    }
    if (p->nbands > 0) TRY(fill_bands(p, ctx, m, n, type));
done:
    return status;
}

// Bytes for the expansion. By default at least as many as a band needs to keep the device busy.
double memory_for(const void *options, const gs_blocked *A, const gs_blocked *B,
                  const statistics &f, int64_t products)
{
    constexpr double least = 32 << 20;
    const gs_esc_options *chosen = static_cast<const gs_esc_options *>(options);
    const double memory = gs_esc_memory(chosen, A, f.entries[0], B, f.entries[1], products);

    return chosen->memory > 0 || memory > least ? memory : least;
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

gsolve_status multiply(gs_blocked *C, void **out, gs_product_work *stats, gsolve_context *ctx,
                       const gs_blocked *A, const gs_blocked *B, const void *options)
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
    ALLOC_DEVICE(ctx, count, (size_t)m.nrows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(count + m.nrows, 0, sizeof *count, q->stream), "a product"));
    TRY(sort(p, ctx, m, totals, memory_for(options, A, B, totals.f, products), out != nullptr,
             count));
    TRY(new_result(&made, ctx, A, B, products, count, &stats->entries));
    TRY(fill(p, ctx, m, numbers_of(ctx, A, B, &made, true), A->csr.type, count));
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

gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                     const gs_blocked *B, gs_blocked *C)
{
    return fill(static_cast<const gs_esc_plan *>(plan), ctx, pattern_of(A, B),
                numbers_of(ctx, A, B, C, false), A->csr.type, nullptr);
}

} // namespace

extern "C" const gs_product_kernels gs_esc_cuda[GSOLVE_TYPE_COUNT] = {{multiply, update, drop},
                                                                      {multiply, update, drop}};
