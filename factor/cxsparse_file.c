/* cxsparse_file.c: factors by CXSparse in a file. The file holds what solves need: the factors and
 * the permutations. An update analyses the matrix again. */
#include <limits.h>
#include <string.h>

#include "core/try.h"
#include "factor/cxsparse.h"

typedef struct saved_state {
    int64_t l_entries, u_entries;                /* u_entries is 0 for Cholesky */
    int32_t m2, diagonal, has_rows, has_columns; /* which permutations there are */
} saved_state;

/* The factored matrix has at least as many rows as columns. */
static int rows_of(const gs_factorisation *F)
{
    return F->nrows > F->ncols ? F->nrows : F->ncols;
}

static int columns_of(const gs_factorisation *F)
{
    return F->nrows > F->ncols ? F->ncols : F->nrows;
}

/* The permutation of rows: LU finds it with the factors. */
static int **row_order(const gs_factorisation *F)
{
    gs_cxsparse_state *s = F->state;

    return F->request.kind == GS_LU ? &s->numeric->pinv : &s->symbolic->pinv;
}

/* --- writing ---------------------------------------------------------------------------------- */

static gsolve_status save_ints(gs_saving *file, const int *data, int count)
{
    return gs_save_array(file, data, GSOLVE_HOST, (size_t)count * sizeof *data);
}

static gsolve_status save_columns(gs_saving *file, const cs_di *T)
{
    const int entries = T->p[T->n];
    gsolve_status status;

    TRY(save_ints(file, T->p, T->n + 1));
    TRY(save_ints(file, T->i, entries));
    TRY(gs_save_array(file, T->x, GSOLVE_HOST, (size_t)entries * sizeof *T->x));
done:
    return status;
}

gsolve_status gs_cxsparse_save(const gs_factorisation *F, gs_saving *file)
{
    const gs_cxsparse_state *state = F->state;
    const cs_dis *S = state->symbolic;
    const cs_din *N = state->numeric;
    const int *rows = *row_order(F);
    const saved_state s = {.l_entries = N->L->p[N->L->n],
                           .u_entries = N->U ? N->U->p[N->U->n] : 0,
                           .m2 = F->request.kind == GS_QR ? S->m2 : rows_of(F),
                           .diagonal = state->diagonal,
                           .has_rows = rows != NULL,
                           .has_columns = S->q != NULL};
    gsolve_status status;

    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    if (rows) TRY(save_ints(file, rows, rows_of(F)));
    if (S->q) TRY(save_ints(file, S->q, columns_of(F)));
    TRY(save_columns(file, N->L));
    if (F->request.kind == GS_CHOLESKY) return GSOLVE_OK;
    TRY(save_columns(file, N->U));
    if (F->request.kind != GS_QR) return GSOLVE_OK;
    TRY(gs_save_array(file, N->B, GSOLVE_HOST, (size_t)columns_of(F) * sizeof *N->B));
done:
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool are_in_range(const int *data, int count, int end)
{
    bool good = true;

    for (int k = 0; k < count; k++) good &= data[k] >= 0 && data[k] < end;
    return good;
}

/* *data = count numbers from 0 to end - 1, in memory of CXSparse. */
static gsolve_status load_ints(gs_loading *file, int **data, int count, int end)
{
    gsolve_status status;

    if (count > file->size) return gs_load_damaged(file, "an array exceeds the file");
    *data = cs_di_malloc(count, sizeof **data);
    TRY(*data ? GSOLVE_OK : gs_factor_out_of_memory(file->ctx));
    TRY(gs_load_array(file, *data, (size_t)count * sizeof **data));
    if (!are_in_range(*data, count, end))
        status = gs_load_damaged(file, "an index is out of range");
done:
    return status;
}

/* *T = m x n columns with these entries, none of them empty: the first and the last entry of a
 * column are read without a check. */
static gsolve_status load_columns(gs_loading *file, cs_di **T, int m, int n, int64_t entries)
{
    const cs_di *made;
    bool good;
    gsolve_status status;

    if (entries < 0 || entries > INT_MAX || entries > file->size) {
        return gs_load_damaged(file, "an array exceeds the file");
    }
    *T = cs_di_spalloc(m, n, (int)entries, 1, 0);
    TRY(*T ? GSOLVE_OK : gs_factor_out_of_memory(file->ctx));
    made = *T;
    TRY(gs_load_array(file, made->p, ((size_t)n + 1) * sizeof *made->p));
    TRY(gs_load_array(file, made->i, (size_t)entries * sizeof *made->i));
    TRY(gs_load_array(file, made->x, (size_t)entries * sizeof *made->x));
    good = made->p[0] == 0 && made->p[n] == entries && are_in_range(made->i, (int)entries, m);
    for (int j = 0; j < n; j++) good &= made->p[j] < made->p[j + 1];
    if (!good) status = gs_load_damaged(file, "the columns of a factor are malformed");
done:
    return status;
}

/* The sizes of columns by which gs_cholesky_cost counts operations. */
static gsolve_status set_cost(gs_factorisation *F, gsolve_context *ctx)
{
    const gs_cxsparse_state *s = F->state;
    const size_t bytes = ((size_t)F->nrows + 1) * sizeof(int);

    s->symbolic->cp = cs_di_malloc(F->nrows + 1, sizeof(int));
    if (!s->symbolic->cp) return gs_factor_out_of_memory(ctx);
    memcpy(s->symbolic->cp, s->numeric->L->p, bytes);
    s->symbolic->lnz = s->numeric->L->p[F->nrows];
    return GSOLVE_OK;
}

static gsolve_status load_factors(gs_factorisation *F, const saved_state *s, gs_loading *file)
{
    const int columns = columns_of(F);
    const gs_cxsparse_state *state = F->state;
    cs_din *N = state->numeric;
    gsolve_status status;

    if (s->has_rows) TRY(load_ints(file, row_order(F), rows_of(F), s->m2));
    if (s->has_columns) TRY(load_ints(file, &state->symbolic->q, columns, columns));
    TRY(load_columns(file, &N->L, s->m2, columns, s->l_entries));
    if (F->request.kind == GS_CHOLESKY) return set_cost(F, file->ctx);
    TRY(load_columns(file, &N->U, columns, columns, s->u_entries));
    if (F->request.kind != GS_QR) return GSOLVE_OK;
    N->B = cs_di_malloc(columns, sizeof *N->B);
    TRY(N->B ? GSOLVE_OK : gs_factor_out_of_memory(file->ctx));
    TRY(gs_load_array(file, N->B, (size_t)columns * sizeof *N->B));
done:
    return status;
}

gsolve_status gs_cxsparse_load(gs_factorisation *F, gs_loading *file)
{
    const int rows = rows_of(F), columns = columns_of(F);
    gs_cxsparse_state *state = F->state;
    saved_state s;
    gsolve_status status;

    TRY(gs_load_array(file, &s, sizeof s));
    if (s.m2 < rows || s.m2 - rows > columns || (F->request.kind != GS_QR && s.m2 != rows)) {
        return gs_load_damaged(file, "the size of a factor is out of range");
    }
    TRY(gs_factor_check(file->ctx, (gs_direct_cost){(double)s.l_entries + (double)s.u_entries, 0},
                        F->request.limit));
    state->loaded = true;
    state->diagonal = F->request.diagonal = s.diagonal;
    state->symbolic = cs_di_calloc(1, sizeof *state->symbolic);
    state->numeric = cs_di_calloc(1, sizeof *state->numeric);
    TRY(state->symbolic && state->numeric ? GSOLVE_OK : gs_factor_out_of_memory(file->ctx));
    state->symbolic->m2 = s.m2;
    TRY(load_factors(F, &s, file));
    state->cost = gs_cxsparse_cost(F);
done:
    return status;
}
