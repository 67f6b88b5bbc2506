/* matrix_blocks_support.h: random matrices of dense blocks, and checks of a matrix handle against
 * rows of the same numbers. */
#ifndef TESTS_MATRIX_BLOCKS_SUPPORT_H
#define TESTS_MATRIX_BLOCKS_SUPPORT_H

#include <math.h>

#include "spmv/handle.h"
#include "tests/common.h"

enum { ROWS = 37, COLS = 41, MOST = 8 };

/* Blocks of the caller. Block row 5 is empty, and block row 7 has a block in every block column. */
typedef struct blocks {
    int32_t nrows, ncols, height, width;
    bool column_major;
    gsolve_type type;
    gsolve_offset offset;
    int64_t count;
    int64_t start[ROWS + 1];
    int32_t start32[ROWS + 1], col[ROWS * COLS];
    double value[ROWS * COLS * MOST * MOST];
    float single[ROWS * COLS * MOST * MOST];
} blocks;

static inline double number(uint64_t seed, int64_t at)
{
    return 2 * gsolve_random(seed, (uint64_t)at) - 1;
}

static inline bool has_block(int32_t I, int32_t J)
{
    return I != 5 && (I == 7 || I == J || gsolve_random(3, (uint64_t)(I * COLS + J)) < 0.15);
}

static inline void fill_values(blocks *B, uint64_t seed)
{
    const int64_t size = B->height * B->width;

    for (int64_t k = 0; k < B->count; k++) {
        for (int r = 0; r < B->height; r++) {
            for (int c = 0; c < B->width; c++) {
                const double v = (float)number(seed, (k * MOST + r) * MOST + c);
                const int64_t at =
                    k * size + (B->column_major ? c * B->height + r : r * B->width + c);
                B->value[at] = v;
                B->single[at] = (float)v;
            }
        }
    }
}

static inline blocks *new_blocks(int32_t nrows, int32_t ncols, int32_t height, int32_t width,
                                 gsolve_type type)
{
    blocks *B = calloc(1, sizeof *B);

    assert_non_null(B);
    B->nrows = nrows;
    B->ncols = ncols;
    B->height = height;
    B->width = width;
    B->type = type;
    for (int32_t I = 0; I < nrows; I++) {
        for (int32_t J = 0; J < ncols; J++) {
            if (has_block(I, J)) B->col[B->count++] = J;
        }
        B->start[I + 1] = B->count;
        B->start32[I + 1] = (int32_t)B->count;
    }
    fill_values(B, 1);
    return B;
}

static inline gsolve_blocked view_of(const blocks *B)
{
    const bool wide = B->offset == GSOLVE_O64, single = B->type == GSOLVE_F32;
    const gsolve_blocked view = {B->nrows,
                                 B->ncols,
                                 wide ? (const void *)B->start : B->start32,
                                 B->col,
                                 single ? (const void *)B->single : B->value,
                                 B->offset,
                                 B->type,
                                 GSOLVE_HOST,
                                 B->height,
                                 B->width,
                                 B->column_major};
    return view;
}

/* Rows of the same numbers. */
static inline void rows_of(gsolve_csr *csr, gsolve_context *ctx, const blocks *B)
{
    const int32_t h = B->height, w = B->width;
    const int64_t entries = B->count * h * w;
    int64_t at = 0;

    OK(ctx, gs_csr_new(csr, ctx, B->nrows * h, B->ncols * w, entries, B->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, csr);
    for (int32_t i = 0; i < csr->nrows; i++) {
        gs_set_start(&to, i, at);
        for (int64_t k = B->start[i / h]; k < B->start[i / h + 1]; k++) {
            for (int32_t c = 0; c < w; c++, at++) {
                const int32_t r = i % h;
                const int64_t from = k * h * w + (B->column_major ? c * h + r : r * w + c);
                to.col[at] = B->col[k] * w + c;
                if (B->type == GSOLVE_F32) ((float *)to.value)[at] = B->single[from];
                if (B->type == GSOLVE_F64) ((double *)to.value)[at] = B->value[from];
            }
        }
    }
    gs_set_start(&to, csr->nrows, at);
}

/* A copy of the blocks at a location; the test frees it with gsolve_blocked_free. */
static inline gsolve_blocked copy_to(gsolve_context *ctx, gsolve_location location, const blocks *B)
{
    const gsolve_blocked view = view_of(B);
    const gsolve_csr csr = {view.nrows, view.ncols,  view.start, view.col,
                            view.value, view.offset, view.type,  view.location};
    gsolve_blocked copy = view;
    gsolve_csr moved;

    OK(ctx, gs_csr_move_blocks(&moved, ctx, location, &csr, (int64_t)B->height * B->width));
    copy.start = moved.start;
    copy.col = moved.col;
    copy.value = moved.value;
    copy.location = moved.location;
    return copy;
}

/* Whether y = A x agrees with the rows, for some columns in some layout. */
static inline void check_product(gsolve_context *ctx, const gsolve_matrix *A, const gsolve_csr *csr,
                                 bool transposed, int32_t columns, gsolve_layout layout)
{
    const int32_t m = transposed ? csr->nrows : csr->ncols,
                  n = transposed ? csr->ncols : csr->nrows;
    const double tolerance = csr->type == GSOLVE_F32 ? 2e-5 : 1e-13;
    const bool single = csr->type == GSOLVE_F32;
    const size_t size = gs_type_size(csr->type);
    double *sum = calloc((size_t)n * (size_t)columns + 1, sizeof *sum);
    void *px = calloc((size_t)m * (size_t)columns + 1, size);
    void *py = calloc((size_t)n * (size_t)columns + 1, size);
    const int64_t sx = layout == GSOLVE_ROW_MAJOR ? columns : m;
    const int64_t sy = layout == GSOLVE_ROW_MAJOR ? columns : n;
    const gsolve_dense x = {m, columns, sx, px, csr->type, GSOLVE_HOST, layout};
    const gsolve_dense y = {n, columns, sy, py, csr->type, GSOLVE_HOST, layout};

    for (int64_t k = 0; k < (int64_t)m * columns; k++) {
        if (single) ((float *)px)[k] = (float)number(2, k);
        if (!single) ((double *)px)[k] = number(2, k);
    }
    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            const int32_t from = transposed ? i : csr->col[k], to = transposed ? csr->col[k] : i;
            for (int32_t c = 0; c < columns; c++) {
                const int64_t at =
                    layout == GSOLVE_ROW_MAJOR ? (int64_t)from * sx + c : from + c * sx;
                const double xi = single ? (double)((float *)px)[at] : ((double *)px)[at];
                sum[(int64_t)to * columns + c] += gs_value(csr, k) * xi;
            }
        }
    }
    OK(ctx, (transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(A, 1, x, 0, y));
    for (int32_t i = 0; i < n; i++) {
        for (int32_t c = 0; c < columns; c++) {
            const int64_t at = layout == GSOLVE_ROW_MAJOR ? i * sy + c : i + c * sy;
            const double yi = single ? (double)((float *)py)[at] : ((double *)py)[at];
            if (!(fabs(yi - sum[(int64_t)i * columns + c]) <= tolerance * COLS * MOST)) {
                fail_msg("row %d, column %d: %g instead of %g", i, c, yi,
                         sum[(int64_t)i * columns + c]);
            }
        }
    }
    free(sum);
    free(px);
    free(py);
}

static inline void check_products(gsolve_context *ctx, const gsolve_matrix *A,
                                  const gsolve_csr *csr)
{
    check_product(ctx, A, csr, false, 1, GSOLVE_COLUMN_MAJOR);
    check_product(ctx, A, csr, false, 3, GSOLVE_COLUMN_MAJOR);
    check_product(ctx, A, csr, false, 9, GSOLVE_ROW_MAJOR);
    check_product(ctx, A, csr, true, 1, GSOLVE_COLUMN_MAJOR);
}

/* Whether A's CSR copy, on the host and on the device, is csr. */
static inline void check_rows(gsolve_context *ctx, const gsolve_matrix *A, const gsolve_csr *csr)
{
    const int64_t entries = gsolve_csr_entries(csr);
    gsolve_csr rows, there, back = {0};

    OK(ctx, gsolve_matrix_csr(A, &rows));
    gsolve_matrix_device_csr(A, &there);
    OK(ctx, gs_csr_move(&back, ctx, GSOLVE_HOST, &there));
    for (int side = 0; side < 2; side++) {
        const gsolve_csr *one = side ? &back : &rows;
        assert_int_equal(one->nrows, csr->nrows);
        assert_int_equal(one->ncols, csr->ncols);
        for (int32_t i = 0; i <= csr->nrows; i++) {
            assert_int_equal(gs_start(one, i), gs_start(csr, i));
        }
        assert_memory_equal(one->col, csr->col, (size_t)entries * sizeof *csr->col);
        assert_memory_equal(one->value, csr->value, (size_t)entries * gs_type_size(csr->type));
    }
    gsolve_csr_free(&back, ctx);
}

#endif
