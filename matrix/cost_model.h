/* cost_model.h: the times that "auto" compares: of products and conversions in the built-in
 * formats, and of cg with its preconditioners. They rest on the constants of one table
 * (cost_table.c), which bench/calibrate.py makes from times that bench/bench_calibrate.c measures
 * on each device. All times are in ns, in double precision.
 *
 * The table has one row for each kind of device: choices must not depend on the number of threads
 * or on the processor, since the bits of a solution do not. The row "cpu" is of one core. */
#ifndef GS_MATRIX_COST_MODEL_H
#define GS_MATRIX_COST_MODEL_H

#include "gsolve_plugin.h"

typedef enum gs_cost_device { GS_COST_CPU, GS_COST_CUDA, GS_COST_DEVICES } gs_cost_device;

/* The formats of the model. segmented cuts and orders rows on a GPU where their lengths differ
 * much, or where they read x irregularly; that has costs of its own. */
typedef enum gs_cost_format {
    GS_COST_SELL,
    GS_COST_BSR,
    GS_COST_BCE,
    GS_COST_SEGMENTED,
    GS_COST_CUT,
    GS_COST_FORMATS
} gs_cost_format;

/* The preconditioners of the model, for cg. */
enum { GS_JACOBI, GS_IC, GS_AMG, GS_RANKED_COUNT };

/* Relative to csr with the same matrix. */
typedef struct gs_format_costs {
    double regular;   /* bytes per ns over those of csr, in rows of similar lengths */
    double irregular; /* the same in rows whose lengths differ, without the wait for x */
    double cached;    /* the most of both where a solve stays in a cache */
    double wait;      /* wait for far elements of x over that of csr */
    double build;     /* conversion in products of csr, */
    double entry;     /* plus this many ns for each entry, */
    double begin;     /* plus this many ns */
} gs_format_costs;

/* ns of an iteration and of the set-up: for each entry, for each row, and constant. */
typedef struct gs_iteration_costs {
    double entry, row, step, setup_entry, setup_row, setup;
} gs_iteration_costs;

typedef struct gs_device_costs {
    double bandwidth; /* bytes per ns of a product in csr, with x and y, in regular rows */
    double launch;    /* ns of a product that do not depend on its size */
    double far;       /* ns of a far element of x, which reads a cache line and uses little of it */
    double beyond;    /* the same where x does not fit into the L2 cache of a GPU */
    double tiles;     /* slowdown of csr on a GPU where some rows are much longer than most */
    double ordered;   /* factor of the wait of irregular rows that segmented has ordered */
    gs_format_costs format[GS_COST_FORMATS];
    gs_iteration_costs plain[GS_RANKED_COUNT];
    gs_iteration_costs blocks[GS_RANKED_COUNT]; /* for matrices with several unknowns per node */
    double on_chip; /* ns of an iteration of cg with jacobi that keeps the matrix on a GPU's chip */
} gs_device_costs;

extern const gs_device_costs gs_cost_table[GS_COST_DEVICES];

/* *estimate = the estimate for a matrix with these statistics: by the format's own function, or by
 * the model. Returns whether the format is estimated to be faster than csr. */
bool gs_estimate_format(const gsolve_format *format, const gsolve_pattern_sample *sample,
                        gsolve_format_estimate *estimate);

#endif
