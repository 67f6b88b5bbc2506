// triple_update_cuda.cu: updates of R A P on a GPU. The plan holds A P and, for each of the two
// products, a plan of the method hash, which knows where every product is added. Both products add
// in the order in which C was computed. The first update makes the plan.
#include "spgemm/galerkin/triple_kernels.cuh"
#include "spgemm/hash/hash_plan.cuh"

namespace gs_triple_rows
{
namespace
{

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

template <class T>
gsolve_status make_plans(update_plan *plan, gsolve_context *ctx, const gsolve_csr *R,
                         const gsolve_csr *A, const gsolve_csr *P, const gsolve_csr *C)
{
    int64_t products = 0;
    gsolve_status status;

    TRY(multiply_short<T>(&plan->M, &products, ctx, A, P));
    TRY(plan_product(&plan->first, ctx, A, P, &plan->M, products));
    TRY(plan_product(&plan->second, ctx, R, &plan->M, C, plan->products));
    gsolve_free(ctx, GSOLVE_DEVICE, plan->M.col);
    plan->M.col = nullptr;
done:
    if (status != GSOLVE_OK) drop_plans(plan, ctx);
    return status;
}

} // namespace

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

template <class T>
gsolve_status update_values(void *all, gsolve_context *ctx, const gsolve_csr *R,
                            const gsolve_csr *A, const gsolve_csr *P, gsolve_csr *C)
{
    update_plan *plan = static_cast<update_plan *>(all);
    gsolve_status status;

    if (!plan->second) TRY(make_plans<T>(plan, ctx, R, A, P, C));
    TRY(gs_hash_rows::run_plan(plan->first, ctx, A, P, &plan->M));
    TRY(gs_hash_rows::run_plan(plan->second, ctx, R, &plan->M, C));
done:
    return status;
}

template gsolve_status update_values<float>(void *, gsolve_context *, const gsolve_csr *,
                                            const gsolve_csr *, const gsolve_csr *, gsolve_csr *);
template gsolve_status update_values<double>(void *, gsolve_context *, const gsolve_csr *,
                                             const gsolve_csr *, const gsolve_csr *, gsolve_csr *);

} // namespace gs_triple_rows
