/* structural_rank.c: a matching of rows and columns by depth-first search with cheap assignment
 * (Duff 1981, "On algorithms for obtaining a maximum transversal", MC21). It ends at the first row
 * that gets no column: then no matching has all rows. */
#include "matrix/structural_rank.h"

#include <string.h>

#include "matrix/csr.h"

#define MOST_PASSES 32 /* over the entries */

typedef struct matching {
    const gsolve_csr *A;
    int32_t *row_of;       /* the row of each column, or -1 */
    int32_t *seen;         /* the row for which a search has last reached this column */
    int32_t *path, *taken; /* the rows of the search, and the column that each wants */
    int64_t *cheap, *next; /* of each row: entries before it were seen by the cheap assignment, or
                              by this search */
    int64_t left;          /* entries that the searches may still visit */
} matching;

typedef enum found { FREE_COLUMN, NO_COLUMN, UNKNOWN } found;

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

/* Gives row i a column: searches for a path of rows that can exchange theirs. */
static found match_row(matching *m, int32_t i)
{
    int32_t depth = 0;

    m->path[0] = i;
    m->next[i] = gs_start(m->A, i);
    if (assign(m, 0)) return FREE_COLUMN;
    while (depth >= 0) {
        const int32_t row = m->path[depth];
        const int64_t at = m->next[row]++;
        int32_t j;
        if (at >= gs_start(m->A, row + 1)) {
            depth--;
            continue;
        }
        if (m->left-- <= 0) return UNKNOWN;
        j = m->A->col[at];
        if (m->seen[j] == i || gs_value(m->A, at) == 0) continue;
        m->seen[j] = i;
        m->taken[depth] = j;
        m->path[++depth] = m->row_of[j]; /* no column is free here, since assign failed */
        m->next[m->path[depth]] = gs_start(m->A, m->path[depth]);
        if (assign(m, depth)) return FREE_COLUMN;
    }
    return NO_COLUMN;
}

/* The matching of a square A of n rows, in a block of gs_structural_rank_bytes(n) bytes. */
static matching matching_in(const gsolve_csr *A, void *block)
{
    const size_t n = (size_t)A->nrows;
    int64_t *places = block;
    int32_t *numbers = (int32_t *)(places + 2 * n);

    return (matching){.A = A,
                      .row_of = numbers,
                      .seen = numbers + n,
                      .path = numbers + 2 * n,
                      .taken = numbers + 3 * n,
                      .cheap = places,
                      .next = places + n,
                      .left = MOST_PASSES * (gs_start(A, A->nrows) + A->nrows)};
}

size_t gs_structural_rank_bytes(int32_t n)
{
    return (size_t)n * (2 * sizeof(int64_t) + 4 * sizeof(int32_t));
}

/* Whether a row or a column has no nonzero. */
static bool has_empty_line(const matching *m)
{
    const int32_t n = m->A->nrows;

    memset(m->seen, 0, (size_t)n * sizeof *m->seen);
    for (int32_t i = 0; i < n; i++) {
        bool any = false;
        for (int64_t e = gs_start(m->A, i); e < gs_start(m->A, i + 1); e++) {
            if (gs_value(m->A, e) == 0) continue;
            any = true;
            m->seen[m->A->col[e]] = 1;
        }
        if (!any) return true;
    }
    for (int32_t j = 0; j < n; j++) {
        if (!m->seen[j]) return true;
    }
    return false;
}

bool gs_is_structurally_deficient(const gsolve_csr *csr, void *block)
{
    matching m = matching_in(csr, block);
    const size_t bytes = (size_t)csr->nrows * sizeof(int32_t);
    found last = FREE_COLUMN;

    if (has_empty_line(&m)) return true;
    memset(m.row_of, 0xff, bytes);
    memset(m.seen, 0xff, bytes);
    for (int32_t i = 0; i < csr->nrows; i++) m.cheap[i] = gs_start(csr, i);
    for (int32_t i = 0; i < csr->nrows && last == FREE_COLUMN; i++) last = match_row(&m, i);
    return last == NO_COLUMN;
}
