/* opa.h: the optimal partition of rows by their lengths (OPA).
 *
 * Rows of equal length are a class; classes ascend in length. A block is a run of classes, stored
 * as wide as its longest row. A partition into blocks costs the sum of its blocks, and the cheapest
 * one of the classes before j
 *
 *     cost[j] = min over i < j of cost[i] + (that of a block of the classes i to j - 1),
 *
 * which is O(M'^2) for M' classes, since any number of blocks will do. For at most K blocks it is
 * made K times, each from the last; or, where that takes long, a few times with a price on each
 * block, the least for which there are at most K: what it finds for p blocks at a price is the best
 * for p blocks, and the price tells how far from it the best for K may be. Costs are whole numbers,
 * so that equal ones are equal.
 *
 * Source: Yang, Li, Li, A parallel computing method using blocked format with optimal partitioning
 * for SpMV on GPU, section 5. Their Cost(m, k) keeps k as a dimension, in O(M'^3), only to take the
 * least over it in the end. Their theorems 5.1 and 5.2, that runs of whole classes are the best of
 * all sets of rows, are about the entries stored. With a floor of L threads a block, or rows
 * rounded up to slices, they need not hold: a short row beside a long one that fills no slice costs
 * nothing. Then the partition is the best into runs of classes. */
#ifndef GS_SPMV_BCE_OPA_H
#define GS_SPMV_BCE_OPA_H

#include <stdbool.h>
#include <stdint.h>

#define GS_BCE_MOST_CLASSES 640 /* that are told apart, see gs_bce_best */
#define GS_BCE_MOST_BLOCKS  128

typedef struct gs_bce_class {
    int32_t width; /* entries of a row; of the longest, where classes were merged */
    int32_t rows;  /* at least one */
} gs_bce_class;

typedef enum gs_bce_measure { GS_BCE_BYTES, GS_BCE_PAPER } gs_bce_measure;

/* What a block costs. By the paper, in entries stored: width x max(rows, least). In bytes:
 *
 *     slices x (lanes x depth x entry + slice) + toll x min(3 rows, all - rows),
 *
 * depth being the entries of a lane, ceil(width / lanes of a row), and slices those that the rows
 * take, with half a one more for each further window that the block is cut by. More than one block
 * need an order of the rows besides: order x all. */
typedef struct gs_bce_model {
    gs_bce_measure measure;
    int lanes;       /* of a slice, a power of two */
    int64_t least;   /* L: threads below which a multiprocessor idles */
    int64_t entry;   /* bytes of a stored entry: value and column */
    int64_t slice;   /* bytes that could be moved while a slice is begun and ended */
    int64_t toll;    /* bytes for each of up to three neighbours that a row leaves behind */
    int64_t order;   /* bytes of a row's position in the order; 0 by the paper */
    int64_t all;     /* rows of the matrix */
    int64_t windows; /* that its rows are cut into, at least 1 */
    int64_t busy;    /* lanes that a block should have if it can */
    int64_t deep;    /* entries that a lane should have at most */
} gs_bce_model;

/* The model for entries of so many bytes. */
gs_bce_model gs_bce_model_of(gs_bce_measure measure, int64_t all, int64_t windows, int64_t entry,
                             bool gpu);

/* Lanes that share a row in a block, a power of two: more where rows are long or few. */
int gs_bce_lanes(const gs_bce_model *model, int32_t width, int64_t rows);

int64_t gs_bce_block_cost(const gs_bce_model *model, int32_t width, int64_t rows);

/* Merges classes, in place, until at most most >= 1 are left; returns how many. Each group of
 * merged classes takes its longest width, which exceeds the others' by a factor of at most
 * 1 + *slack: the least that does of 0, 1/256, 1.5/256, 1.5^2/256, ... 0: nothing was merged.
 *
 * By the paper's measure the best partition of what is left costs at most 1 + *slack times the sum,
 * over the blocks of the best partition of all, of width x (rows + L): where that cuts a group, let
 * the group join the lower block; that grows wider by 1 + *slack, and takes at most L rows that the
 * upper block, at its floor, does not get cheaper for. */
int gs_bce_merge(int count, gs_bce_class *classes, int most, double *slack);

typedef struct gs_bce_partition {
    int64_t cost;
    double slack; /* of merging, and of the price on a block; 0: the partition is the best */
    int blocks;
    gs_bce_class block[GS_BCE_MOST_BLOCKS]; /* ascending: width and rows of each */
} gs_bce_partition;

/* The cheapest partition of ascending classes into at most most blocks, 1 to GS_BCE_MOST_BLOCKS.
 * More than GS_BCE_MOST_CLASSES classes are merged first, to keep the time below a millisecond;
 * where most is a limit that costs something and most x classes^2 exceeds 2^19, more than 360 are,
 * and a price on each block keeps their number: then the partition costs at most 1 + slack times
 * the best, of the merged classes. No classes: no blocks. Changes classes. Widths x rows of all x
 * bytes of an entry are below 2^52. */
void gs_bce_best(gs_bce_partition *best, const gs_bce_model *model, int count,
                 gs_bce_class *classes, int most);

#endif
