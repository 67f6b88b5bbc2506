// hash_cuda.cu: C = A B row by row, on a GPU. A hash table of the columns of a row of C collects
// the sums of its products. The columns are sorted at the end.
//
// An entry of C is summed in the order of A's row: the products of one entry of A have different
// columns, and those of the next entry are added after them. So the bits do not depend on the
// places of the columns in the table.
//
// The rows are binned by their products, their columns are counted, they are binned again by their
// entries, and filled. A pass reads A, and for each entry of A a row of B. One pass counts C's
// entries; one or two passes compute them. C is written once. The host waits twice: for the first
// bins, and for the size of C.
#include "spgemm/hash/hash_job.cuh"

using namespace gs_hash_rows;

namespace
{

gsolve_status multiply(gs_blocked *out, void **plan, gs_product_work *stats, gsolve_context *ctx,
                       const gs_blocked *A, const gs_blocked *B, const void *)
{
    const gsolve_csr *a = &A->csr, *b = &B->csr;
    job j = {ctx, rows_of(a), rows_of(b), a->nrows};
    gsolve_csr C = {};
    gsolve_status status;

    TRY(open_job(&j));
    TRY(bin_rows_to_count(&j));
    stats->products = (int64_t)j.stats.products;
    stats->bands = 1;
    TRY(count_rows(&j));
    TRY(bin_rows_to_fill(&j, a->type));
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, a->nrows, b->ncols, (int64_t)j.stats.entries,
                      a->type));
    TRY(number_rows(ctx, j.count, &C));
    TRY(fill_bitmap_rows(&j, &C));
    TRY(fill_table_rows(&j, &C));
    TRY(fill_short_rows(&j, &C));
    close_job(&j);
    if (plan) TRY(make_plan(plan, ctx, a, b, &C, &j));
    stats->entries = (int64_t)j.stats.entries;
    *out = {C, 1, 1};
    C = {};
done:
    close_job(&j);
    gsolve_csr_free(&C, ctx);
    return status;
}

gsolve_status update(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                     const gs_blocked *B, gs_blocked *C)
{
    return run_plan(plan, ctx, &A->csr, &B->csr, &C->csr);
}

} // namespace

extern "C" const gs_product_kernels gs_hash_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply, update, drop_plan}, {multiply, update, drop_plan}};
