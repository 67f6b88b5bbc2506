/* polynomial.c: the coefficients of the Chebyshev iteration, and an estimate of the largest
 * eigenvalue. */
#include "precond/chebyshev/polynomial.h"

#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/csr.h"
#include "matrix/operator.h"
#include "spmv/distributed/distributed.h"
#include "vector/vector.h"

#define INLINE static inline
#include "precond/random.h"

gs_polynomial_step gs_polynomial_first(gs_polynomial P)
{
    const double centre = P.lambda_max * (1 + 1 / P.ratio) / 2,
                 radius = P.lambda_max * (1 - 1 / P.ratio) / 2;

    return (gs_polynomial_step){1 / centre, 0, radius / centre};
}

gs_polynomial_step gs_polynomial_next(gs_polynomial P, gs_polynomial_step s)
{
    const double centre = P.lambda_max * (1 + 1 / P.ratio) / 2,
                 radius = P.lambda_max * (1 - 1 / P.ratio) / 2;
    const double rho = 1 / (2 * centre / radius - s.rho);

    return (gs_polynomial_step){2 * rho / radius, rho * s.rho, rho};
}

/* --- the spectrum ----------------------------------------------------------------------------- */

static gsolve_status norm(gsolve_context *ctx, gs_comm *comm, gsolve_dense v, double *space,
                          double *length)
{
    double square;
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, v.type)->dot(ctx->queue, v.nrows, v.value, v.value, space));
    TRY(gs_comm_sum_of(comm, space, 1));
    TRY(gsolve_copy(ctx, &square, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof square));
    *length = sqrt(square);
done:
    return status;
}

/* p = random numbers; over several ranks those of one rank. */
static gsolve_status set_random(gsolve_context *ctx, gs_comm *comm, gsolve_dense p)
{
    const size_t bytes = (size_t)p.nrows * gs_type_size(p.type);
    int64_t first, total;
    void *draft;
    gsolve_status status;

    if (!comm)
        return GS_KERNELS(gs_polynomial, ctx, p.type)->random(ctx->queue, p.nrows, 1, p.value);
    TRY(gs_comm_place(comm, p.nrows, &first, &total));
    draft = gs_draft(ctx, p.value, bytes);
    for (int32_t i = 0; i < p.nrows && draft; i++) {
        gs_put_value(draft, p.type, i, gs_random_uniform(1, first + i));
    }
    status = draft ? gs_draft_put(ctx, p.value, draft, bytes) : GSOLVE_NO_MEMORY;
    status = gs_comm_check(comm, status);
done:
    return status;
}

gsolve_status gs_power_iteration(double *growth, gsolve_context *ctx, struct gs_comm *comm,
                                 gs_linear_map *map, const void *data, int its, gsolve_dense p,
                                 double *square)
{
    double length = 0;
    gsolve_status status;

    *growth = 0;
    TRY(set_random(ctx, comm, p));
    TRY(norm(ctx, comm, p, square, &length));
    for (int it = 0; it < its && length > 0; it++) {
        TRY(gs_comm_defer(comm, map(data, ctx, 1 / length, p)));
        TRY(norm(ctx, comm, p, square, &length));
        *growth = length;
    }
done:
    return status;
}

#define SAFETY_FACTOR \
    1.1 /* times the growth of the power iteration, which underestimates the eigenvalue */

typedef struct scaled { /* D^-1 A */
    const gsolve_matrix *A;
    const void *d;
    gsolve_dense q;
} scaled;

static gsolve_status apply_scaled(const void *data, gsolve_context *ctx, double scale,
                                  gsolve_dense p)
{
    const scaled *s = data;
    gsolve_status status;

    TRY(gsolve_matrix_apply(s->A, scale, p, 0, s->q));
    TRY(GS_KERNELS(gs_polynomial, ctx, p.type)
            ->step(ctx->queue, p.nrows, 1, 1, 0,
                   (gs_step_vectors){.d = s->d, .b = s->q.value, .x = p.value}));
done:
    return status;
}

gsolve_status gs_estimate_lambda_max(double *lambda_max, gsolve_context *ctx,
                                     const gsolve_matrix *A, const void *d, int its, gsolve_dense p,
                                     gsolve_dense q, double *square)
{
    const scaled map = {A, d, q};
    double growth;
    gsolve_status status = GSOLVE_OK;

    if (its == 0) return GSOLVE_OK;
    TRY(gs_power_iteration(&growth, ctx, gs_matrix_comm(A), apply_scaled, &map, its, p, square));
    if (growth > 0 && SAFETY_FACTOR * growth < *lambda_max) *lambda_max = SAFETY_FACTOR * growth;
done:
    return status;
}

/* --- a bound
 * -------------------------------------------------------------------------------------- */

static double element_of(gsolve_type type, const void *v, int32_t i)
{
    return type == GSOLVE_F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

double gs_largest_sum_over_ranks(const gsolve_matrix *A, const void *d)
{
    const gs_dist_matrix *D = A->dist;
    double largest = 0;

    for (int32_t i = 0, next = 0; i < A->rows.nrows; i++) {
        const gs_dist_row row = gs_dist_row_of(D, &A->rows, i, next);
        double sum = 0;
        next += row.boundary;
        for (int64_t k = row.begin; k < row.end; k++) sum += fabs(gs_value(row.from, k));
        largest = fmax(largest, sum * fabs(element_of(A->rows.type, d, i)));
    }
    return largest;
}
