/* lanes.h: sums of many terms in a fixed order, so that their bits depend neither on the processor
 * nor on the compiler. Term i is added to lane i mod GS_LANES, and at the end the
 * lanes are added in pairs. Vectors of any length up to GS_LANES add in this order. */
#ifndef GS_VECTOR_LANES_H
#define GS_VECTOR_LANES_H

#include <stdint.h>

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
