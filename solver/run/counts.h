/* counts.h: iterations and products of a run, and the time that they take. A leaf: its functions
 * are the only ones that write gs_counts. */
#ifndef GS_SOLVER_RUN_COUNTS_H
#define GS_SOLVER_RUN_COUNTS_H

#include "solver/run/run.h"

typedef struct gs_counts {
    int iteration;          /* of the run, as far as the host knows */
    int begun;              /* iterations before this round */
    int products;           /* so far; those of steps that the host has not read yet are counted */
    int before;             /* products before this round */
    int by[2 * GS_HISTORY]; /* products by the end of an iteration, at its number modulo the size */
    double product_seconds, precond_seconds;
} gs_counts;

static inline gs_counts *gs_counts_of(const gs_krylov *k)
{
    return k->run->counts;
}

static inline void gs_count_begin_run(gs_krylov *k)
{
    gs_counts *n = gs_counts_of(k);

    n->iteration = n->products = 0;
    n->product_seconds = n->precond_seconds = 0;
}

static inline void gs_count_begin_round(gs_krylov *k)
{
    gs_counts_of(k)->before = gs_counts_of(k)->products;
}

static inline void gs_count_products(gs_krylov *k, int products, double seconds)
{
    gs_counts_of(k)->products += products;
    gs_counts_of(k)->product_seconds += seconds;
}

static inline void gs_count_precond(gs_krylov *k, double seconds)
{
    gs_counts_of(k)->precond_seconds += seconds;
}

/* Iteration `iteration` ends with `products` products. */
static inline void gs_count_products_by(gs_krylov *k, int64_t iteration, int products)
{
    gs_counts_of(k)->by[iteration % (2 * GS_HISTORY)] = products;
}

static inline int gs_products_by(const gs_krylov *k, int64_t iteration)
{
    return gs_counts_of(k)->by[iteration % (2 * GS_HISTORY)];
}

/* The products made so far are `products`: some that were counted do not belong to the run. */
static inline void gs_set_products(gs_krylov *k, int products)
{
    gs_counts_of(k)->products = products;
}

/* The start of the method is done. */
static inline void gs_count_start(gs_krylov *k)
{
    gs_counts_of(k)->begun = gs_counts_of(k)->iteration;
}

static inline void gs_count_iterations(gs_krylov *k, int iteration)
{
    if (iteration > gs_counts_of(k)->iteration) gs_counts_of(k)->iteration = iteration;
}

#endif
