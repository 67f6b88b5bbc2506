/* blocks.h: sums with fixed bits. Divides a range into blocks that depend on its length alone. Sums
 * over blocks, added in the order of the blocks, then have the same bits for any number of threads.
 */
#ifndef GS_VECTOR_BLOCKS_H
#define GS_VECTOR_BLOCKS_H

#include <stdint.h>

#define GS_MAX_BLOCKS    1024
#define GS_LEAST_BLOCK   2048
#define GS_SERIAL_BLOCKS 4 /* fewer blocks run on one thread */

typedef struct gs_blocks {
    int64_t n, size; /* size: a multiple of 64 */
    int count;
} gs_blocks;

static inline gs_blocks gs_blocks_of(int64_t n)
{
    gs_blocks b = {n, GS_LEAST_BLOCK, 0};

    if (n > (int64_t)GS_MAX_BLOCKS * GS_LEAST_BLOCK) {
        b.size = ((n + GS_MAX_BLOCKS - 1) / GS_MAX_BLOCKS + 63) / 64 * 64;
    }
    b.count = (int)((n + b.size - 1) / b.size);
    return b;
}

/* Returns the number of threads for work on n elements: 1 if the work is so small that starting the
 * other threads may take longer. */
static inline int gs_threads_for(int64_t n, int threads)
{
    return n > (int64_t)GS_SERIAL_BLOCKS * GS_LEAST_BLOCK ? threads : 1;
}

static inline int64_t gs_block_begin(const gs_blocks *b, int k)
{
    return k * b->size;
}

static inline int64_t gs_block_end(const gs_blocks *b, int k)
{
    return (k + 1) * b->size < b->n ? (k + 1) * b->size : b->n;
}

static inline double gs_sum(int count, const double *part)
{
    double sum = 0;

    for (int k = 0; k < count; k++) sum += part[k];
    return sum;
}

/* For kernels on the host with the queue q: runs the statements for every piece k of n rows,
 * [from, to). */
#define GS_EACH_PIECE(n, ...)                                                                     \
    const gs_blocks blocks = gs_blocks_of(n);                                                     \
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;                \
    _Pragma("omp parallel for schedule(static) num_threads(threads)") for (int k = 0;             \
                                                                           k < blocks.count; k++) \
    {                                                                                             \
        const int64_t from = gs_block_begin(&blocks, k), to = gs_block_end(&blocks, k);           \
        __VA_ARGS__;                                                                              \
    }

/* --- lanes: sums of many terms in a fixed order, so that their bits depend neither on the
 * processor nor on the compiler. Term i is added to lane i mod GS_LANES, and at the end the lanes
 * are added in pairs. Vectors of any length up to GS_LANES add in this order. */

enum { GS_LANES = 8 };

/* Runs the statement for i = 0 .. n - 1 with lane = i mod GS_LANES. The inner loop has a constant
 * length and independent iterations, so that compilers vectorise it. */
#define GS_EACH_LANE(n, ...)                                                \
    do {                                                                    \
        int64_t first_ = 0;                                                 \
        for (; first_ + GS_LANES <= (n); first_ += GS_LANES) {              \
            _Pragma("omp simd") for (int lane = 0; lane < GS_LANES; lane++) \
            {                                                               \
                const int64_t i = first_ + lane;                            \
                __VA_ARGS__;                                                \
            }                                                               \
        }                                                                   \
        for (int lane = 0; first_ + lane < (n); lane++) {                   \
            const int64_t i = first_ + lane;                                \
            __VA_ARGS__;                                                    \
        }                                                                   \
    } while (0)

static inline double gs_sum_lanes(const double s[GS_LANES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

#endif
