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

typedef struct gs_esc_options {
    double memory; /* for the expansion, in MiB; 0: the default of esc.c */
} gs_esc_options;

/* The bytes that the expansion may use. */
double gs_esc_memory(const gs_esc_options *options, const gs_blocked *A, int64_t entries_A,
                     const gs_blocked *B, int64_t entries_B, int64_t products);

#endif
