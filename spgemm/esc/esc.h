/* esc.h: products by expansion, sorting and compression. Symbols as in esc.c. */
#ifndef GS_SPGEMM_ESC_ESC_H
#define GS_SPGEMM_ESC_ESC_H

#include "spgemm/spgemm.h"

/* The order of a sum, which depends on the number n of its terms alone: n <= GS_ESC_STRAIGHT: one
 * by one, as the entries of A's row come; more: the terms l, l + GS_ESC_LANES, ... one by one for
 * each l < GS_ESC_LANES, and then those sums one by one. */
#define GS_ESC_STRAIGHT 256
#define GS_ESC_LANES    32

typedef struct gs_esc_plan gs_esc_plan; /* each device has its own */

typedef struct gs_esc_kernels {
    /* As gs_multiplier's; room: bytes for the expansion, 0: as esc.c says. */
    gsolve_status (*multiply)(gs_blocked *C, gs_esc_plan **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              double room);
    gsolve_status (*update)(const gs_esc_plan *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C);
    void (*destroy)(gs_esc_plan *plan, gsolve_context *ctx);
} gs_esc_kernels;

extern const gs_esc_kernels gs_esc_host[GSOLVE_TYPE_COUNT], gs_esc_cuda[GSOLVE_TYPE_COUNT];

/* C = the owned, unset product of A and B with so many entries, where A lies. */
gsolve_status gs_esc_new(gs_blocked *C, gsolve_context *ctx, const gs_blocked *A,
                         const gs_blocked *B, int64_t entries);

/* Bytes that the expansion may take: room, or for 0 what esc.c says, of so many products. */
double gs_esc_room(double room, const gs_blocked *A, int64_t entries_A, const gs_blocked *B,
                   int64_t entries_B, int64_t products);

#endif
