/* trial.h: forms of a matrix tried against each other by their products; the fastest is kept. Other
 * runs may keep another. */
#ifndef GS_SPMV_TRIAL_H
#define GS_SPMV_TRIAL_H

#include "matrix/csr.h"

/* One product with a form, into y; given: what the caller handed on. */
typedef gsolve_status gs_trial_product(void *form, gsolve_context *ctx, const void *given);

/* *seconds of the fastest of a few products. y: a number that each of them writes, where ctx
 * computes, of so many bytes. */
gsolve_status gs_trial_time(double *seconds, gsolve_context *ctx, gs_trial_product *product,
                            void *form, const void *given, const void *y, size_t bytes);

/* How forms are made and timed. */
typedef struct gs_trial {
    gsolve_status (*make)(void **form, gsolve_context *ctx, const void *given, int32_t number);
    gsolve_status (*time)(double *seconds, void *form, gsolve_context *ctx, const void *given);
    void (*destroy)(void *form, gsolve_context *ctx);
} gs_trial;

/* *best, made with number, replaced by the form of half or of twice that if it is faster; of those
 * from 1 to most. */
gsolve_status gs_trial_neighbours(void **best, gsolve_context *ctx, const gs_trial *trial,
                                  const void *given, int32_t number, int32_t most);

#endif
