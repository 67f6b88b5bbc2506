/* trial.c: see trial.h. */
#include "spmv/trial.h"

#include "core/try.h"

#define RUNS 4 /* the first one runs with cold caches */

gsolve_status gs_trial_time(double *seconds, gsolve_context *ctx, gs_trial_product *product,
                            void *form, const void *given, const void *y, size_t bytes)
{
    double last = 0;
    gsolve_status status = GSOLVE_OK;

    for (int run = 0; run < RUNS; run++) {
        const double begin = gs_now();
        TRY(product(form, ctx, given));
        /* this copy waits until the product has ended */
        TRY(gsolve_copy(ctx, &last, GSOLVE_HOST, y, gs_location(ctx), bytes));
        if (run == 0 || gs_now() - begin < *seconds) *seconds = gs_now() - begin;
    }
done:
    return status;
}

gsolve_status gs_trial_neighbours(void **best, gsolve_context *ctx, const gs_trial *trial,
                                  const void *given, int32_t number, int32_t most)
{
    const int32_t other_number[] = {number / 2, 2 * number};
    void *other = NULL;
    double least = 0, seconds = 0;
    gsolve_status status;

    TRY(trial->time(&least, *best, ctx, given));
    for (int k = 0; k < 2; k++) {
        if (other_number[k] < 1 || other_number[k] > most) continue;
        TRY(trial->make(&other, ctx, given, other_number[k]));
        TRY(trial->time(&seconds, other, ctx, given));
        if (seconds < least) {
            void *slower = *best;
            *best = other;
            other = slower;
            least = seconds;
        }
        trial->destroy(other, ctx);
        other = NULL;
    }
done:
    if (other) trial->destroy(other, ctx);
    return status;
}
