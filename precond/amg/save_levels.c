/* save_levels.c: writes and reads amg's levels, see save_levels.h. */
#include "precond/amg/save_levels.h"

#include <math.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

typedef struct saved_amg { /* the first array */
    double first;
    int32_t levels, harder, symmetric, structure_kept;
    int32_t block, null_space; /* options that are not in the spec */
    int32_t nodes, near_null;  /* unknowns of a node, and near-null vectors, of the finest level */
    int32_t updated, unused;
    char type_note[80];
} saved_amg;

typedef struct saved_level { /* before the arrays of a level: P, its state, and the next matrix */
    int64_t p_entries, entries;
    int32_t coarse;                   /* rows of the next level */
    int32_t fine_block, coarse_block; /* see gs_block_galerkin */
    int32_t unused;
} saved_level;

/* --- writing ---------------------------------------------------------------------------------- */

static gsolve_status save_level(const gs_hierarchy *h, int k, gsolve_context *ctx, gs_saving *file)
{
    const gs_level *l = &h->level[k], *next = l + 1;
    saved_level s = {.entries = next->entries,
                     .coarse = next->rows.nrows,
                     .fine_block = l->blocks.fine,
                     .coarse_block = l->blocks.coarse};
    gsolve_status status;

    TRY(gs_csr_entries(ctx, &l->T.P, &s.p_entries));
    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    TRY(gs_save_csr(file, &l->T.P, s.p_entries));
    TRY(h->coarsening->save(&l->T, ctx, file));
    TRY(gs_save_csr(file, &next->rows, s.entries));
done:
    return status;
}

gsolve_status gs_amg_save(const gs_amg_setup *S, gs_amg_updates updates, gsolve_context *ctx,
                          gs_saving *file)
{
    const gs_hierarchy *h = S->h;
    const gsolve_dense B = h->level[0].view.near_null;
    saved_amg s;
    gsolve_status status;

    memset(&s, 0, sizeof s);
    s.first = updates.first;
    s.structure_kept = updates.structure_kept;
    s.levels = h->levels;
    s.harder = h->harder;
    s.symmetric = h->symmetric;
    s.block = S->options.block;
    s.null_space = S->options.null_space;
    s.nodes = h->level[0].view.block;
    s.near_null = B.ncols;
    s.updated = h->updated;
    memcpy(s.type_note, S->type_note, sizeof s.type_note);
    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    TRY(gs_save_array(file, B.value, B.location,
                      (size_t)B.nrows * (size_t)B.ncols * gs_type_size(B.type)));
    for (int k = 0; k + 1 < h->levels; k++) TRY(save_level(h, k, ctx, file));
done:
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* rows: of the finest level. */
static gsolve_status check_head(const saved_amg *s, int32_t rows, const gs_loading *file)
{
    bool text = memchr(s->type_note, 0, sizeof s->type_note) != NULL;

    for (const char *c = s->type_note; text && *c; c++) text = *c >= ' ' && *c <= '~';
    if (text && s->levels >= 1 && s->levels <= GS_AMG_MAX_LEVELS && s->nodes >= 1 &&
        s->nodes <= GS_MAX_UNKNOWNS && s->block >= 0 && s->block <= rows && s->near_null >= 1 &&
        s->near_null <= GS_MAX_UNKNOWNS && s->null_space >= 0 && s->null_space <= rows &&
        s->first >= 0 && isfinite(s->first)) {
        return GSOLVE_OK;
    }
    return gs_load_damaged(file, "a number of the levels is out of range");
}

typedef struct reader { /* of the levels */
    gs_hierarchy *h;
    gsolve_context *ctx;
    gs_loading *file;
    const gsolve_csr *rows; /* the matrix of the last level, on the host */
    gsolve_csr copy;        /* owned: it, if kernels read another copy */
} reader;

/* Reads the near-null vectors of the finest level. */
static gsolve_status load_near_null(reader *r, int32_t columns)
{
    const int32_t n = r->rows->nrows;
    const gsolve_type type = r->h->type;
    const size_t count = (size_t)n * (size_t)columns;
    void *value = NULL;
    gsolve_status status;

    TRY(gs_load_new(r->file, &value, count, gs_type_size(type)));
    TRY(gs_place_array(r->ctx, &value, count * gs_type_size(type)));
    r->h->level[0].view.near_null =
        (gsolve_dense){n, columns, n, value, type, gs_location(r->ctx), GSOLVE_COLUMN_MAJOR};
    value = NULL;
done:
    gsolve_free(r->ctx, GSOLVE_HOST, value);
    return status;
}

/* Sets the blocks of the products of level l. */
static gsolve_status set_blocks(gs_level *l, const saved_level *s, const gs_loading *file)
{
    const int32_t fine = s->fine_block, coarse = s->coarse_block;

    l->loaded = true;
    if (fine == 0) return GSOLVE_OK;
    if (fine != l->view.block || coarse != l->T.block || fine < 2 || coarse < 2 ||
        fine > GS_MAX_BLOCK || coarse > GS_MAX_BLOCK || l->rows.nrows % fine != 0 ||
        s->coarse % coarse != 0) {
        return gs_load_damaged(file, "the blocks of a level are malformed");
    }
    l->blocks.fine = fine;
    l->blocks.coarse = coarse;
    return GSOLVE_OK;
}

/* Adds a level with the matrix C, which is on the host; r takes ownership of it. */
static gsolve_status append(reader *r, gsolve_csr *C, int64_t entries)
{
    gsolve_csr there = {0};
    gsolve_status status;

    if (gs_location(r->ctx) == GSOLVE_HOST) {
        TRY(gs_hierarchy_append(r->h, r->ctx, C, entries));
        r->rows = &r->h->level[r->h->levels - 1].rows;
        return GSOLVE_OK;
    }
    TRY(gs_csr_move(&there, r->ctx, GSOLVE_DEVICE, C));
    TRY(gs_hierarchy_append(r->h, r->ctx, &there, entries));
    gsolve_csr_free(&r->copy, r->ctx);
    r->copy = *C;
    r->rows = &r->copy;
    memset(C, 0, sizeof *C);
done:
    gsolve_csr_free(&there, r->ctx);
    return status;
}

/* Adds a level below the last. */
static gsolve_status load_level(reader *r)
{
    gs_hierarchy *h = r->h;
    gs_level *l = &h->level[h->levels - 1];
    gsolve_csr P = {0}, C = {0};
    saved_level s;
    gsolve_status status;

    TRY(gs_load_array(r->file, &s, sizeof s));
    if (s.coarse < 1 || s.coarse >= r->rows->nrows) {
        return gs_load_damaged(r->file, "the number of rows of a level is out of range");
    }
    TRY(gs_load_csr(r->file, &P, r->rows->nrows, s.coarse, s.p_entries, h->type));
    TRY(h->coarsening->load(&l->T, r->ctx, &l->view, &h->options, r->rows, &P, r->file));
    TRY(set_blocks(l, &s, r->file));
    TRY(gs_load_csr(r->file, &C, s.coarse, s.coarse, s.entries, h->type));
    TRY(append(r, &C, s.entries));
done:
    gsolve_csr_free(&P, r->ctx);
    gsolve_csr_free(&C, r->ctx);
    return status;
}

gsolve_status gs_amg_load(gs_amg_setup *S, gs_amg_updates *updates, gsolve_context *ctx,
                          const gsolve_csr *csr, const gsolve_csr *rows, gs_loading *file)
{
    reader r = {.ctx = ctx, .file = file, .rows = rows};
    bool symmetric;
    saved_amg s;
    gsolve_status status;

    TRY(gs_load_array(file, &s, sizeof s));
    TRY(check_head(&s, rows->nrows, file));
    symmetric = s.symmetric;
    S->options.block = s.block;
    S->options.null_space = s.null_space;
    TRY(gs_hierarchy_begin(&r.h, ctx, csr, (gsolve_type)file->head.stored, s.nodes, &S->options,
                           &symmetric));
    TRY(load_near_null(&r, s.near_null));
    while (r.h->levels < s.levels) TRY(load_level(&r));
    TRY(gs_load_check_end(file));
    r.h->harder = s.harder;
    r.h->updated = s.updated;
    TRY(gs_hierarchy_complete(r.h, ctx));
    *updates = (gs_amg_updates){s.first, s.structure_kept};
    memcpy(S->type_note, s.type_note, sizeof S->type_note);
    S->h = r.h;
    r.h = NULL;
done:
    gs_hierarchy_destroy(r.h, ctx);
    gsolve_csr_free(&r.copy, ctx);
    return status;
}
