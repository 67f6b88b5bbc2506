/* esc.h: products by expansion, sorting and compression; esc.c describes the method. */
#ifndef GS_SPGEMM_ESC_ESC_H
#define GS_SPGEMM_ESC_ESC_H

#include "spgemm/spgemm.h"

/* The order of a sum depends only on its number of terms. Up to GS_ESC_STRAIGHT terms are added one
 * after the other, in the order of A's row. More terms form GS_ESC_LANES partial sums: partial sum
 * l adds the terms l, l + GS_ESC_LANES, l + 2 GS_ESC_LANES and so on, one after the other. The
 * partial sums are then added in the order of l. */
#define GS_ESC_STRAIGHT 256
#define GS_ESC_LANES    32

typedef struct gs_esc_plan gs_esc_plan; /* each device has its own */

typedef struct gs_esc_kernels {
    /* As in gs_multiplier. memory: bytes for the expansion; 0: the default of esc.c. */
    gsolve_status (*multiply)(gs_blocked *C, gs_esc_plan **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              double memory);
    gsolve_status (*update)(const gs_esc_plan *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C);
    void (*destroy)(gs_esc_plan *plan, gsolve_context *ctx);
} gs_esc_kernels;

extern const gs_esc_kernels gs_esc_host[GSOLVE_TYPE_COUNT], gs_esc_cuda[GSOLVE_TYPE_COUNT];

/* Allocates C for A B with that number of entries, at A's location; its arrays are unset. */
gsolve_status gs_esc_new(gs_blocked *C, gsolve_context *ctx, const gs_blocked *A,
                         const gs_blocked *B, int64_t entries);

/* The bytes that the expansion may use: memory, or the default of esc.c if memory is 0. */
double gs_esc_memory(double memory, const gs_blocked *A, int64_t entries_A, const gs_blocked *B,
                     int64_t entries_B, int64_t products);

#endif
