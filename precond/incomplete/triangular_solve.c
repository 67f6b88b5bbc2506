/* triangular_solve.c: strict triangles in double precision, as work space of a factorisation, and
 * triangles stored in the order of their solve. */
#include "precond/incomplete/triangular_solve.h"

#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "vector/layout.h"

static gsolve_status new_triangle(gs_strict_triangle *out, gsolve_context *ctx, int32_t n,
                                  bool upper, int64_t entries)
{
    gs_strict_triangle t = {.n = n, .upper = upper};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t.start, (size_t)n + 1);
    ALLOC(ctx, GSOLVE_HOST, t.col, entries);
    ALLOC(ctx, GSOLVE_HOST, t.value, entries);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    gs_strict_triangle_free(&t, ctx);
    return status;
}

void gs_strict_triangle_free(gs_strict_triangle *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->start);
    gsolve_free(ctx, GSOLVE_HOST, t->col);
    gsolve_free(ctx, GSOLVE_HOST, t->value);
    memset(t, 0, sizeof *t);
}

/* The entries [*from, *to) of row i of csr above the diagonal if upper, else below it. */
static void find_side(const gsolve_csr *csr, bool upper, int32_t i, int64_t *from, int64_t *to)
{
    *from = gs_start(csr, i);
    *to = gs_start(csr, i + 1);
    if (upper) {
        while (*from < *to && csr->col[*from] <= i) ++*from;
    } else {
        while (*from < *to && csr->col[*to - 1] >= i) --*to;
    }
}

void gs_strict_triangle_reload(gs_strict_triangle *t, gsolve_context *ctx, const gsolve_csr *csr)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < t->n; i++) {
        int64_t from, to;
        find_side(csr, t->upper, i, &from, &to);
        for (int64_t k = from; k < to; k++) t->value[t->start[i] + k - from] = gs_value(csr, k);
    }
}

gsolve_status gs_strict_triangle_extract(gs_strict_triangle *out, gsolve_context *ctx,
                                         const gsolve_csr *csr, bool upper)
{
    const int32_t n = csr->nrows;
    int64_t entries = 0, from, to;
    gs_strict_triangle t;
    gsolve_status status;

    for (int32_t i = 0; i < n; i++) {
        find_side(csr, upper, i, &from, &to);
        entries += to - from;
    }
    status = new_triangle(&t, ctx, n, upper, entries);
    if (status != GSOLVE_OK) return status;
    t.start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        find_side(csr, upper, i, &from, &to);
        memcpy(t.col + t.start[i], csr->col + from, (size_t)(to - from) * sizeof *t.col);
        t.start[i + 1] = t.start[i] + to - from;
    }
    gs_strict_triangle_reload(&t, ctx, csr);
    *out = t;
    return GSOLVE_OK;
}

gsolve_status gs_strict_triangle_transpose(gs_strict_triangle *out, gsolve_context *ctx,
                                           const gs_strict_triangle *A)
{
    const int32_t n = A->n;
    gs_strict_triangle B;
    gsolve_status status = new_triangle(&B, ctx, n, !A->upper, A->start[n]);

    if (status != GSOLVE_OK) return status;
    memset(B.start, 0, ((size_t)n + 1) * sizeof *B.start);
    for (int64_t k = 0; k < A->start[n]; k++) B.start[A->col[k] + 1]++;
    for (int32_t i = 0; i < n; i++) B.start[i + 1] += B.start[i];
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            const int64_t at = B.start[A->col[k]]++;
            B.col[at] = i;
            B.value[at] = A->value[k];
        }
    }
    memmove(B.start + 1, B.start,
            (size_t)n * sizeof *B.start); /* each start[i] has become start[i + 1] */
    B.start[0] = 0;
    *out = B;
    return GSOLVE_OK;
}

/* --- stored triangles ------------------------------------------------------------------------- */

void gs_triangle_destroy(gs_triangle *t, gsolve_context *ctx)
{
    if (t->vendor) GS_KERNELS(gs_triangle, ctx, t->rows.type)->drop(t, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, t->batch);
    gs_schedule_destroy(&t->schedule, ctx);
    gsolve_csr_free(&t->rows, ctx);
    memset(t, 0, sizeof *t);
}

/* The row at a position of the stored order. */
static int32_t row_at(const gs_triangle *t, int32_t place)
{
    if (t->schedule.row) return t->schedule.row[place];
    return t->upper ? t->rows.nrows - 1 - place : place;
}

/* The position in T of entry k of stored row i. The entries of upper rows are reversed, so that the
 * column that is solved last comes last in both triangles. */
static int64_t entry_of(const gs_strict_triangle *T, int32_t i, int64_t k)
{
    return T->upper ? T->start[i + 1] - 1 - k : T->start[i] + k;
}

gsolve_status gs_triangle_create(gs_triangle *out, gsolve_context *ctx, gsolve_type type,
                                 const gs_strict_triangle *T)
{
    gs_triangle t = {.upper = T->upper};
    int64_t at = 0;
    gsolve_status status;

    TRY(gs_schedule_create(&t.schedule, ctx, T->upper, T->n, T->start, T->col));
    TRY(gs_csr_new(&t.rows, ctx, T->n, T->n, T->start[T->n], type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &t.rows);
    for (int32_t place = 0; place < T->n; place++) {
        const int32_t i = row_at(&t, place);
        const int64_t length = T->start[i + 1] - T->start[i];
        gs_set_start(&to, place, at);
        for (int64_t k = 0; k < length; k++) to.col[at + k] = T->col[entry_of(T, i, k)];
        at += length;
    }
    gs_set_start(&to, T->n, at);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    gs_triangle_destroy(&t, ctx);
    return status;
}

gsolve_status gs_triangle_fill(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *T)
{
    void *value = gs_owned_block(ctx, t->rows.value);

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t place = 0; place < T->n; place++) {
        const int32_t i = row_at(t, place);
        const int64_t from = gs_start(&t->rows, place), to = gs_start(&t->rows, place + 1);
        for (int64_t k = from; k < to; k++) {
            gs_put_value(value, t->rows.type, k, T->value[entry_of(T, i, k - from)]);
        }
    }
    const gs_triangle_kernels *kernels = GS_KERNELS(gs_triangle, ctx, t->rows.type);
    return kernels->upload ? kernels->upload(t, ctx, T) : GSOLVE_OK;
}

size_t gs_triangle_bytes(const gs_triangle *t)
{
    const size_t n = (size_t)t->rows.nrows, size = gs_type_size(t->rows.type);
    const bool has_row_numbers = t->schedule.row && !t->vendor;

    return (size_t)gs_start(&t->rows, t->rows.nrows) * (size + sizeof(int32_t)) +
           (n + 1) * gs_offset_size(t->rows.offset) + (has_row_numbers ? n * sizeof(int32_t) : 0) +
           2 * n * size;
}

/* *out = the triangle of t, in natural order. */
static gsolve_status unpack(gs_strict_triangle *out, gsolve_context *ctx, const gs_triangle *t)
{
    const int32_t n = t->rows.nrows;
    gs_strict_triangle T;
    gsolve_status status = new_triangle(&T, ctx, n, t->upper, gs_start(&t->rows, n));

    if (status != GSOLVE_OK) return status;
    T.start[0] = 0;
    for (int32_t place = 0; place < n; place++) {
        T.start[row_at(t, place) + 1] = gs_start(&t->rows, place + 1) - gs_start(&t->rows, place);
    }
    for (int32_t i = 0; i < n; i++) T.start[i + 1] += T.start[i];
    for (int32_t place = 0; place < n; place++) {
        const int64_t from = gs_start(&t->rows, place), to = gs_start(&t->rows, place + 1);
        for (int64_t k = from; k < to; k++) {
            const int64_t at = entry_of(&T, row_at(t, place), k - from);
            T.col[at] = t->rows.col[k];
            T.value[at] = gs_value(&t->rows, k);
        }
    }
    *out = T;
    return GSOLVE_OK;
}

gsolve_status gs_triangle_transpose(gs_triangle *to, gsolve_context *ctx, const gs_triangle *from)
{
    gs_strict_triangle T = {0}, transposed = {0};
    gsolve_status status;

    TRY(unpack(&T, ctx, from));
    TRY(gs_strict_triangle_transpose(&transposed, ctx, &T));
    TRY(gs_triangle_create(to, ctx, from->rows.type, &transposed));
    TRY(gs_triangle_fill(to, ctx, &transposed));
done:
    gs_strict_triangle_free(&T, ctx);
    gs_strict_triangle_free(&transposed, ctx);
    return status;
}

/* Computes the level of each row. Returns the number of levels. */
static int32_t find_levels(const gs_triangle *t, int32_t *level)
{
    int32_t count = 0;

    for (int32_t place = 0; place < t->rows.nrows; place++) {
        const int32_t i = row_at(t, place);
        level[i] = 0;
        for (int64_t k = gs_start(&t->rows, place); k < gs_start(&t->rows, place + 1); k++) {
            const int32_t after = level[t->rows.col[k]] + 1;
            if (after > level[i]) level[i] = after;
        }
        if (level[i] >= count) count = level[i] + 1;
    }
    return count;
}

gsolve_status gs_triangle_level_order(const gs_triangle *t, gsolve_context *ctx, int32_t *order)
{
    const int32_t n = t->rows.nrows;
    int32_t *level = NULL, *begin = NULL, levels;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, level, n);
    levels = find_levels(t, level);
    ALLOC(ctx, GSOLVE_HOST, begin, (int64_t)levels + 1);
    memset(begin, 0, ((size_t)levels + 1) * sizeof *begin);
    for (int32_t i = 0; i < n; i++) begin[level[i] + 1]++;
    for (int32_t l = 0; l < levels; l++) begin[l + 1] += begin[l];
    for (int32_t i = 0; i < n; i++) order[begin[level[i]]++] = i;
done:
    gsolve_free(ctx, GSOLVE_HOST, level);
    gsolve_free(ctx, GSOLVE_HOST, begin);
    return status;
}

/* --- solves ----------------------------------------------------------------------------------- */

static gsolve_status solve_one(const gs_triangle *first, const gs_triangle *second,
                               gsolve_context *ctx, const void *d, gsolve_dense r, gsolve_dense z)
{
    const gs_triangle_kernels *kernels = GS_KERNELS(gs_triangle, ctx, first->rows.type);
    gsolve_status status;

    TRY(kernels->solve(ctx->queue, first, NULL, 1, 1, r.value, z.value));
    TRY(kernels->solve(ctx->queue, second, d, 1, 1, z.value, z.value));
done:
    return status;
}

static gsolve_dense row_major_view(gsolve_dense v, int32_t stride, void *value)
{
    v.layout = GSOLVE_ROW_MAJOR;
    v.stride = stride;
    v.value = value;
    return v;
}

/* Solves for several columns, with `stride` numbers from row to row in the work space. */
static gsolve_status solve_several(const gs_triangle *first, const gs_triangle *second,
                                   gsolve_context *ctx, const void *d, int32_t stride,
                                   gsolve_dense r, gsolve_dense z)
{
    const gs_triangle_kernels *kernels = GS_KERNELS(gs_triangle, ctx, first->rows.type);
    const size_t bytes = (size_t)r.nrows * GS_TRIANGLE_COLUMNS * gs_type_size(r.type);
    void *a = first->batch, *b = (char *)first->batch + bytes;
    gsolve_status status;

    TRY(gs_change_layout(ctx, r, row_major_view(r, stride, a)));
    TRY(kernels->solve(ctx->queue, first, NULL, r.ncols, stride, a, b));
    TRY(kernels->solve(ctx->queue, second, d, r.ncols, stride, b, a));
    TRY(gs_change_layout(ctx, row_major_view(r, stride, a), z));
done:
    return status;
}

/* The number of columns of the next solve, a power of two, if this many are left. */
static int32_t next_stride(int32_t left, bool pads)
{
    int32_t stride = 1;

    while (stride < GS_TRIANGLE_COLUMNS && (pads ? stride < left : 2 * stride <= left)) stride *= 2;
    return stride;
}

gsolve_status gs_triangle_solve_pair(gs_triangle *first, const gs_triangle *second,
                                     gsolve_context *ctx, const void *d, gsolve_dense r,
                                     gsolve_dense z)
{
    const bool pads = GS_KERNELS(gs_triangle, ctx, first->rows.type)->pads;
    const size_t numbers = 2 * (size_t)r.nrows * GS_TRIANGLE_COLUMNS;
    gsolve_status status = GSOLVE_OK;

    if (r.ncols > 1 && !first->batch) {
        first->batch = gsolve_alloc(ctx, GSOLVE_DEVICE, numbers, gs_type_size(r.type));
        TRY(first->batch ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    for (int32_t c = 0, stride; c < r.ncols; c += stride) {
        gsolve_dense in = gs_column_of(r, c), out = gs_column_of(z, c);
        stride = next_stride(r.ncols - c, pads);
        in.ncols = out.ncols = r.ncols - c < stride ? r.ncols - c : stride;
        if (in.ncols == 1) {
            TRY(solve_one(first, second, ctx, d, in, out));
        } else {
            TRY(solve_several(first, second, ctx, d, stride, in, out));
        }
    }
done:
    return status;
}
