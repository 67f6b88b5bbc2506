/* redistribution.c: another division of the rows of a distributed matrix. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/column_map.h"
#include "dist/row_range.h"
#include "dist/rows.h"
#include "partition/partition.h"
#include "partition/traffic.h"

struct gsolve_redistribution {
    gsolve_context *ctx;
    const char *name;
    gsolve_row_range old_rows, new_rows;
    gs_traffic rows, entries;
    int32_t *sent;    /* the old local rows in the order in which they go to ranks 0, 1, ... */
    gsolve_type type; /* of the values */
    int64_t given;    /* the number of entries on this rank before, */
    int64_t got;      /* and after */
    uint64_t pattern;
};

/* --- life ------------------------------------------------------------------------------------- */

static void destroy_left(void *handle)
{
    gsolve_redistribution *R = handle;

    gsolve_redistribution_destroy(&R);
}

static gsolve_status new_handle(gsolve_redistribution **out, gsolve_context *ctx, int32_t rows)
{
    gsolve_redistribution *R;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, R, 1);
    memset(R, 0, sizeof *R);
    R->ctx = ctx;
    ctx->handles++;
    gs_own(ctx, R, destroy_left);
    *out = R;
    TRY(gs_traffic_new(&R->rows, ctx));
    TRY(gs_traffic_new(&R->entries, ctx));
    ALLOC(ctx, GSOLVE_HOST, R->sent, rows);
done:
    return status;
}

void gsolve_redistribution_destroy(gsolve_redistribution **handle)
{
    gsolve_redistribution *R = handle ? *handle : NULL;

    if (!R) return;
    GS_ENTER(R->ctx);
    gs_traffic_drop(&R->rows, R->ctx);
    gs_traffic_drop(&R->entries, R->ctx);
    gsolve_free(R->ctx, GSOLVE_HOST, R->sent);
    R->ctx->handles--;
    gsolve_free(R->ctx, GSOLVE_HOST, R);
    *handle = NULL;
}

const char *gsolve_redistribution_name(const gsolve_redistribution *R)
{
    return R->name;
}

/* --- new numbers ------------------------------------------------------------------------------ */

/* R->new_rows and *first, the first new number of each rank's part. total: rows of each rank. */
static gsolve_status number_ranks(gsolve_redistribution *R, const int64_t *total, int64_t *first)
{
    int64_t next = 0;

    for (int r = 0; r < R->rows.ranks; r++) {
        if (total[r] > INT32_MAX) {
            return gsolve_fail(R->ctx, GSOLVE_UNSUPPORTED,
                               "rank %d would get %lld rows; use more ranks, so that each has "
                               "fewer than 2^31",
                               r, (long long)total[r]);
        }
        first[r] = next;
        next += total[r];
    }
    R->new_rows =
        (gsolve_row_range){first[R->rows.rank], R->old_rows.total, (int32_t)total[R->rows.rank]};
    return GSOLVE_OK;
}

/* number[i] = the new number of local row i; R->sent. next: of each part, the new number and the
 * position in R->sent of its next row. */
static void number_rows(gsolve_redistribution *R, const int32_t *part, int64_t *next,
                        int64_t *position, int64_t *number)
{
    position[0] = 0;
    for (int r = 1; r < R->rows.ranks; r++) position[r] = position[r - 1] + R->rows.out[r - 1];
    for (int32_t i = 0; i < R->old_rows.count; i++) {
        const int32_t p = part[i];
        number[i] = next[p]++;
        R->sent[position[p]++] = i;
    }
}

/* Rows go to the ranks of `part`; those of one rank keep their order. */
static gsolve_status number_all(gsolve_redistribution *R, const int32_t *part, int64_t *number)
{
    const size_t ranks = (size_t)R->rows.ranks;
    int64_t *before, *total, *first;
    gsolve_status status;

    before = gsolve_alloc(R->ctx, GSOLVE_HOST, ranks, sizeof *before);
    total = gsolve_alloc(R->ctx, GSOLVE_HOST, ranks, sizeof *total);
    first = gsolve_alloc(R->ctx, GSOLVE_HOST, ranks, sizeof *first);
    TRY(gs_comm_check(R->ctx->comm, before && total && first ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int32_t i = 0; i < R->old_rows.count; i++) R->rows.out[part[i]]++;
    TRY(gs_traffic_agree(&R->rows, R->ctx, before, total));
    TRY(number_ranks(R, total, first)); /* equal on all ranks */
    for (size_t r = 0; r < ranks; r++) first[r] += before[r];
    number_rows(R, part, first, total, number);
done:
    gsolve_free(R->ctx, GSOLVE_HOST, before);
    gsolve_free(R->ctx, GSOLVE_HOST, total);
    gsolve_free(R->ctx, GSOLVE_HOST, first);
    return status;
}

/* *ghost = the new numbers of the ghost columns of map, which their owners know. */
static gsolve_status ask_owners(int64_t **ghost, gsolve_context *ctx, const gs_column_map *map,
                                const gs_ownership *owner, const int64_t *number)
{
    int64_t count = 0, *asked = NULL;
    gs_traffic t = {0};
    gsolve_status status = gs_traffic_new(&t, ctx);

    TRY(gs_comm_check(ctx->comm, status));
    for (int32_t g = 0; g < map->ghosts; g++) t.out[gs_owner(owner, map->ghost[g])]++;
    TRY(gs_traffic_agree(&t, ctx, NULL, NULL));
    for (int r = 0; r < t.ranks; r++) count += t.in[r];
    asked = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof *asked);
    *ghost = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)map->ghosts, sizeof **ghost);
    TRY(gs_comm_check(ctx->comm, asked && *ghost ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_traffic_move(&t, ctx, false, sizeof *asked, map->ghost, asked));
    for (int64_t k = 0; k < count; k++) asked[k] = number[asked[k] - map->own.first];
    TRY(gs_traffic_move(&t, ctx, true, sizeof *asked, asked, *ghost));
done:
    gsolve_free(ctx, GSOLVE_HOST, asked);
    gs_traffic_drop(&t, ctx);
    return status;
}

/* --- the matrix ------------------------------------------------------------------------------- */

typedef struct arrays { /* of the new rows */
    int64_t *start, *col;
    char *value;
} arrays;

static void drop_arrays(arrays *a, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, a->start);
    gsolve_free(ctx, GSOLVE_HOST, a->col);
    gsolve_free(ctx, GSOLVE_HOST, a->value);
}

/* Moves the lengths of the rows: a->start. Counts R->entries and R->got. */
static gsolve_status move_lengths(gsolve_redistribution *R, const gsolve_csr *shape, arrays *a)
{
    int64_t *length, k = 0;
    int32_t row = 0;
    gsolve_status status;

    length = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)R->old_rows.count, sizeof *length);
    a->start = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)R->new_rows.count + 1, sizeof *a->start);
    TRY(gs_comm_check(R->ctx->comm, length && a->start ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int r = 0; r < R->rows.ranks; r++) {
        for (int64_t end = k + R->rows.out[r]; k < end; k++) {
            const int32_t i = R->sent[k];
            length[k] = gs_start(shape, i + 1) - gs_start(shape, i);
            R->entries.out[r] += length[k];
        }
    }
    a->start[0] = 0;
    TRY(gs_traffic_move(&R->rows, R->ctx, false, sizeof *length, length, a->start + 1));
    for (int r = 0; r < R->rows.ranks; r++) {
        const int32_t end = row + (int32_t)R->rows.in[r];
        const int64_t before = a->start[row];
        for (; row < end; row++) a->start[row + 1] += a->start[row];
        R->entries.in[r] = a->start[row] - before;
    }
    R->got = a->start[row];
done:
    gsolve_free(R->ctx, GSOLVE_HOST, length);
    return status;
}

/* Moves `size` bytes for each entry from the old rows to the new ones; `packed` has space for the
 * old entries. */
static gsolve_status move_entries(const gsolve_redistribution *R, const gsolve_csr *shape,
                                  size_t size, const void *from, char *packed, void *to)
{
    size_t at = 0;

    for (int32_t k = 0; k < R->old_rows.count; k++) {
        const int64_t begin = gs_start(shape, R->sent[k]), end = gs_start(shape, R->sent[k] + 1);
        const size_t bytes = (size_t)(end - begin) * size;
        if (bytes > 0) memcpy(packed + at, (const char *)from + (size_t)begin * size, bytes);
        at += bytes;
    }
    return gs_traffic_move(&R->entries, R->ctx, false, size, packed, to);
}

/* col[k] = the new number of the column of entry k. */
static gsolve_status number_columns(const gsolve_redistribution *R, const gsolve_dist_csr *csr,
                                    const gs_ownership *owner, const int64_t *number, int64_t *col)
{
    gs_column_map map = {0};
    int64_t *ghost = NULL;
    gsolve_status status = gs_column_map_new(&map, R->ctx, csr->rows, R->given, csr->col);

    TRY(gs_comm_check(R->ctx->comm, status));
    TRY(ask_owners(&ghost, R->ctx, &map, owner, number));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(R->ctx)) if (R->given > 10000)
    for (int64_t k = 0; k < R->given; k++) {
        const int32_t c = gs_column_compact(&map, csr->col[k]), own = c - map.below;
        if (own >= 0 && own < csr->rows.count) {
            col[k] = number[own];
        } else {
            col[k] = ghost[own < 0 ? c : c - csr->rows.count];
        }
    }
done:
    gs_column_map_drop(&map, R->ctx);
    gsolve_free(R->ctx, GSOLVE_HOST, ghost);
    return status;
}

static gsolve_status move_matrix(gsolve_redistribution *R, const gsolve_dist_csr *csr,
                                 const gsolve_csr *shape, const gs_ownership *owner,
                                 const int64_t *number, arrays *a)
{
    const size_t size = gs_type_size(csr->type), given = (size_t)R->given;
    int64_t *col = NULL;
    char *packed = NULL;
    gsolve_status status;

    TRY(move_lengths(R, shape, a));
    col = gsolve_alloc(R->ctx, GSOLVE_HOST, given, sizeof *col);
    packed = gsolve_alloc(R->ctx, GSOLVE_HOST, given, sizeof *col);
    a->col = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)R->got, sizeof *a->col);
    a->value = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)R->got, size);
    TRY(gs_comm_check(R->ctx->comm,
                      col && packed && a->col && a->value ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(number_columns(R, csr, owner, number, col));
    TRY(move_entries(R, shape, sizeof *col, col, packed, a->col));
    TRY(move_entries(R, shape, size, csr->value, packed, a->value));
done:
    gsolve_free(R->ctx, GSOLVE_HOST, col);
    gsolve_free(R->ctx, GSOLVE_HOST, packed);
    return status;
}

/* --- create ----------------------------------------------------------------------------------- */

/* What a rank checks alone; *shape = the offsets of csr. */
static gsolve_status check_matrix(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                  gsolve_csr *shape)
{
    const gsolve_row_range rows = csr->rows, cols = csr->cols;
    gsolve_status status;

    if (rows.first != cols.first || rows.count != cols.count || rows.total != cols.total) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_redistribution_create needs a square matrix whose columns are "
                           "divided as its rows; this rank owns the rows from %lld to %lld and the "
                           "columns from %lld to %lld",
                           (long long)rows.first, (long long)rows.first + rows.count - 1,
                           (long long)cols.first, (long long)cols.first + cols.count - 1);
    }
    TRY(gs_dist_shape(shape, ctx, csr));
    TRY(gs_dist_check_entries(ctx, csr, shape));
done:
    return status;
}

/* *R and *a by one way to divide: `by`, or blocks if it is NULL. */
static gsolve_status redistribute(gsolve_redistribution **out, arrays *a, gsolve_context *ctx,
                                  const gs_partitioner *by, const gsolve_dist_csr *csr,
                                  const gsolve_csr *shape)
{
    const size_t rows = (size_t)csr->rows.count;
    gs_ownership owner = {0};
    gsolve_redistribution *R = NULL;
    int64_t *number;
    int32_t *part;
    gsolve_status status;

    number = gsolve_alloc(ctx, GSOLVE_HOST, rows, sizeof *number);
    part = gsolve_alloc(ctx, GSOLVE_HOST, rows, sizeof *part);
    status = new_handle(&R, ctx, csr->rows.count);
    if (!number || !part) status = GSOLVE_NO_MEMORY;
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_ownership_new(&owner, ctx, &csr->rows, "rows"));
    R->name = by ? by->name : "blocks";
    R->old_rows = csr->rows;
    R->type = csr->type;
    R->given = gs_start(shape, shape->nrows);
    R->pattern = gs_dist_pattern(ctx, shape, csr->col);
    TRY(by ? gs_divide_graph(part, ctx, by, csr, shape) : gs_divide_blocks(part, ctx, shape));
    TRY(number_all(R, part, number));
    TRY(move_matrix(R, csr, shape, &owner, number, a));
    *out = R;
    R = NULL;
done:
    gs_ownership_drop(&owner, ctx);
    gsolve_free(ctx, GSOLVE_HOST, number);
    gsolve_free(ctx, GSOLVE_HOST, part);
    gsolve_redistribution_destroy(&R);
    return status;
}

static gsolve_dist_csr matrix_of(const gsolve_redistribution *R, const arrays *a)
{
    return (gsolve_dist_csr){.rows = R->new_rows,
                             .cols = R->new_rows,
                             .start = a->start,
                             .col = a->col,
                             .value = a->value,
                             .offset = GSOLVE_O64,
                             .type = R->type,
                             .location = GSOLVE_HOST};
}

/* *few: the division has at most one ghost for ten rows. */
static gsolve_status has_few_ghosts(gsolve_context *ctx, const gsolve_redistribution *R,
                                    const arrays *a, bool *few)
{
    gsolve_division_info info = GSOLVE_INIT(gsolve_division_info);
    const gsolve_dist_csr csr = matrix_of(R, a);
    const gsolve_status status = gsolve_dist_csr_division(ctx, &csr, &info);

    *few = info.ghosts * 10 <= info.rows;
    return status;
}

static gsolve_status create(gsolve_redistribution **out, gsolve_context *ctx, const char *spec,
                            const gsolve_dist_csr *csr, gsolve_dist_csr *redistributed)
{
    const bool automatic = strcmp(spec, "auto") == 0;
    const gs_partitioner *by = NULL;
    gsolve_redistribution *R = NULL;
    gsolve_csr shape = {0};
    arrays a = {0};
    bool few = true;
    gsolve_status status = check_matrix(ctx, csr, &shape);

    if (status == GSOLVE_OK) status = gs_partitioner_named(&by, ctx, spec);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_same(ctx->comm, gs_hash(ctx, spec, strlen(spec), (uint64_t)csr->type),
                     "the spec and the value type of the redistribution"));
    TRY(redistribute(&R, &a, ctx, by, csr, &shape));
    if (automatic && gs_partitioner_built()) TRY(has_few_ghosts(ctx, R, &a, &few));
    if (!few) {
        gsolve_redistribution_destroy(&R);
        drop_arrays(&a, ctx);
        a = (arrays){0};
        TRY(redistribute(&R, &a, ctx, gs_partitioner_built(), csr, &shape));
    }
    *redistributed = matrix_of(R, &a);
    *out = R;
    R = NULL;
    a = (arrays){0};
done:
    gsolve_redistribution_destroy(&R);
    drop_arrays(&a, ctx);
    return status;
}

gsolve_status gsolve_redistribution_create(gsolve_redistribution **R, gsolve_context *ctx,
                                           const char *spec, const gsolve_dist_csr *csr,
                                           gsolve_dist_csr *redistributed)
{
    gsolve_dist_csr own;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = R && spec && csr && redistributed && csr->start && csr->rows.count >= 0 &&
                     csr->location == GSOLVE_HOST && (unsigned)csr->type < GSOLVE_TYPE_COUNT
                 ? GSOLVE_OK
                 : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                               "gsolve_redistribution_create: an argument is NULL, or csr has no "
                               "offsets, an unknown type, or is not on the host");
    TRY(gs_comm_check(ctx->comm, status));
    own = gs_dist_complete(csr);
    TRY(create(R, ctx, spec, &own, redistributed));
done:
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

static gsolve_status check_update(const gsolve_redistribution *R, const gsolve_dist_csr *csr,
                                  const gsolve_dist_csr *to, gsolve_csr *shape)
{
    gsolve_status status;

    if (!csr || !csr->start || csr->location != GSOLVE_HOST || !to || to->location != GSOLVE_HOST ||
        (R->got > 0 && !to->value)) {
        return gsolve_fail(R->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_redistribution_update: a matrix is NULL, has no arrays, or is "
                           "not on the host");
    }
    if (csr->rows.first == R->old_rows.first && csr->rows.count == R->old_rows.count &&
        csr->type == R->type && to->type == R->type) {
        TRY(gs_dist_shape(shape, R->ctx, csr));
        if (gs_start(shape, shape->nrows) == R->given && (R->given == 0 || csr->col) &&
            gs_dist_pattern(R->ctx, shape, csr->col) == R->pattern) {
            const gsolve_dist_csr own = gs_dist_complete(csr);
            return gs_dist_check_entries(R->ctx, &own, shape);
        }
    }
    status = gsolve_fail(R->ctx, GSOLVE_BAD_MATRIX,
                         "the new rows have another pattern or type than those of the "
                         "redistribution; create a new one for them");
done:
    return status;
}

gsolve_status gsolve_redistribution_update(const gsolve_redistribution *R,
                                           const gsolve_dist_csr *csr,
                                           const gsolve_dist_csr *redistributed)
{
    gsolve_csr shape = {0};
    char *packed = NULL;
    gsolve_status status;

    if (!R) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(R->ctx);
    status = check_update(R, csr, redistributed, &shape);
    if (status == GSOLVE_OK) {
        packed = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)R->given, gs_type_size(R->type));
        if (!packed) status = GSOLVE_NO_MEMORY;
    }
    TRY(gs_comm_check(R->ctx->comm, status));
    TRY(move_entries(R, &shape, gs_type_size(R->type), csr->value, packed,
                     (void *)(uintptr_t)redistributed->value));
done:
    gsolve_free(R->ctx, GSOLVE_HOST, packed);
    return status;
}

/* --- vectors ---------------------------------------------------------------------------------- */

static gsolve_status check_vector(const gsolve_redistribution *R, gsolve_dense v, int32_t rows,
                                  const char *name)
{
    if (v.nrows == rows && v.ncols > 0 && (rows == 0 || v.value) && gs_stride_fits(v) &&
        (unsigned)v.type < GSOLVE_TYPE_COUNT && gs_reachable(R->ctx, v.location)) {
        return GSOLVE_OK;
    }
    return gsolve_fail(R->ctx, GSOLVE_BAD_ARGUMENT,
                       "gsolve_redistribution_apply: '%s' is %d x %d; it needs %d rows, a column, "
                       "values, a known type, a stride that fits, and a location that the context "
                       "reaches",
                       name, v.nrows, v.ncols, rows);
}

/* Copies row i of v to `row`, contiguous, or back. */
static void copy_row(gsolve_dense v, int32_t i, char *row, bool to_v)
{
    const size_t size = gs_type_size(v.type);
    const bool rows = v.layout == GSOLVE_ROW_MAJOR;

    for (int32_t c = 0; c < v.ncols; c++) {
        char *at = (char *)v.value + (size_t)(rows ? i * v.stride + c : c * v.stride + i) * size;
        memcpy(to_v ? at : row + (size_t)c * size, to_v ? row + (size_t)c * size : at, size);
    }
}

/* Copies all rows between v and `packed`. order: NULL, or row k of packed is row order[k] of v. */
static void copy_rows(gsolve_dense v, const int32_t *order, char *packed, bool to_v)
{
    const size_t width = (size_t)v.ncols * gs_type_size(v.type);

    for (int32_t k = 0; k < v.nrows; k++) {
        copy_row(v, order ? order[k] : k, packed + (size_t)k * width, to_v);
    }
}

/* `from` and `to` are on the host. */
static gsolve_status move_vectors(const gsolve_redistribution *R, bool back, gsolve_dense from,
                                  gsolve_dense to, char *packed, char *received)
{
    const size_t width = (size_t)from.ncols * gs_type_size(from.type);
    gsolve_status status;

    copy_rows(from, back ? NULL : R->sent, packed, false);
    TRY(gs_traffic_move(&R->rows, R->ctx, back, width, packed, received));
    copy_rows(to, back ? R->sent : NULL, received, true);
done:
    return status;
}

static gsolve_status check_vectors(const gsolve_redistribution *R, bool back, gsolve_dense from,
                                   gsolve_dense to)
{
    const int32_t old_rows = R->old_rows.count, new_rows = R->new_rows.count;
    gsolve_status status;

    TRY(check_vector(R, from, back ? new_rows : old_rows, "from"));
    TRY(check_vector(R, to, back ? old_rows : new_rows, "to"));
    if (from.ncols != to.ncols || from.type != to.type) {
        status = gsolve_fail(R->ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_redistribution_apply: 'from' has %d columns and 'to' %d; both "
                             "need as many, and the same type",
                             from.ncols, to.ncols);
    }
done:
    return status;
}

gsolve_status gsolve_redistribution_apply(const gsolve_redistribution *R, bool back,
                                          gsolve_dense from, gsolve_dense to)
{
    gs_stage in = {0}, out = {0};
    char *packed = NULL, *received = NULL;
    gsolve_status status;

    if (!R) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(R->ctx);
    status = check_vectors(R, back, from, to);
    if (status == GSOLVE_OK) {
        const size_t width = (size_t)from.ncols * gs_type_size(from.type);
        packed = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)from.nrows, width);
        received = gsolve_alloc(R->ctx, GSOLVE_HOST, (size_t)to.nrows, width);
        status = packed && received ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    }
    if (status == GSOLVE_OK) status = gs_stage_in(&in, R->ctx, GSOLVE_HOST, from, true);
    if (status == GSOLVE_OK) status = gs_stage_in(&out, R->ctx, GSOLVE_HOST, to, false);
    TRY(gs_comm_check(R->ctx->comm, status));
    TRY(gs_comm_same(R->ctx->comm, (uint64_t)from.ncols * 4 + (uint64_t)from.type * 2 + back,
                     "the columns, the type and the direction of gsolve_redistribution_apply"));
    TRY(move_vectors(R, back, in.used, out.used, packed, received));
    TRY(gs_stage_out(&out, R->ctx));
done:
    gs_stage_drop(&in, R->ctx);
    gs_stage_drop(&out, R->ctx);
    gsolve_free(R->ctx, GSOLVE_HOST, packed);
    gsolve_free(R->ctx, GSOLVE_HOST, received);
    return status;
}
