// triple_kept_cuda.cu: what updates of R A P on a GPU go by: A P, and for each of its two products
// the plan of the method hash, which knows where every product is added. Both add in the order in
// which C was made. The first update makes all of it.
#include "spgemm/galerkin/triple_kernels.cuh"
#include "spgemm/hash/hash_plan.cuh"

namespace gs_triple_rows
{
namespace
{

struct kept_rows {
    int64_t products; // of R with A P
    gsolve_csr M;     // A P, without columns
    void *first, *second;
};

void drop_plans(kept_rows *kept, gsolve_context *ctx)
{
    gs_hash_rows::drop_plan(kept->first, ctx);
    gs_hash_rows::drop_plan(kept->second, ctx);
    kept->M.location = GSOLVE_DEVICE;
    gsolve_csr_free(&kept->M, ctx);
    kept->first = kept->second = nullptr;
}

// The plan of C = A B, of so many products.
gsolve_status plan_product(void **plan, gsolve_context *ctx, const gsolve_csr *A,
                           const gsolve_csr *B, const gsolve_csr *C, int64_t products)
{
    gs_hash_rows::job j = {ctx, rows_of(A), rows_of(B), A->nrows};
    int64_t inputs = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &inputs));
    j.seen.inputs = inputs;
    j.seen.products = (unsigned long long)products;
    j.lanes = gs_hash_rows::lanes_for(&j.seen);
    TRY(gs_hash_rows::make_plan(plan, ctx, A, B, C, &j));
done:
    return status;
}

template <class T>
gsolve_status make_plans(kept_rows *kept, gsolve_context *ctx, const gsolve_csr *R,
                         const gsolve_csr *A, const gsolve_csr *P, const gsolve_csr *C)
{
    int64_t products = 0;
    gsolve_status status;

    TRY(multiply_short<T>(&kept->M, &products, ctx, A, P));
    TRY(plan_product(&kept->first, ctx, A, P, &kept->M, products));
    TRY(plan_product(&kept->second, ctx, R, &kept->M, C, kept->products));
    gsolve_free(ctx, GSOLVE_DEVICE, kept->M.col);
    kept->M.col = nullptr;
done:
    if (status != GSOLVE_OK) drop_plans(kept, ctx);
    return status;
}

} // namespace

gsolve_status keep_nothing_yet(void **out, gsolve_context *ctx, int64_t products_with_R)
{
    kept_rows *kept = static_cast<kept_rows *>(gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *kept));

    if (!kept) return GSOLVE_NO_MEMORY;
    *kept = {products_with_R, {}, nullptr, nullptr};
    *out = kept;
    return GSOLVE_OK;
}

void drop_kept(void *kept, gsolve_context *ctx)
{
    if (!kept) return;
    drop_plans(static_cast<kept_rows *>(kept), ctx);
    gsolve_free(ctx, GSOLVE_HOST, kept);
}

template <class T>
gsolve_status renew(void *all, gsolve_context *ctx, const gsolve_csr *R, const gsolve_csr *A,
                    const gsolve_csr *P, gsolve_csr *C)
{
    kept_rows *kept = static_cast<kept_rows *>(all);
    gsolve_status status;

    if (!kept->second) TRY(make_plans<T>(kept, ctx, R, A, P, C));
    TRY(gs_hash_rows::run_plan(kept->first, ctx, A, P, &kept->M));
    TRY(gs_hash_rows::run_plan(kept->second, ctx, R, &kept->M, C));
done:
    return status;
}

template gsolve_status renew<float>(void *, gsolve_context *, const gsolve_csr *,
                                    const gsolve_csr *, const gsolve_csr *, gsolve_csr *);
template gsolve_status renew<double>(void *, gsolve_context *, const gsolve_csr *,
                                     const gsolve_csr *, const gsolve_csr *, gsolve_csr *);

} // namespace gs_triple_rows
