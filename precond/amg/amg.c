/* amg.c: algebraic multigrid: its options, its set-up, what it tells. One application is a cycle
 * over levels (cycle.c) that are made of the matrix (hierarchy.c), and held in single precision
 * where that is enough. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/sample.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/amg/hierarchy.h"
#include "precond/amg/kernels.h"
#include "precond/handle.h"
#include "vector/vector.h"

enum { CONSTANTS, GIVEN }; /* gs_amg_options.near_null */

typedef struct amg {
    gs_amg_options options;
    gs_hierarchy *h;    /* NULL while near-null vectors are waited for */
    gsolve_csr waiting; /* the matrix, then */
    gsolve_type type;   /* of the matrix and the vectors it is applied to */
    int64_t entries;
    int64_t applied; /* applications since the values came */
    int64_t runs;    /* solves of a column since then */
    double first;    /* applications of a solve after the last set-up */
    bool kept;       /* the values came by an update that kept the structure */
    char judged[80]; /* why the type is not single precision, or "" */
    char reused[96]; /* why the last update made the levels anew, or "" */
} amg;

#define MEMBER(name) offsetof(gs_amg_options, name)

static const gsolve_option options[] = {
    {"coarsening",
     "how levels are coarsened: by smoothed aggregates, by unsmoothed ones of pairs, "
     "which want cycle=k, or to some of the unknowns, from which the others are interpolated",
     GSOLVE_CHOICE, MEMBER(coarsening), 0, 0, 0, "sa|ua|classical"},
    {"strength",
     "sa: |a_ij| > strength sqrt(a_ii a_jj) is a strong connection; ua, classical: that "
     "share of the row's strongest; negative: as suits",
     GSOLVE_REAL, MEMBER(strength), -1, -1, 1, NULL},
    {"aggregation", "sa: how roots of aggregates are chosen; auto: greedy on the CPU, else mis2",
     GSOLVE_CHOICE, MEMBER(aggregation), 0, 0, 0, "auto|greedy|mis2"},
    {"block", "unknowns a node; 0: found in the pattern", GSOLVE_INT, MEMBER(block), 0, 0, 64,
     NULL},
    {"pairings", "ua: aggregates of at most 2 to this power", GSOLVE_INT, MEMBER(pairings), 3, 1,
     10, NULL},
    {"damping",
     "sa: of the step that smooths P, over the spectral radius; 0: none; negative: as suits",
     GSOLVE_REAL, MEMBER(damping), -1, -1, 2, NULL},
    {"interpolation", "classical: from all points at a distance of one or two, or from one",
     GSOLVE_CHOICE, MEMBER(interpolation), GS_EXTENDED_I, 0, 0, "extended_i|one_point"},
    {"aggressive", "classical: first levels that are coarsened twice at once", GSOLVE_INT,
     MEMBER(aggressive), 0, 0, GS_AMG_MOST_LEVELS, NULL},
    {"most", "classical: entries of a row of P; 0: any", GSOLVE_INT, MEMBER(most), 4, 0, 1000,
     NULL},
    {"truncate", "classical: entries of P below that share of the row's largest are dropped",
     GSOLVE_REAL, MEMBER(truncate), 0, 0, 1, NULL},
    {"smoother",
     "what smooths the error on each level; auto: chebyshev, where A is not symmetric "
     "gs on the CPU and l1_jacobi on a GPU",
     GSOLVE_CHOICE, MEMBER(smoother), 0, 0, 0, "auto|l1_jacobi|chebyshev|spai0|gs|ilu"},
    {"pre", "sweeps before the coarse level", GSOLVE_INT, MEMBER(pre), 1, 0, 100, NULL},
    {"post", "sweeps after it; cg needs as many as before", GSOLVE_INT, MEMBER(post), 1, 0, 100,
     NULL},
    {"omega", "of l1_jacobi: times the division; below 0.01: as suits", GSOLVE_REAL, MEMBER(omega),
     0, 0, 1.99, NULL},
    {"degree",
     "steps of a sweep: of chebyshev and l1_jacobi products, of ilu on a GPU those of a triangle's "
     "solve; 0: as suits",
     GSOLVE_INT, MEMBER(degree), 0, 0, 100, NULL},
    {"ratio", "of chebyshev: it is small on [most / ratio, most] of the spectrum", GSOLVE_REAL,
     MEMBER(ratio), 8, 1.1, 1e6, NULL},
    {"its",
     "power iterations for the largest eigenvalue, of chebyshev (0: bounded by sums of rows) and "
     "of "
     "ilu on a GPU (0: not looked at); negative: as suits",
     GSOLVE_INT, MEMBER(its), -1, -1, 1000, NULL},
    {"cycle",
     "each level visits the next once, twice, or by two steps of a method of its own; "
     "auto: twice where that is cheap",
     GSOLVE_CHOICE, MEMBER(cycle), GS_AMG_CYCLE_AUTO, 0, 0, "auto|v|w|k"},
    {"levels", "at most", GSOLVE_INT, MEMBER(levels), 25, 1, GS_AMG_MOST_LEVELS, NULL},
    {"coarsest", "rows at which coarsening ends; 0: as suits the device", GSOLVE_INT,
     MEMBER(coarsest), 0, 0, 100000, NULL},
    {"type", "of the levels' numbers; auto: single precision where it converges as fast",
     GSOLVE_CHOICE, MEMBER(type), GS_AMG_TYPE_AUTO, 0, 0, "auto|f32|same"},
    {"format", "of the levels' matrices; auto: what pays for the products of a solve",
     GSOLVE_CHOICE, MEMBER(format), GS_AMG_FORMAT_AUTO, 0, 0, "auto|csr|sell"},
    {"reuse", "what an update keeps of the levels' structure; auto: all, until solves take longer",
     GSOLVE_CHOICE, MEMBER(reuse), GS_AMG_REUSE_AUTO, 0, 0, "auto|keep|rebuild"},
    {"near_null", "what smoothing hardly changes: constants, or vectors still to be given",
     GSOLVE_CHOICE, MEMBER(near_null), CONSTANTS, 0, 0, "constants|given"},
    {"complexity",
     "entries of all levels over those of the finest, beyond which it is coarsened "
     "harder",
     GSOLVE_REAL, MEMBER(complexity), 3, 1, 1000, NULL},
    {0},
};

/* --- near-null vectors ------------------------------------------------------------------------ */

/* The size of dense blocks that the matrix is made of, or 1. */
static gsolve_status find_block(gsolve_context *ctx, const gsolve_csr *csr, int32_t *block)
{
    gsolve_pattern_sample glance;
    gsolve_status status;

    TRY(gs_sample_pattern(ctx, csr, &glance, NULL));
    for (*block = 6; *block > 1 && !(glance.block[*block] >= 0.95); --*block) continue;
    if (csr->nrows % *block != 0) *block = 1;
done:
    return status;
}

/* *B = for each unknown of a node the vector that is 1 in it and 0 in the others. */
static gsolve_status constants(gsolve_context *ctx, int32_t n, gsolve_type type, int32_t block,
                               gsolve_dense *B)
{
    const gs_amg_kernels *kernels = GS_KERNELS(gs_amg, ctx, type);
    gsolve_status status;

    TRY(gs_dense_new(B, ctx, gs_location(ctx), type, n, block));
    for (int32_t c = 0; c < block; c++) {
        TRY(kernels->constant(ctx->queue, n, block, c, gs_column_of(*B, c).value));
    }
done:
    return status;
}

/* --- making ----------------------------------------------------------------------------------- */

static void destroy(void *self, gsolve_context *ctx)
{
    amg *M = self;

    gs_hierarchy_destroy(M->h, ctx);
    gsolve_csr_free(&M->waiting, ctx);
    gsolve_free(ctx, GSOLVE_HOST, M);
}

/* The matrix that M stands for, where kernels read it; nothing where there is no memory for it. */
static void rows(const void *self, gsolve_csr *csr)
{
    const amg *M = self;
    const bool there = !M->h || !csr || gs_hierarchy_need_rows(M->h) == GSOLVE_OK;

    if (!csr) {
        if (M->h) gs_hierarchy_give_up_rows(M->h);
        return;
    }
    *csr = M->h ? M->h->level[0].rows : M->waiting;
    if (!there) csr->start = NULL;
}

static gsolve_status check_options(gsolve_context *ctx, const gs_amg_options *o)
{
    if (o->pre + o->post > 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "amg,pre=0,post=0 smooths nothing; one of them must "
                       "be at least 1");
}

/* So many bytes at least: the finest level, the coarser ones by experience, the vectors. */
static gsolve_status check_memory(gsolve_context *ctx, const gsolve_csr *csr, gsolve_type type)
{
    const double value = (double)gs_type_size(type);
    int64_t entries = 0;
    gsolve_status status;

    if (!ctx->device->memory) return GSOLVE_OK;
    TRY(gs_csr_entries(ctx, csr, &entries));
    TRY(gs_memory_need(ctx, 1.8 * ((double)entries * (4 + value) + csr->nrows * (4 + 4 * value)),
                       "the levels of amg"));
done:
    return status;
}

#define LARGE   100000 /* entries, below which it is not the bytes that take the time */
#define LITTLE  0.25   /* of an error that is to vanish */
#define AS_FAST 1.1    /* times what the other type leaves */

/* Whether the type of the levels is still to be found. */
static bool is_open(const amg *M)
{
    return !M->h && M->options.type == GS_AMG_TYPE_AUTO && M->type == GSOLVE_F64 &&
           M->entries > LARGE;
}

/* Of the levels' numbers. */
static gsolve_type type_of(const amg *M)
{
    if (M->h) return M->h->type;
    return M->options.type == GS_AMG_F32 ? GSOLVE_F32 : M->type;
}

/* *B = v in another type, its columns one behind the other. */
static gsolve_status copy_vectors(gsolve_context *ctx, gsolve_dense v, gsolve_type type,
                                  gsolve_dense *B)
{
    gsolve_status status;

    TRY(gs_dense_new(B, ctx, gs_location(ctx), type, v.nrows, v.ncols));
    for (int32_t c = 0; c < v.ncols; c++) {
        TRY(GS_KERNELS(gs_vector, ctx, type)
                ->copy(ctx->queue, v.nrows, v.type, gs_column_of(v, c).value,
                       gs_column_of(*B, c).value));
    }
done:
    return status;
}

/* M's levels for csr and near_null, of whose arrays they become owner. */
static gsolve_status set_up_as_chosen(amg *M, gsolve_context *ctx, const gsolve_csr *csr,
                                      gsolve_dense *near_null, int32_t block)
{
    gs_hierarchy *h = NULL;
    gsolve_status status;

    TRY(check_memory(ctx, csr, near_null->type));
    TRY(gs_hierarchy_build(&h, ctx, csr, near_null->type, near_null, block, &M->options));
    gs_hierarchy_destroy(M->h, ctx);
    M->h = h;
done:
    return status;
}

/* A type's levels, for a comparison; *left: infinite where it has none. */
static gsolve_status try_type(const amg *M, gsolve_context *ctx, const gsolve_csr *csr,
                              gsolve_type type, gsolve_dense near_null, int32_t block,
                              gs_hierarchy **h, double *left)
{
    gsolve_dense B = {0};
    gsolve_status status;

    TRY(check_memory(ctx, csr, type));
    TRY(copy_vectors(ctx, near_null, type, &B));
    TRY(gs_hierarchy_build(h, ctx, csr, type, &B, block, &M->options));
    TRY(gs_hierarchy_leaves(*h, ctx, csr, LITTLE, left));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

/* The same where the type is to be found: single precision if its cycles leave little, or no more
 * than those in the matrix's own. */
static gsolve_status set_up(amg *M, gsolve_context *ctx, const gsolve_csr *csr,
                            gsolve_dense *near_null, int32_t block)
{
    double narrow = INFINITY, wide = INFINITY;
    gs_hierarchy *f32 = NULL, *f64 = NULL;
    gsolve_status status;

    if (!is_open(M)) return set_up_as_chosen(M, ctx, csr, near_null, block);
    status = try_type(M, ctx, csr, GSOLVE_F32, *near_null, block, &f32, &narrow);
    if (status != GSOLVE_OK && status != GSOLVE_BAD_MATRIX && status != GSOLVE_ZERO_PIVOT) {
        goto done; /* those two: its range, or its precision, did not suffice */
    }
    status = GSOLVE_OK;
    if (!(narrow <= LITTLE)) {
        TRY(try_type(M, ctx, csr, M->type, *near_null, block, &f64, &wide));
    }
    if (f64 && !(narrow <= wide * AS_FAST)) {
        gs_hierarchy_destroy(f32, ctx);
        f32 = f64;
        f64 = NULL;
        snprintf(M->judged, sizeof M->judged,
                 ", single precision would leave %.2g of an error "
                 "and not %.2g",
                 narrow, wide);
    }
    gs_hierarchy_destroy(M->h, ctx);
    M->h = f32;
    f32 = NULL;
done:
    gs_hierarchy_destroy(f32, ctx);
    gs_hierarchy_destroy(f64, ctx);
    return status;
}

static gsolve_status set_up_constants(amg *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    int32_t block = M->options.block;
    gsolve_dense B = {0};
    gsolve_status status;

    if (block == 0) TRY(find_block(ctx, csr, &block));
    TRY(constants(ctx, csr->nrows, is_open(M) ? GSOLVE_F32 : type_of(M), block, &B));
    TRY(set_up(M, ctx, csr, &B, block));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

/* The same with the near-null vectors that M has. */
static gsolve_status set_up_again(amg *M, gsolve_context *ctx, const gsolve_csr *csr)
{
    const int32_t block = M->h->level[0].fine.block;
    gsolve_dense B = {0};
    gsolve_status status;

    TRY(copy_vectors(ctx, M->h->level[0].fine.near_null, type_of(M), &B));
    TRY(set_up(M, ctx, csr, &B, block));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    amg *M = NULL;
    gsolve_status status;

    TRY(check_options(ctx, chosen));
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    M->options = *(const gs_amg_options *)chosen;
    M->type = csr->type;
    TRY(gs_csr_entries(ctx, csr, &M->entries));
    if (M->options.near_null == GIVEN) {
        TRY(gs_csr_move(&M->waiting, ctx, csr->location, csr));
    } else {
        TRY(set_up_constants(M, ctx, csr));
    }
    *self = M;
    M = NULL;
done:
    if (M) destroy(M, ctx);
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

#define SET_UP_WORTH 8    /* applications that a set-up costs, about */
#define WORSE        1.25 /* times the applications after the last set-up */

/* *applied = the applications of a solve with the values that now go, of all the mean. */
static gsolve_status count_applied(const amg *M, gsolve_context *ctx, double *applied)
{
    const double runs = M->runs > 0 ? (double)M->runs : 1;
    const int64_t *count = M->h->coarsest.count;
    int64_t visits = 0;
    gsolve_status status = GSOLVE_OK;

    *applied = (double)M->applied / runs;
    if (!count) return GSOLVE_OK; /* a GPU, which counts itself what is recorded, has it */
    TRY(gsolve_copy(ctx, &visits, GSOLVE_HOST, count, gs_location(ctx), sizeof visits));
    *applied = (double)visits / (double)gs_cycle_visits(M->h) / runs;
done:
    return status;
}

/* Whether the levels are to be made anew, by what was applied with the values that now go. */
static gsolve_status decide(amg *M, gsolve_context *ctx, bool *rebuild)
{
    double applied = 0;
    gsolve_status status = GSOLVE_OK;

    *rebuild = M->options.reuse == GS_AMG_REBUILD;
    if (M->options.reuse != GS_AMG_REUSE_AUTO || M->h->levels == 1) return GSOLVE_OK;
    TRY(count_applied(M, ctx, &applied));
    if (!M->kept) M->first = applied;
    if (applied == 0 || M->first == 0 || !M->kept) return GSOLVE_OK; /* nothing to compare */
    *rebuild = applied > WORSE * M->first && applied > M->first + SET_UP_WORTH;
    if (*rebuild) {
        snprintf(M->reused, sizeof M->reused, ", levels anew after %.0f cycles instead of %.0f",
                 applied, M->first);
    }
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    amg *M = self;
    bool rebuild = false;
    gsolve_status status;

    if (!M->h) {
        return gsolve_copy(ctx, gs_owned_block(ctx, M->waiting.value), M->waiting.location,
                           csr->value, csr->location, (size_t)M->entries * gs_type_size(csr->type));
    }
    M->reused[0] = 0;
    TRY(decide(M, ctx, &rebuild));
    if (rebuild) {
        TRY(set_up_again(M, ctx, csr));
    } else {
        TRY(gs_hierarchy_update(M->h, ctx, csr));
    }
    M->kept = !rebuild;
    M->applied = M->runs = 0;
done:
    return status;
}

/* --- vectors from the caller ------------------------------------------------------------------ */

/* M anew with the vectors in B, of whose array it becomes owner, and nodes of so many unknowns. */
static gsolve_status set_up_with(amg *M, gsolve_context *ctx, gsolve_dense *B, int32_t block)
{
    gsolve_csr csr;
    gsolve_status status;

    rows(M, &csr);
    if (block == 0) TRY(find_block(ctx, &csr, &block));
    TRY(set_up(M, ctx, &csr, B, block));
    gsolve_csr_free(&M->waiting, ctx);
done:
    return status;
}

static gsolve_status near_null(void *self, gsolve_context *ctx, gsolve_dense v)
{
    amg *M = self;
    gsolve_csr csr;
    gsolve_dense B = {0};
    gsolve_status status;

    rows(M, &csr);
    if (v.nrows != csr.nrows || v.ncols > GS_AMG_MOST_NEAR_NULL) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "near-null vectors are %d x %d, and the matrix has %d rows; there must "
                           "be as many, and at most %d columns",
                           v.nrows, v.ncols, csr.nrows, GS_AMG_MOST_NEAR_NULL);
    }
    TRY(copy_vectors(ctx, v, type_of(M), &B));
    TRY(set_up_with(M, ctx, &B, M->options.block));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

static gsolve_status coordinates(void *self, gsolve_context *ctx, gsolve_dense xyz)
{
    amg *M = self;
    gsolve_csr csr;
    gsolve_dense B = {0};
    gsolve_status status;

    rows(M, &csr);
    if ((int64_t)xyz.nrows * xyz.ncols != csr.nrows || xyz.ncols < 2 || xyz.ncols > 3) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "coordinates are %d x %d, and the matrix has %d rows; there must be as "
                           "many as nodes times 2 or 3 coordinates",
                           xyz.nrows, xyz.ncols, csr.nrows);
    }
    TRY(gs_rigid_body_modes(&B, ctx, type_of(M), xyz));
    TRY(set_up_with(M, ctx, &B, xyz.ncols));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, B.value);
    return status;
}

/* --- applying --------------------------------------------------------------------------------- */

static gsolve_status begin_apply(amg *M, gsolve_context *ctx, int32_t columns)
{
    if (!M->h) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "amg,near_null=given waits for gsolve_precond_set_near_null or "
                           "gsolve_precond_set_coordinates");
    }
    M->applied += columns;
    return GSOLVE_OK;
}

/* The handle's constness is about what it stands for. */
static gsolve_status apply_columns(amg *M, gsolve_context *ctx, bool transposed, gsolve_dense r,
                                   gsolve_dense z)
{
    gsolve_status status;

    TRY(begin_apply(M, ctx, r.ncols));
    TRY(gs_hierarchy_apply(M->h, ctx, transposed, r, z));
done:
    return status;
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z,
                               double *rz)
{
    amg *M = self;
    gsolve_status status;

    TRY(begin_apply(M, ctx, 1));
    TRY(gs_hierarchy_apply_dot(M->h, ctx, r, z, rz));
done:
    return status;
}

static void runs(void *self, int32_t columns)
{
    amg *M = self;

    M->runs += columns;
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    return apply_columns(self, ctx, false, r, z);
}

static gsolve_status apply_transpose(void *self, gsolve_context *ctx, gsolve_dense r,
                                     gsolve_dense z)
{
    amg *M = self;

    if (M->options.cycle == GS_AMG_K) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "amg,cycle=k is no linear map, so that it has no transpose");
    }
    return apply_columns(M, ctx, true, r, z);
}

/* --- what it is ------------------------------------------------------------------------------- */

static bool level(const void *self, int index, gsolve_level_info *info)
{
    const gs_hierarchy *h = ((const amg *)self)->h;
    const gs_level *l = h && index < h->levels ? &h->level[index] : NULL;
    gsolve_matrix_info A;

    if (!l) return false;
    gsolve_matrix_describe(l->A, &A);
    *info = (gsolve_level_info){
        .rows = A.nrows, .entries = A.entries, .type = A.type, .bytes = A.bytes};
    info->mean_row = A.nrows > 0 ? (double)A.entries / A.nrows : 0;
    memcpy(info->format, A.form, sizeof info->format);
    return true;
}

static bool varies(const void *self)
{
    return ((const amg *)self)->options.cycle == GS_AMG_K;
}

/* Appends to note, as far as there is room. */
static void add(char note[160], const char *format, ...)
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
    const gs_hierarchy *h = M->h;

    if (!h) {
        add(info->note, "waits for near-null vectors");
        return;
    }
    add(info->note, "%d level%s, operator complexity %.2f, grid complexity %.2f", h->levels,
        h->levels > 1 ? "s" : "", gs_hierarchy_complexity(h), gs_hierarchy_grids(h));
    if (h->type != M->type) add(info->note, ", in single precision");
    if (h->harder > 0) add(info->note, ", %d coarsened harder", h->harder);
    if (h->coarsest.note[0]) add(info->note, ", %s", h->coarsest.note);
    add(info->note, "%s%s", M->judged, M->reused);
    info->moved = gs_cycle_bytes(h) + 2 * (size_t)info->n * gs_type_size(M->type);
}

const gsolve_precond_kind gs_amg = {
    .plugin = {"amg", "algebraic multigrid, for elliptic problems of any size", options,
               sizeof(gs_amg_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply_transpose,
    .apply_dot = apply_dot,
    .update = update,
    .describe = describe,
    .is_variable = varies,
    .begin_solve = runs,
    .on_device = true,
    .rows = rows,
    .near_null = near_null,
    .coordinates = coordinates,
    .level = level,
};
