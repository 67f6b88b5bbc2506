/* hash_host.c: the method hash on the CPU. Each thread has a table; rows are distributed
 * dynamically. */
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "spgemm/hash/hash_table.h"

#define GS_BODY "spgemm/hash/hash_body.h"
#include "core/each_type.h"

#define ROWS 64 /* rows that a thread takes at a time */

/* Returns the products of all rows. *longest: those of the row of C that has most. */
static int64_t count_products(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                              int64_t *longest)
{
    int64_t all = 0, most = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(+ : all) \
    reduction(max : most)
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t to = gs_start(A, i + 1);
        int64_t work = 0;
        for (int64_t k = gs_start(A, i); k < to; k++) {
            work += gs_start(B, A->col[k] + 1) - gs_start(B, A->col[k]);
        }
        all += work;
        if (work > most) most = work;
    }
    *longest = most;
    return all;
}

static int32_t count_row(const gsolve_csr *A, const gsolve_csr *B, int32_t i, gs_hash_table *t)
{
    const int64_t to = gs_start(A, i + 1);

    for (int64_t k = gs_start(A, i); k < to; k++) {
        const int64_t end = gs_start(B, A->col[k] + 1);
        for (int64_t e = gs_start(B, A->col[k]); e < end; e++) gs_hash_index(t, B->col[e]);
    }
    const int32_t count = t->found;
    gs_hash_empty(t);
    return count;
}

/* *C = C with its offsets; columns and values are unset. start: nrows + 1 elements of work space.
 */
static gsolve_status make_rows(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A,
                               const gsolve_csr *B, const gs_hash_tables *tables, int64_t *start)
{
    const gsolve_location location = gs_location(ctx);
    gsolve_status status;

    start[0] = 0;
#pragma omp parallel for schedule(dynamic, ROWS) num_threads(tables->count)
    for (int32_t i = 0; i < A->nrows; i++) {
        start[i + 1] = count_row(A, B, i, &tables->table[omp_get_thread_num()]);
    }
    for (int32_t i = 0; i < A->nrows; i++) start[i + 1] += start[i];
    *C = (gsolve_csr){.nrows = A->nrows, .ncols = B->ncols, .type = A->type, .location = location};
    C->offset = start[A->nrows] > INT32_MAX ? GSOLVE_O64 : GSOLVE_O32;
    C->start = gsolve_alloc(ctx, location, (size_t)A->nrows + 1, gs_offset_size(C->offset));
    TRY(C->start ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    const gs_csr_arrays offsets = gs_csr_arrays_of(ctx, C);
    for (int32_t i = 0; i <= A->nrows; i++) gs_set_start(&offsets, i, start[i]);
    ALLOC(ctx, location, C->col, start[A->nrows]);
    C->value = gsolve_alloc(ctx, location, (size_t)start[A->nrows], gs_type_size(A->type));
    TRY(C->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

typedef void fill_row(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C, int32_t i,
                      gs_hash_table *t, void *space);

/* Columns and values of all rows. space: 2^bits sums for each thread. */
static void fill_rows(const gsolve_csr *A, const gsolve_csr *B, const gs_csr_arrays *C,
                      const gs_hash_tables *tables, char *space)
{
    const size_t bytes = gs_type_size(C->csr.type) << tables->table[0].bits;
    fill_row *const fill = C->csr.type == GSOLVE_F32 ? fill_row_f32 : fill_row_f64;

#pragma omp parallel for schedule(dynamic, ROWS) num_threads(tables->count)
    for (int32_t i = 0; i < C->csr.nrows; i++) {
        const int thread = omp_get_thread_num();
        fill(A, B, C, i, &tables->table[thread], space + (size_t)thread * bytes);
    }
}

static gsolve_status multiply(gsolve_csr *out, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B)
{
    gs_hash_tables *tables = NULL;
    gsolve_csr C = {0};
    int64_t *start = NULL, longest;
    char *space = NULL;
    gsolve_status status;

    stats->products = count_products(ctx, A, B, &longest);
    stats->bands = 1;
    TRY(gs_hash_tables_new(&tables, ctx, longest, B->ncols));
    ALLOC(ctx, GSOLVE_HOST, start, (size_t)A->nrows + 1);
    TRY(make_rows(&C, ctx, A, B, tables, start));
    space = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)tables->count << tables->table[0].bits,
                         gs_type_size(A->type));
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &C);
    fill_rows(A, B, &to, tables, space);
    *out = C;
    memset(&C, 0, sizeof C);
    if (plan) {
        *plan = tables;
        tables = NULL;
    }
done:
    C.location = gs_location(ctx);
    gsolve_csr_free(&C, ctx);
    gsolve_free(ctx, GSOLVE_HOST, space);
    gsolve_free(ctx, GSOLVE_HOST, start);
    gs_hash_tables_free(tables, ctx);
    return status;
}

static gsolve_status update(const void *plan, gsolve_context *ctx, const gsolve_csr *A,
                            const gsolve_csr *B, gsolve_csr *C)
{
    const gs_hash_tables *tables = plan;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, C);

#pragma omp parallel for schedule(dynamic, ROWS) num_threads(gs_usable_threads(tables->count))
    for (int32_t i = 0; i < C->nrows; i++) {
        gs_hash_table *t = &tables->table[omp_get_thread_num()];
        if (C->type == GSOLVE_F32) {
            update_row_f32(A, B, &to, i, t);
        } else {
            update_row_f64(A, B, &to, i, t);
        }
    }
    return GSOLVE_OK;
}

const gs_hash_kernels gs_hash_host[GSOLVE_TYPE_COUNT] = {{multiply, update, gs_hash_tables_free},
                                                         {multiply, update, gs_hash_tables_free}};
