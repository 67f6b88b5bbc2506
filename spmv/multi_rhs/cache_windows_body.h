/* cache_windows_body.h: a thread's ring (spmv/multi_rhs/cache_windows.h) for one value type T. */
#include <gs_shuffle.h> /* one of those in cmake/, as the compiler has it */

#define RING_LINES 16 /* rows that are turned together, so that each cache line is met once */

typedef struct FN(ring) {
    FN(rows_of_x) x;
    T *value;
    gs_cache_window held; /* rows of x that are in it */
} FN(ring);

/* A thread's, of w columns. */
static inline FN(ring) FN(ring_of)(const gs_cache_windows *windows, int32_t w, int thread)
{
    T *value = (T *)windows->ring + (int64_t)thread * windows->rows * GS_CACHE_WINDOW_COLUMNS;

    return (FN(ring)){{value, w, (uint32_t)windows->rows - 1}, value, {0, 0}};
}

typedef T FN(lying) __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Four columns, stride apart, of four rows each, become rows of w. (Vectors put together from
 * elements would be read one element at a time.) */
static inline __attribute__((always_inline)) void FN(turn_four)(const T *from, int64_t stride,
                                                                T *to, int64_t w)
{
    const FN(four) p = *(const FN(lying) *)(const void *)from;
    const FN(four) q = *(const FN(lying) *)(const void *)(from + stride);
    const FN(four) r = *(const FN(lying) *)(const void *)(from + 2 * stride);
    const FN(four) s = *(const FN(lying) *)(const void *)(from + 3 * stride);
    const FN(four) a = GS_SHUFFLE(p, q, 0, 4, 2, 6);
    const FN(four) b = GS_SHUFFLE(p, q, 1, 5, 3, 7);
    const FN(four) c = GS_SHUFFLE(r, s, 0, 4, 2, 6);
    const FN(four) d = GS_SHUFFLE(r, s, 1, 5, 3, 7);

    *(FN(lying) *)(void *)to = GS_SHUFFLE(a, c, 0, 1, 4, 5);
    *(FN(lying) *)(void *)(to + w) = GS_SHUFFLE(b, d, 0, 1, 4, 5);
    *(FN(lying) *)(void *)(to + 2 * w) = GS_SHUFFLE(a, c, 2, 3, 6, 7);
    *(FN(lying) *)(void *)(to + 3 * w) = GS_SHUFFLE(b, d, 2, 3, 6, 7);
}

/* to[i w + j] = from[j stride + i] for i < rows, j < columns; apart, so that its loops have all
 * registers */
__attribute__((noinline)) static void FN(turn)(int32_t rows, int32_t columns, const T *from,
                                               int64_t stride, T *to, int64_t w)
{
    const int32_t even = columns / 4 * 4;

    for (int32_t first = 0; first < rows; first += RING_LINES) {
        const int32_t end = rows - first < RING_LINES ? rows : first + RING_LINES;
        const int32_t last = end / 4 * 4;
        for (int32_t j = 0; j < even; j += 4) {
            for (int32_t i = first; i < last; i += 4) {
                FN(turn_four)(from + j * stride + i, stride, to + i * w + j, w);
            }
        }
        for (int32_t i = even < columns ? first : last; i < end; i++) {
            for (int32_t j = i < last ? even : 0; j < columns; j++) {
                to[i * w + j] = from[j * stride + i];
            }
        }
    }
}

/* The ring gets what task t reads of x. */
static inline void FN(turn_window)(FN(ring) * ring, const gs_cache_windows *windows, int32_t t,
                                   gsolve_dense x)
{
    gs_cache_window fresh = gs_cache_window_move(&ring->held, windows->of[t], windows->rows);

    while (fresh.first < fresh.end) {
        const int32_t at = fresh.first & (windows->rows - 1), room = windows->rows - at;
        const int32_t left = fresh.end - fresh.first, rows = left < room ? left : room;
        FN(turn)
        (rows, x.ncols, (const T *)x.value + fresh.first, x.stride,
         ring->value + at * ring->x.stride, ring->x.stride);
        fresh.first += rows;
    }
}

#undef RING_LINES
