/* inner.c: see inner.h. */
#include "solver/run/inner.h"

#include "core/try.h"
#include "solver/run/counts.h"
#include "solver/run/profile.h"

void gs_inner_mark(gsolve_solver *inner)
{
    inner->run->inner = true;
}

gsolve_status gs_inner_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                           gsolve_result *result)
{
    gsolve_status status;

    TRY(gsolve_solver_profile(inner, k->run->profile->on));
    TRY(gsolve_solver_run(inner, b, x, result));
    gs_profile_merge(k->run->profile, inner->run->profile);
    gs_count_products(k, result->products, result->product_seconds);
    gs_count_precond(k, result->precond_seconds);
done:
    return status;
}
