/* trial.h: compares forms of a matrix by the times of their products and keeps the fastest. Other
 * runs may keep another form. */
#ifndef GS_SPMV_TRIAL_H
#define GS_SPMV_TRIAL_H

#include "matrix/csr.h"

/* One product with a form, into y. given: the caller's data. */
typedef gsolve_status gs_trial_product(void *form, gsolve_context *ctx, const void *given);

/* *seconds = the least time of a few products. y: a number of `bytes` bytes that each product
 * writes, where ctx computes. */
gsolve_status gs_trial_time(double *seconds, gsolve_context *ctx, gs_trial_product *product,
                            void *form, const void *given, const void *y, size_t bytes);

/* How forms are built and timed. */
typedef struct gs_trial {
    gsolve_status (*make)(void **form, gsolve_context *ctx, const void *given, int32_t number);
    gsolve_status (*time)(double *seconds, void *form, gsolve_context *ctx, const void *given);
    void (*destroy)(void *form, gsolve_context *ctx);
} gs_trial;

/* *best was made with `number`. Replaces it by the form with half or twice that number if it is
 * faster; numbers are from 1 to most. */
gsolve_status gs_trial_neighbours(void **best, gsolve_context *ctx, const gs_trial *trial,
                                  const void *given, int32_t number, int32_t most);

#endif
