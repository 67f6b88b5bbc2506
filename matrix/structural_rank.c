/* structural_rank.c: a maximum matching of rows and columns by depth-first search with cheap
 * assignment (Duff 1981, "On algorithms for obtaining a maximum transversal", MC21). */
#include "matrix/structural_rank.h"

#include <string.h>

#include "core/try.h"
#include "matrix/csr.h"

typedef struct matching {
    const gsolve_csr *A;
    int32_t *row_of;       /* the row of each column, or -1 */
    int32_t *seen;         /* the row for which a search has last reached this column */
    int32_t *path, *taken; /* the rows of the search, and the column that each wants */
    int64_t *cheap, *next; /* of each row: entries before it were seen by the cheap assignment, */
} matching;                /* or by this search */

/* Gives row i the column j at the end of the path, and each row before it the column it wants. */
static void augment(matching *m, int32_t depth)
{
    for (; depth >= 0; depth--) m->row_of[m->taken[depth]] = m->path[depth];
}

/* Finds a column without a row in row i; the entries before m->cheap[i] have none. */
static bool assign(matching *m, int32_t depth)
{
    const int32_t i = m->path[depth];
    const int64_t end = gs_start(m->A, i + 1);

    for (; m->cheap[i] < end; m->cheap[i]++) {
        const int32_t j = m->A->col[m->cheap[i]];
        if (m->row_of[j] >= 0 || gs_value(m->A, m->cheap[i]) == 0) continue;
        m->taken[depth] = j;
        augment(m, depth);
        return true;
    }
    return false;
}

/* Whether row i gets a column: searches for a path of rows that can exchange theirs. */
static bool match_row(matching *m, int32_t i)
{
    int32_t depth = 0;

    m->path[0] = i;
    m->next[i] = gs_start(m->A, i);
    if (assign(m, 0)) return true;
    while (depth >= 0) {
        const int32_t row = m->path[depth];
        const int64_t at = m->next[row]++;
        int32_t j;
        if (at >= gs_start(m->A, row + 1)) {
            depth--;
            continue;
        }
        j = m->A->col[at];
        if (m->seen[j] == i || gs_value(m->A, at) == 0) continue;
        m->seen[j] = i;
        m->taken[depth] = j;
        m->path[++depth] = m->row_of[j]; /* no column is free here, since assign failed */
        m->next[m->path[depth]] = gs_start(m->A, m->path[depth]);
        if (assign(m, depth)) return true;
    }
    return false;
}

static void find_matching(matching *m, int32_t *rank)
{
    const size_t bytes = (size_t)m->A->ncols * sizeof(int32_t);

    memset(m->row_of, 0xff, bytes);
    memset(m->seen, 0xff, bytes);
    for (int32_t i = 0; i < m->A->nrows; i++) m->cheap[i] = gs_start(m->A, i);
    for (int32_t i = 0; i < m->A->nrows; i++) *rank += match_row(m, i);
}

gsolve_status gs_structural_rank(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rank)
{
    matching m = {.A = csr};
    const size_t rows = (size_t)csr->nrows + 1;
    gsolve_status status;

    *rank = 0;
    ALLOC(ctx, GSOLVE_HOST, m.row_of, (size_t)csr->ncols + 1);
    ALLOC(ctx, GSOLVE_HOST, m.seen, (size_t)csr->ncols + 1);
    ALLOC(ctx, GSOLVE_HOST, m.path, rows);
    ALLOC(ctx, GSOLVE_HOST, m.taken, rows);
    ALLOC(ctx, GSOLVE_HOST, m.cheap, rows);
    ALLOC(ctx, GSOLVE_HOST, m.next, rows);
    find_matching(&m, rank);
done:
    gsolve_free(ctx, GSOLVE_HOST, m.row_of);
    gsolve_free(ctx, GSOLVE_HOST, m.seen);
    gsolve_free(ctx, GSOLVE_HOST, m.path);
    gsolve_free(ctx, GSOLVE_HOST, m.taken);
    gsolve_free(ctx, GSOLVE_HOST, m.cheap);
    gsolve_free(ctx, GSOLVE_HOST, m.next);
    return status;
}
