/* opa.h: the optimal partition of rows by their lengths (OPA).
 *
 * Rows of equal length are a class; classes ascend in length. A block is a run of classes, stored
 * as wide as its longest row. The cost of a partition into blocks is the sum of the costs of its
 * blocks. The cheapest partition of the classes before j costs
 *
 *     cost[j] = min over i < j of cost[i] + (cost of a block of the classes i to j - 1),
 *
 * which takes O(M'^2) for M' classes, since any number of blocks is allowed. For at most K blocks
 * the recurrence is computed K times, each time from the last result. If that takes too long, it is
 * computed a few times with a price added for each block, and the least price with at most K blocks
 * is searched. The result for p blocks at a price is the best for p blocks, and the price bounds
 * the distance from the best for K. Costs are integers, so that equal costs compare equal.
 *
 * Source: Yang, Li, Li, A parallel computing method using blocked format with optimal partitioning
 * for SpMV on GPU, section 5. Their Cost(m, k) keeps k as a dimension, in O(M'^3), and takes the
 * least over k in the end. Their theorems 5.1 and 5.2 say that runs of whole classes are the best
 * of all sets of rows; they count stored entries. With a lower limit of L threads per block, or
 * with rows rounded up to slices, they need not hold: a short row beside a long one that does not
 * fill a slice costs nothing. Then the result is the best partition into runs of classes. */
#ifndef GS_SPMV_BCE_OPA_H
#define GS_SPMV_BCE_OPA_H

#include <stdbool.h>
#include <stdint.h>

#define GS_BCE_MOST_CLASSES 640 /* most classes of a search, see gs_bce_best */
#define GS_BCE_MOST_BLOCKS  128

typedef struct gs_bce_class {
    int32_t width; /* entries of a row; of the longest row where classes were merged */
    int32_t rows;  /* at least one */
} gs_bce_class;

typedef enum gs_bce_measure { GS_BCE_BYTES, GS_BCE_PAPER } gs_bce_measure;

/* The cost of a block. By the paper, in stored entries: width x max(rows, least). In bytes:
 *
 *     slices x (lanes x depth x entry + slice) + neighbour x min(3 rows, all - rows),
 *
 * where depth = ceil(width / lanes of a row) is the number of entries per lane. slices is the
 * number that the rows fill, plus half a slice for each further window that cuts the block. More
 * than one block need an order of the rows: order x all. */
typedef struct gs_bce_model {
    gs_bce_measure measure;
    int lanes;         /* of a slice, a power of two */
    int most_lanes;    /* of a row, a power of two */
    int64_t least;     /* L: least threads that keep a multiprocessor busy */
    int64_t entry;     /* bytes of a stored entry: value and column */
    int64_t slice;     /* bytes that could be moved while a slice starts and ends */
    int64_t neighbour; /* bytes for each of up to three neighbours in another block */
    int64_t order;     /* bytes of a row number in the order; 0 by the paper */
    int64_t all;       /* rows of the matrix */
    int64_t windows;   /* of the order, at least 1 */
    int64_t busy;      /* least lanes of a block, if possible */
    int64_t deep;      /* most entries of a lane */
} gs_bce_model;

/* The model for entries of that many bytes. */
gs_bce_model gs_bce_model_of(gs_bce_measure measure, int64_t all, int64_t windows, int64_t entry,
                             bool gpu);

/* Lanes per row of a block, a power of two: on a GPU more where rows are long or few. */
int gs_bce_lanes(const gs_bce_model *model, int32_t width, int64_t rows);

int64_t gs_bce_block_cost(const gs_bce_model *model, int32_t width, int64_t rows);

/* Merges classes in place until at most `most` >= 1 are left. Returns how many are left. A group of
 * merged classes takes its longest width, which exceeds the others' by a factor of at most 1 +
 * *slack. *slack is the least sufficient number of 0, 1/256, 1.5/256, 1.5^2/256, ...; with 0
 * nothing was merged.
 *
 * By the paper's measure, the best partition of the merged classes costs at most 1 + *slack times
 * the sum of width x (rows + L) over the blocks of the best partition of all classes. Proof: where
 * that partition cuts a group, move the group into the lower block. Its width grows by a factor of
 * at most 1 + *slack. It takes at most L rows, whose loss does not make the upper block cheaper
 * when that block is at its lower limit. */
int gs_bce_merge(int count, gs_bce_class *classes, int most, double *slack);

typedef struct gs_bce_partition {
    int64_t cost;
    double slack; /* from merging and from the price of a block; 0: the partition is the best */
    int blocks;
    gs_bce_class block[GS_BCE_MOST_BLOCKS]; /* ascending widths; rows of each block */
} gs_bce_partition;

/* The cheapest partition of ascending classes into at most `most` blocks, 1 to GS_BCE_MOST_BLOCKS.
 * More than GS_BCE_MOST_CLASSES classes are merged first, which keeps the time below a millisecond.
 * Where the limit `most` matters and most x classes^2 exceeds 2^19, more than 360 classes are
 * merged, and a price for each block limits their number; the partition then costs at most 1 +
 * slack times the best one of the merged classes. Without classes there are no blocks. Changes
 * classes. The sum of width x rows x bytes of an entry must be below 2^52. */
void gs_bce_best(gs_bce_partition *best, const gs_bce_model *model, int count,
                 gs_bce_class *classes, int most);

#endif
