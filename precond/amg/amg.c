/* amg.c: the preconditioner amg, algebraic multigrid. One application is a cycle (cycle.c) over the
 * levels of a hierarchy (hierarchy.c), whose value type setup.c chooses. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "precond/amg/amg.h"
#include "precond/amg/cycle.h"
#include "precond/amg/distributed/distributed.h"
#include "precond/handle.h"

typedef gs_amg_state amg;

/* --- creation --------------------------------------------------------------------------------- */

void gs_amg_destroy(void *self, gsolve_context *ctx)
{
    amg *M = self;

    gs_hierarchy_destroy(M->S.h, ctx);
    gsolve_csr_free(&M->matrix, ctx);
    gsolve_dist_csr_free(&M->given, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

/* *csr = a view of the matrix that M was built from, on the device; csr->start is NULL if there is
 * no memory to restore it. */
static void rows(const void *self, gsolve_csr *csr)
{
    const amg *M = self;
    const bool restored = !M->S.h || gs_hierarchy_restore_rows(M->S.h) == GSOLVE_OK;

    *csr = M->S.h ? M->S.h->level[0].rows : M->matrix;
    if (!restored) csr->start = NULL;
}

static void release_rows(const void *self)
{
    const amg *M = self;

    if (M->S.h) gs_hierarchy_release_rows(M->S.h);
}

gsolve_status gs_amg_check_options(gsolve_context *ctx, const gs_amg_options *o)
{
    if (o->pre + o->post > 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "amg,pre=0,post=0 smooths nothing; set pre or post to at least 1");
}

/* *out = a handle for csr without levels; it may also be set on failure. */
static gsolve_status create(amg **out, gsolve_context *ctx, const gsolve_csr *csr,
                            const void *chosen)
{
    amg *M;
    gsolve_status status;

    TRY(gs_amg_check_options(ctx, chosen));
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    *out = M;
    M->S.options = *(const gs_amg_options *)chosen;
    M->S.type = csr->type;
    TRY(gs_csr_entries(ctx, csr, &M->S.entries));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen, void *user)
{
    amg *M = NULL;
    gsolve_status status;

    (void)user;
    TRY(create(&M, ctx, csr, chosen));
    if (M->S.options.near_null == GS_AMG_GIVEN) {
        TRY(gs_csr_move(&M->matrix, ctx, csr->location, csr));
    } else {
        TRY(gs_amg_set_up_constants(&M->S, ctx, (gs_amg_matrix){.csr = csr}));
    }
    *self = M;
    M = NULL;
done:
    if (M) gs_amg_destroy(M, ctx);
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

#define SET_UP_CYCLES 8    /* a set-up costs about as much time as this many cycles */
#define SLOWER        1.25 /* a solve is slow if it takes this many times its first cycles */

/* *cycles = the mean number of cycles per solve since the last update. On a GPU the device counts
 * them, because the host does not see the cycles of a recorded CUDA graph. */
static gsolve_status count_cycles(const amg *M, gsolve_context *ctx, double *cycles)
{
    const double solves = M->solves > 0 ? (double)M->solves : 1;
    const int64_t *count = M->S.h->coarsest.count;
    int64_t visits = 0;
    gsolve_status status = GSOLVE_OK;

    *cycles = (double)M->cycles / solves;
    if (!count) return GSOLVE_OK; /* no GPU */
    TRY(gsolve_copy(ctx, &visits, GSOLVE_HOST, count, gs_location(ctx), sizeof visits));
    *cycles = (double)visits / (double)gs_cycle_visits(M->S.h) / solves;
done:
    return status;
}

/* *rebuild: whether an update rebuilds the levels: reuse=rebuild, or the solves with the old values
 * took so many more cycles than after the last set-up that a new set-up pays off. */
static gsolve_status choose_rebuild(amg *M, gsolve_context *ctx, bool *rebuild)
{
    double cycles = 0;
    gsolve_status status = GSOLVE_OK;

    *rebuild = M->S.options.reuse == GS_AMG_REBUILD;
    if (M->S.options.reuse != GS_AMG_REUSE_AUTO || gs_hierarchy_levels(M->S.h) == 1)
        return GSOLVE_OK;
    TRY(count_cycles(M, ctx, &cycles));
    if (!M->structure_kept) M->first = cycles;
    if (cycles == 0 || M->first == 0 || !M->structure_kept) return GSOLVE_OK; /* cannot compare */
    *rebuild = cycles > SLOWER * M->first && cycles > M->first + SET_UP_CYCLES;
    if (*rebuild) {
        snprintf(M->rebuild_note, sizeof M->rebuild_note,
                 ", levels rebuilt: %.0f cycles per solve, %.0f at first", cycles, M->first);
        gs_log(ctx, "amg%s", M->rebuild_note);
    }
done:
    return status;
}

gsolve_status gs_amg_update_levels(amg *M, gsolve_context *ctx, gs_amg_matrix A)
{
    bool rebuild = false;
    gsolve_status status;

    M->rebuild_note[0] = 0;
    TRY(choose_rebuild(M, ctx, &rebuild));
    if (rebuild) {
        TRY(gs_amg_set_up_again(&M->S, ctx, A));
    } else if (A.rows) {
        TRY(gs_hierarchy_update_over_ranks(M->S.h, ctx, A.rows));
    } else {
        TRY(gs_hierarchy_update(M->S.h, ctx, A.csr));
    }
    M->structure_kept = !rebuild;
    M->rebuilds += rebuild;
    M->cycles = M->solves = 0;
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    amg *M = self;

    if (M->S.h) return gs_amg_update_levels(M, ctx, (gs_amg_matrix){.csr = csr});
    return gsolve_copy(ctx, gs_owned_block(ctx, M->matrix.value), M->matrix.location, csr->value,
                       csr->location, (size_t)M->S.entries * gs_type_size(csr->type));
}

/* --- near-null vectors from the caller -------------------------------------------------------- */

static int32_t size_of(const amg *M)
{
    if (M->S.h) return M->S.h->level[0].rows.nrows;
    return M->comm ? M->given.rows.count : M->matrix.nrows;
}

/* Sets M up with vectors or coordinates v. */
static gsolve_status set_up_with(amg *M, gsolve_context *ctx, gsolve_dense v,
                                 gsolve_status (*set_up)(gs_amg_setup *, gsolve_context *,
                                                         gs_amg_matrix, gsolve_dense))
{
    gs_amg_matrix A = {0};
    gsolve_csr csr;
    gsolve_status status;

    if (M->comm) {
        A.rows = M->S.h ? gs_rank_rows_of_levels(M->S.h) : &M->given;
    } else {
        rows(M, &csr);
        A.csr = &csr;
        TRY(csr.start ? GSOLVE_OK : GSOLVE_NO_MEMORY); /* for the restored rows */
    }
    TRY(set_up(&M->S, ctx, A, v));
    gsolve_csr_free(&M->matrix, ctx);
    gsolve_dist_csr_free(&M->given, ctx);
done:
    return status;
}

static gsolve_status near_null(void *self, gsolve_context *ctx, gsolve_dense v)
{
    amg *M = self;

    if (v.nrows != size_of(M) || v.ncols > GS_AMG_MAX_NEAR_NULL) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the near-null vectors are %d x %d; they must have the matrix's %d rows, and at "
            "most %d columns",
            v.nrows, v.ncols, size_of(M), GS_AMG_MAX_NEAR_NULL);
    }
    return set_up_with(M, ctx, v, gs_amg_set_up_near_null);
}

static gsolve_status coordinates(void *self, gsolve_context *ctx, gsolve_dense xyz)
{
    amg *M = self;

    if ((int64_t)xyz.nrows * xyz.ncols != size_of(M) || xyz.ncols < 2 || xyz.ncols > 3) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the coordinates are %d x %d, and the matrix has %d rows; give 2 or 3 coordinates "
            "per node, with nodes times coordinates equal to the rows",
            xyz.nrows, xyz.ncols, size_of(M));
    }
    return set_up_with(M, ctx, xyz, gs_amg_set_up_coordinates);
}

/* See gs_precond_extension. Levels that are built later get the dimension from the options. */
static gsolve_status null_space(void *self, gsolve_context *ctx, int32_t dimension)
{
    amg *M = self;

    M->S.options.null_space = dimension;
    return M->S.h ? gs_hierarchy_set_null_space(M->S.h, ctx, dimension) : GSOLVE_OK;
}

/* --- application ------------------------------------------------------------------------------ */

static gsolve_status begin_apply(amg *M, gsolve_context *ctx, int32_t columns)
{
    if (!M->S.h) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "amg,near_null=given has no near-null vectors yet; call "
                           "gsolve_precond_set_near_null or gsolve_precond_set_coordinates first");
    }
    M->cycles += columns;
    return GSOLVE_OK;
}

static gsolve_status apply_columns(amg *M, gsolve_context *ctx, bool transposed, gsolve_dense r,
                                   gsolve_dense z)
{
    gsolve_status status;

    TRY(begin_apply(M, ctx, r.ncols));
    TRY(gs_hierarchy_apply(M->S.h, ctx, transposed, r, z));
done:
    return status;
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z,
                               double *rz)
{
    amg *M = self;
    gsolve_status status;

    TRY(begin_apply(M, ctx, 1));
    TRY(gs_hierarchy_apply_dot(M->S.h, ctx, r, z, rz));
done:
    return status;
}

static void begin_solve(void *self, int32_t columns)
{
    amg *M = self;

    M->solves += columns;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return apply_columns(self, ctx, false, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    amg *M = self;

    if (M->S.options.cycle == GS_AMG_K) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "amg,cycle=k is not a linear map and has no transpose; choose cycle=v or cycle=w");
    }
    return apply_columns(M, ctx, true, r, z);
}

/* --- files ------------------------------------------------------------------------------------ */

static gsolve_status save(const void *self, gsolve_context *ctx, gs_saving *file)
{
    const amg *M = self;
    const gs_amg_updates updates = {M->first, M->structure_kept};

    if (M->S.h) return gs_amg_save(&M->S, updates, ctx, file);
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "amg,near_null=given has no near-null vectors yet, so there are no levels "
                       "to save; call gsolve_precond_set_near_null or "
                       "gsolve_precond_set_coordinates first");
}

static gsolve_status load(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                          const gsolve_csr *rows_on_host, const void *chosen, gs_loading *file)
{
    gs_amg_updates updates;
    amg *M = NULL;
    gsolve_status status;

    TRY(create(&M, ctx, csr, chosen));
    TRY(gs_amg_load(&M->S, &updates, ctx, csr, rows_on_host, file));
    M->first = updates.first;
    M->structure_kept = updates.structure_kept;
    *self = M;
    M = NULL;
done:
    if (M) gs_amg_destroy(M, ctx);
    return status;
}

/* --- description ------------------------------------------------------------------------------ */

static bool level(const void *self, int index, gsolve_level_info *info)
{
    const gs_level *l = gs_hierarchy_level(((const amg *)self)->S.h, index);
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    if (!l) return false;
    gsolve_matrix_describe(l->A, &A);
    *info = (gsolve_level_info){.rows = A.nrows,
                                .entries = A.entries,
                                .type = A.type,
                                .bytes = A.bytes,
                                .total_rows = A.total_rows,
                                .total_entries = A.total_entries};
    info->mean_row = A.nrows > 0 ? (double)A.entries / A.nrows : 0;
    memcpy(info->form, A.form, sizeof info->form);
    return true;
}

static bool is_variable(const void *self)
{
    return ((const amg *)self)->S.options.cycle == GS_AMG_K;
}

/* Appends to note, and truncates it at its end. */
static void append(char note[160], const char *format, ...)
{
    const size_t length = strlen(note);
    va_list words;

    va_start(words, format);
    vsnprintf(note + length, 160 - length, format, words);
    va_end(words);
}

static void describe(const void *self, gsolve_precond_info *info)
{
    const amg *M = self;
    const gs_hierarchy *h = M->S.h, *last = h && h->coarse ? h->coarse->h : h;

    info->rebuilds = M->rebuilds;
    if (!h) {
        append(info->note, "waits for near-null vectors");
        return;
    }
    const int levels = gs_hierarchy_levels(h);
    if (levels == 1 && (last->coarsest.factors || last->coarsest.inverse)) {
        append(info->note, "1 level: the matrix is small enough for a direct solve");
    } else {
        append(info->note, "%d level%s, operator complexity %.2f, grid complexity %.2f", levels,
               levels > 1 ? "s" : "", gs_hierarchy_operator_complexity(h),
               gs_hierarchy_grid_complexity(h));
    }
    if (last != h) append(info->note, ", %d on every rank", last->levels);
    if (h->smoother == &gs_amg_block_smoother && h->level[0].smoother) {
        append(info->note, ", each rank smooths its own rows");
    }
    if (h->type != M->S.type) append(info->note, ", in single precision");
    const int harder = h->harder + (last != h ? last->harder : 0);
    if (harder > 0) append(info->note, ", %d coarsened harder", harder);
    if (last->coarsest.note[0]) append(info->note, ", %s", last->coarsest.note);
    append(info->note, "%s%s", M->S.type_note, M->rebuild_note);
    info->moved = gs_cycle_bytes(h) + 2 * (size_t)info->n * gs_type_size(M->S.type);
}

const gsolve_precond_kind gs_amg = {
    .plugin = {"amg", "algebraic multigrid, for elliptic problems of any size", gs_amg_option_table,
               sizeof(gs_amg_options)},
    .build = build,
    .destroy = gs_amg_destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .apply_dot = apply_dot,
    .update = update,
    .describe = describe,
    .is_variable = is_variable,
};

static void set_block(void *options, int32_t block)
{
    gs_amg_options *o = options;

    if (o->block == 0) o->block = block;
}

const gs_precond_extension gs_amg_extension = {
    .on_device = true,
    .set_block = set_block,
    .rows = rows,
    .release_rows = release_rows,
    .near_null = near_null,
    .coordinates = coordinates,
    .null_space = null_space,
    .level = level,
    .save = save,
    .load = load,
    .begin_solve = begin_solve,
    .set_up_over_ranks = gs_amg_set_up_over_ranks,
};
