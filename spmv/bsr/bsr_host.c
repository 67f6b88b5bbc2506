/* bsr_host.c: which blocks exist, and the kernel table, on the CPU, see bsr.h. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "spmv/bsr/bsr.h"
#include "vector/blocks.h"

/* Stores the block columns of block row I, ascending, in col unless it is NULL. Returns their
 * number. Its rows are merged: the least column left gives the next block. */
static int64_t merge_row(const gs_bsr *m, int32_t I, int32_t *col)
{
    const gsolve_csr *A = &m->csr;
    int64_t at[GS_BSR_MOST], end[GS_BSR_MOST], left = 0, count = 0;

    for (int r = 0; r < m->b; r++) {
        const int64_t i = (int64_t)I * m->b + r;
        at[r] = i < A->nrows ? gs_start(A, (int32_t)i) : 0;
        end[r] = i < A->nrows ? gs_start(A, (int32_t)i + 1) : 0;
        left += end[r] - at[r];
    }
    for (; left > 0; count++) {
        int32_t least = INT32_MAX;
        for (int r = 0; r < m->b; r++) {
            if (at[r] < end[r] && A->col[at[r]] < least) least = A->col[at[r]];
        }
        const int32_t J = least / m->b, from = J * m->b;
        for (int r = 0; r < m->b; r++) {
            for (; at[r] < end[r] && A->col[at[r]] - from < m->b; at[r]++) left--;
        }
        if (col) col[count] = J;
    }
    return count;
}

/* Fills m->first and m->blocks. given: the blocks, or NULL for those of m->csr. */
static gsolve_status count_blocks(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), m->first, (size_t)m->rows + 1);
#pragma omp parallel for schedule(static) \
    num_threads(gs_threads_for(m->entries, gsolve_threads(ctx)))
    for (int32_t I = 0; I < m->rows; I++) {
        m->first[I + 1] =
            given ? gs_start(&given->csr, I + 1) - gs_start(&given->csr, I) : merge_row(m, I, NULL);
    }
    m->first[0] = 0;
    for (int32_t I = 0; I < m->rows; I++) m->first[I + 1] += m->first[I];
    m->blocks = m->first[m->rows];
done:
    return status;
}

/* Fills m->col. *narrow = whether offsets fit into 16 bits. */
static gsolve_status fill_columns(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given,
                                  bool *narrow)
{
    bool all = true;
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), m->col, m->blocks);
#pragma omp parallel for schedule(static) reduction(&& : all) \
    num_threads(gs_threads_for(m->entries, gsolve_threads(ctx)))
    for (int32_t I = 0; I < m->rows; I++) {
        const int64_t from = m->first[I], to = m->first[I + 1];
        if (given) {
            for (int64_t k = from; k < to; k++) m->col[k] = given->csr.col[k];
        } else {
            merge_row(m, I, m->col + from);
        }
        all = all && (from == to || m->col[to - 1] - m->col[from] <= UINT16_MAX);
    }
    *narrow = all;
done:
    return status;
}

/* Replaces col by offset and base. */
static gsolve_status narrow_columns(gs_bsr *m, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), m->offset, m->blocks);
    ALLOC(ctx, gs_location(ctx), m->base, m->rows);
#pragma omp parallel for schedule(static) \
    num_threads(gs_threads_for(m->entries, gsolve_threads(ctx)))
    for (int32_t I = 0; I < m->rows; I++) {
        const int64_t from = m->first[I], to = m->first[I + 1];
        m->base[I] = from < to ? m->col[from] : 0;
        for (int64_t k = from; k < to; k++) m->offset[k] = (uint16_t)(m->col[k] - m->base[I]);
    }
    gsolve_free(ctx, gs_location(ctx), m->col);
    m->col = NULL;
done:
    return status;
}

/* The work of the block rows before block row I. */
static int64_t work(const gs_bsr *m, int32_t I)
{
    return m->first[I] * m->b * m->b + (int64_t)GS_BSR_ROW_WORK * I;
}

static gsolve_status cut_tasks(gs_bsr *m, gsolve_context *ctx)
{
    int32_t I = 0;
    gsolve_status status;

    m->tasks = (int32_t)((work(m, m->rows) + GS_BSR_TASK - 1) / GS_BSR_TASK);
    ALLOC(ctx, GSOLVE_HOST, m->begin, (size_t)m->tasks + 1);
    ALLOC(ctx, GSOLVE_HOST, m->part, 2 * (size_t)m->tasks);
    for (int32_t t = 0; t < m->tasks; t++) {
        while (I < m->rows && work(m, I) < (int64_t)t * GS_BSR_TASK) I++;
        m->begin[t] = I;
    }
    m->begin[m->tasks] = m->rows;
done:
    return status;
}

static gsolve_status find_pattern(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    const size_t size = gs_type_size(m->csr.type);
    bool narrow;
    gsolve_status status;

    TRY(count_blocks(m, ctx, given));
    m->stored = m->blocks * m->b * m->b;
    TRY(fill_columns(m, ctx, given, &narrow));
    if (narrow && m->index != GS_BSR_32) TRY(narrow_columns(m, ctx));
    m->bytes =
        (size_t)m->stored * size + ((size_t)m->rows + 1) * sizeof *m->first +
        (m->offset ? (size_t)m->blocks * sizeof *m->offset + (size_t)m->rows * sizeof *m->base
                   : (size_t)m->blocks * sizeof *m->col);
    TRY(gs_bsr_fits(m, ctx));
    TRY(cut_tasks(m, ctx));
done:
    return status;
}

static void drop(gs_bsr *m, gsolve_context *ctx)
{
    void *const blocks[] = {m->first, m->col, m->offset, m->base, m->value};

    for (int k = 0; k < 5; k++) gsolve_free(ctx, gs_location(ctx), blocks[k]);
    gsolve_free(ctx, GSOLVE_HOST, m->begin);
    gsolve_free(ctx, GSOLVE_HOST, m->part);
}

#define GS_BODY "spmv/bsr/bsr_body.h"
#include "core/each_type.h"

const gs_bsr_kernels GS_LEVEL(gs_bsr_host)[GSOLVE_TYPE_COUNT] = {
    {store_f32, drop, refill_f32, spread_f32, find_bad_f32, apply_f32, multiply_f32, NULL},
    {store_f64, drop, refill_f64, spread_f64, find_bad_f64, apply_f64, multiply_f64, NULL},
};
