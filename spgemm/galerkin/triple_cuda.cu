// triple_cuda.cu: R A P on a GPU. A P is computed first, in two passes: the first counts the
// entries, the second fills them. A thread owns a row if rows have few products on average, else 4,
// 8 or 16 lanes do. If rows are too long for that, the method hash computes A P. Then a few lanes
// compute each short row of R (A P) and store it, sorted, in a buffer with a fixed number of
// elements for each row. A row that does not fit is recomputed by a warp with a larger table.
// Finally the sizes of all rows are known, and the rows are packed into C. So no pass counts C's
// entries beforehand, and the host waits only twice, unless rows are long.
//
// The plan of an update holds A P and, for each of the two products, a plan of the method hash,
// which knows where every product is added. Both products add in the order in which C was computed.
// The first update makes the plan.
#include "spgemm/galerkin/triple_kernels.cuh"
#include "spgemm/hash/hash_plan.cuh"

namespace gs_triple_rows
{
namespace
{

// --- A P ----------------------------------------------------------------------------------------

// The number of lanes for a row of A B: about the mean number of entries of a row of B.
int lanes_for(unsigned long long entries, int32_t nrows)
{
    const unsigned long long rows = (unsigned long long)nrows;
    return entries <= 4 * rows ? 4 : entries <= 8 * rows ? 8 : 16;
}

// The statistics of the rows, and the number of lanes for a row.
struct row_layout {
    int lanes; // 1: a thread owns a row
    row_statistics found;
};

gsolve_status count_by(row_layout *m, int lanes, gsolve_context *ctx, const gsolve_csr *A,
                       const gsolve_csr *B, int32_t *row_count, row_statistics *f)
{
    gsolve_status status;

    m->lanes = lanes;
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(f, 0, sizeof *f, ctx->queue->stream), "A P"));
    TRY(lanes == 1 ? count_by_threads(ctx, A, B, row_count, f)
                   : count_by_lanes(ctx, lanes, A, B, row_count, f));
    TRY(gsolve_copy(ctx, &m->found, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof m->found));
done:
    return status;
}

gsolve_status count(row_layout *m, gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                    int32_t *row_count)
{
    row_statistics *f = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, f, 1);
    TRY(count_by(m, 1, ctx, A, B, row_count, f));
    if (m->found.longest == too_long) {
        TRY(count_by(m, lanes_for(m->found.of_B, B->nrows), ctx, A, B, row_count, f));
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

// *out = A B, owned, columns ascending; *products = its number of products.
gsolve_status multiply_short(gsolve_csr *out, int64_t *products, gsolve_context *ctx,
                             const gsolve_csr *A, const gsolve_csr *B)
{
    gs_product_work stats = {};
    gsolve_csr M = {};
    int32_t *row_count = nullptr;
    row_layout m = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, row_count, (size_t)A->nrows + 1);
    TRY(count(&m, ctx, A, B, row_count));
    if (m.found.longest == too_long) {
        const gs_blocked a = gs_plain_blocks(A), b = gs_plain_blocks(B);
        gs_blocked C = {};
        gsolve_free(ctx, GSOLVE_DEVICE, row_count);
        status = gs_hash_cuda[A->type].multiply(&C, nullptr, &stats, ctx, &a, &b, nullptr);
        *out = C.csr;
        *products = stats.products;
        return status;
    }
    *products = (int64_t)m.found.products;
    TRY(gs_csr_new_at(&M, ctx, GSOLVE_DEVICE, A->nrows, B->ncols, (int64_t)m.found.entries,
                      A->type));
    TRY(number_rows(ctx, row_count, &M));
    if (m.found.entries > 0) {
        TRY(m.lanes == 1 ? fill_by_threads(&M, m.found.longest, ctx, A, B)
                         : fill_by_lanes(&M, m.found.longest, m.lanes, ctx, A, B));
    }
    *out = M;
    M = {};
done:
    M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&M, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, row_count);
    return status;
}

// --- R (A P) ------------------------------------------------------------------------------------

// Copies the rows of the part with up to `most` entries to their positions in C. Longer rows are in
// a later part. A warp owns a row. Reads and writes each entry once.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    pack_rows(part from, int bits, int most, rows_of C, int32_t *col, T *value)
{
    const int64_t k = gs_hash_rows::by_warp::row();
    if (k >= from.nrows) return; // all lanes of the warp
    const int64_t i = from.rows ? from.rows[k] : k, begin = C.begin(i);
    const int n = (int)(C.begin(i + 1) - begin);

    if (n > most) return;
    for (int e = gs_hash_rows::by_warp::me(); e < n; e += 32) {
        col[begin + e] = from.col[(k << bits) + e];
        value[begin + e] = static_cast<const T *>(from.value)[(k << bits) + e];
    }
}

struct job {
    gsolve_context *ctx;
    const gsolve_csr *R, *M; // M: A P
    int32_t nrows;
    part of[parts + 1]; // the last: rows that fit no part
    int used;           // parts
    int32_t *count;
    statistics *device_stats, stats;
};

void close_job(job *j)
{
    for (const part &p : j->of) free_all(j->ctx, p.rows, p.col, p.value);
    free_all(j->ctx, j->count, j->device_stats);
}

// Computes the rows of part k; rows that do not fit move to part k + 1.
gsolve_status make_part(job *j, int k)
{
    gsolve_context *ctx = j->ctx;
    const int bits = part_bits[k];
    part *p = &j->of[k];
    gsolve_status status;

    p->value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)p->nrows << bits, gs_type_size(j->R->type));
    TRY(p->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, p->col, (size_t)p->nrows << bits);
    ALLOC_DEVICE(ctx, p[1].rows, (size_t)p->nrows);
    TRY(k == 0 ? make_short_rows(ctx, j->R, j->M, p, j->count, p[1].rows, j->device_stats)
               : make_long_rows(ctx, j->R, j->M, p, bits, j->count, p[1].rows, j->device_stats));
    TRY(gsolve_copy(ctx, &j->stats, GSOLVE_HOST, j->device_stats, GSOLVE_DEVICE, sizeof j->stats));
    p[1].nrows = (int32_t)j->stats.left;
    j->used = k + 1;
done:
    return status;
}

gsolve_status make_parts(job *j, bool *fits)
{
    gsolve_context *ctx = j->ctx;
    gsolve_status status;

    ALLOC_DEVICE(ctx, j->device_stats, 1);
    ALLOC_DEVICE(ctx, j->count, (size_t)j->nrows + 1);
    TRY(gs_cuda(ctx->queue,
                cudaMemsetAsync(j->device_stats, 0, sizeof *j->device_stats, ctx->queue->stream),
                "R A P"));
    j->of[0].nrows = j->nrows;
    for (int k = 0; k < parts && j->of[k].nrows > 0 && j->stats.rejected == 0; k++) {
        if (k > 0) {
            TRY(gs_cuda(ctx->queue,
                        cudaMemsetAsync(&j->device_stats->left, 0, sizeof j->device_stats->left,
                                        ctx->queue->stream),
                        "R A P"));
        }
        TRY(make_part(j, k));
    }
    *fits = j->stats.left == 0 && j->stats.rejected == 0;
done:
    return status;
}

template <class T>
gsolve_status pack(job *j, const gsolve_csr *C)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < j->used && status == GSOLVE_OK; k++) {
        status = launch_with(
            j->ctx->queue, "packing rows", pack_rows<T>,
            ((int64_t)j->of[k].nrows * 32 + gs_block_size - 1) / gs_block_size, gs_block_size, 0,
            j->of[k], part_bits[k], k ? 1 << part_bits[k] : most_entries(part_bits[k]), rows_of(C),
            (int32_t *)gs_owned_block(j->ctx, C->col), (T *)gs_owned_block(j->ctx, C->value));
    }
    return status;
}

// --- updates ------------------------------------------------------------------------------------

struct update_plan {
    int64_t products; // of R (A P)
    gsolve_csr M;     // A P, without columns
    void *first, *second;
};

void drop_plans(update_plan *plan, gsolve_context *ctx)
{
    gs_hash_rows::drop_plan(plan->first, ctx);
    gs_hash_rows::drop_plan(plan->second, ctx);
    plan->M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&plan->M, ctx);
    plan->first = plan->second = nullptr;
}

// Makes the plan of C = A B, which has `products` products.
gsolve_status plan_product(void **plan, gsolve_context *ctx, const gsolve_csr *A,
                           const gsolve_csr *B, const gsolve_csr *C, int64_t products)
{
    gs_hash_rows::job j = {ctx, rows_of(A), rows_of(B), A->nrows};
    int64_t inputs = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &inputs));
    j.stats.inputs = inputs;
    j.stats.products = (unsigned long long)products;
    j.lanes = gs_hash_rows::lanes_for(&j.stats);
    TRY(gs_hash_rows::make_plan(plan, ctx, A, B, C, &j));
done:
    return status;
}

gsolve_status make_plans(update_plan *plan, gsolve_context *ctx, const gsolve_csr *R,
                         const gsolve_csr *A, const gsolve_csr *P, const gsolve_csr *C)
{
    int64_t products = 0;
    gsolve_status status;

    TRY(multiply_short(&plan->M, &products, ctx, A, P));
    TRY(plan_product(&plan->first, ctx, A, P, &plan->M, products));
    TRY(plan_product(&plan->second, ctx, R, &plan->M, C, plan->products));
    gsolve_free(ctx, GSOLVE_DEVICE, plan->M.col);
    plan->M.col = nullptr;
done:
    if (status != GSOLVE_OK) drop_plans(plan, ctx);
    return status;
}

gsolve_status create_plan(void **out, gsolve_context *ctx, int64_t products_with_R)
{
    update_plan *plan = static_cast<update_plan *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *plan));

    if (!plan) return GSOLVE_NO_MEMORY;
    *plan = {products_with_R, {}, nullptr, nullptr};
    *out = plan;
    return GSOLVE_OK;
}

void destroy_plan(void *plan, gsolve_context *ctx)
{
    if (!plan) return;
    drop_plans(static_cast<update_plan *>(plan), ctx);
    gsolve_free(ctx, GSOLVE_HOST, plan);
}

gsolve_status update(void *all, gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                     const gsolve_csr *P, gsolve_csr *C)
{
    update_plan *plan = static_cast<update_plan *>(all);
    gsolve_status status;

    if (!plan->second) TRY(make_plans(plan, ctx, R, A, P, C));
    TRY(gs_hash_rows::run_plan(plan->first, ctx, A, P, &plan->M));
    TRY(gs_hash_rows::run_plan(plan->second, ctx, R, &plan->M, C));
done:
    return status;
}

// --- the product --------------------------------------------------------------------------------

gsolve_status multiply(gsolve_csr *out, void **plan, gs_product_work *stats, bool *fits,
                       gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                       const gsolve_csr *P)
{
    gsolve_csr C = {}, M = {};
    job j = {ctx, R, &M, R->nrows};
    gsolve_status status = GSOLVE_OK;

    *fits = R->nrows > 0;
    if (!*fits) return GSOLVE_OK;
    TRY(multiply_short(&M, &stats->products, ctx, A, P));
    TRY(make_parts(&j, fits));
    if (!*fits) goto done;
    gsolve_csr_free(&M, ctx);
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, R->nrows, P->ncols, (int64_t)j.stats.entries,
                      R->type));
    TRY(number_rows(ctx, j.count, &C));
    TRY((R->type == GSOLVE_F32 ? pack<float> : pack<double>)(&j, &C));
    if (plan) TRY(create_plan(plan, ctx, (int64_t)j.stats.products));
    stats->products += (int64_t)j.stats.products;
    stats->bands = 1;
    *out = C;
    C = {};
done:
    close_job(&j);
    C.location = M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&C, ctx);
    gsolve_csr_free(&M, ctx);
    return status;
}

} // namespace
} // namespace gs_triple_rows

extern "C" const gs_triple_kernels gs_triple_cuda[GSOLVE_TYPE_COUNT] = {
    {gs_triple_rows::multiply, gs_triple_rows::update, gs_triple_rows::destroy_plan},
    {gs_triple_rows::multiply, gs_triple_rows::update, gs_triple_rows::destroy_plan}};
