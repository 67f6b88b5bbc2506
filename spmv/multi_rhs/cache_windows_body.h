/* cache_windows_body.h: the buffer of a thread (see cache_windows.h) for one value type T. */
#include <gs_shuffle.h> /* the header in cmake/ that suits the compiler */

#define BLOCK_ROWS 16 /* rows transposed together, so that each cache line is loaded once */

typedef struct FN(window_buffer) {
    FN(rows_of_x) x;
    T *value;
    gs_cache_window held; /* rows of x that the buffer holds */
} FN(window_buffer);

/* The buffer of a thread, with w columns. */
static inline FN(window_buffer)
    FN(window_buffer_of)(const gs_cache_windows *windows, int32_t w, int thread)
{
    T *value = (T *)windows->buffer + (int64_t)thread * windows->rows * GS_CACHE_WINDOW_COLUMNS;

    return (FN(window_buffer)){{value, w, (uint32_t)windows->rows - 1}, value, {0, 0}};
}

typedef T FN(unaligned) __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Transposes four columns, `stride` apart, of four rows into rows with distance w. The shuffles
 * make the compiler load complete vectors; vectors built from elements would be loaded one element
 * at a time. */
static inline __attribute__((always_inline)) void FN(transpose_four)(const T *from, int64_t stride,
                                                                     T *to, int64_t w)
{
    const FN(four) p = *(const FN(unaligned) *)(const void *)from;
    const FN(four) q = *(const FN(unaligned) *)(const void *)(from + stride);
    const FN(four) r = *(const FN(unaligned) *)(const void *)(from + 2 * stride);
    const FN(four) s = *(const FN(unaligned) *)(const void *)(from + 3 * stride);
    const FN(four) a = GS_SHUFFLE(p, q, 0, 4, 2, 6);
    const FN(four) b = GS_SHUFFLE(p, q, 1, 5, 3, 7);
    const FN(four) c = GS_SHUFFLE(r, s, 0, 4, 2, 6);
    const FN(four) d = GS_SHUFFLE(r, s, 1, 5, 3, 7);

    *(FN(unaligned) *)(void *)to = GS_SHUFFLE(a, c, 0, 1, 4, 5);
    *(FN(unaligned) *)(void *)(to + w) = GS_SHUFFLE(b, d, 0, 1, 4, 5);
    *(FN(unaligned) *)(void *)(to + 2 * w) = GS_SHUFFLE(a, c, 2, 3, 6, 7);
    *(FN(unaligned) *)(void *)(to + 3 * w) = GS_SHUFFLE(b, d, 2, 3, 6, 7);
}

/* to[i w + j] = from[j stride + i] for i < rows, j < columns. The function is not inlined, so that
 * its loops have all registers. */
__attribute__((noinline)) static void FN(transpose_rows)(int32_t rows, int32_t columns,
                                                         const T *from, int64_t stride, T *to,
                                                         int64_t w)
{
    const int32_t even = columns / 4 * 4;

    for (int32_t first = 0; first < rows; first += BLOCK_ROWS) {
        const int32_t end = rows - first < BLOCK_ROWS ? rows : first + BLOCK_ROWS;
        const int32_t last = end / 4 * 4;
        for (int32_t j = 0; j < even; j += 4) {
            for (int32_t i = first; i < last; i += 4) {
                FN(transpose_four)(from + j * stride + i, stride, to + i * w + j, w);
            }
        }
        for (int32_t i = even < columns ? first : last; i < end; i++) {
            for (int32_t j = i < last ? even : 0; j < columns; j++) {
                to[i * w + j] = from[j * stride + i];
            }
        }
    }
}

/* Loads into the buffer what task t reads of x. */
static inline void FN(load_window)(FN(window_buffer) * buffer, const gs_cache_windows *windows,
                                   int32_t t, gsolve_dense x)
{
    gs_cache_window fresh = gs_cache_window_move(&buffer->held, windows->of[t], windows->rows);

    while (fresh.first < fresh.end) {
        const int32_t at = fresh.first & (windows->rows - 1), space = windows->rows - at;
        const int32_t left = fresh.end - fresh.first, rows = left < space ? left : space;
        FN(transpose_rows)
        (rows, x.ncols, (const T *)x.value + fresh.first, x.stride,
         buffer->value + at * buffer->x.stride, buffer->x.stride);
        fresh.first += rows;
    }
}

#undef BLOCK_ROWS
