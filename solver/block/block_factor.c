/* block_factor.c: see block_factor.h. */
#include "solver/block/block_factor.h"

#include <math.h>
#include <string.h>

/* Adds a column of L, for the vector that depends least on the vectors chosen before. False: all
 * other vectors depend on these. */
static bool next_pivot(gs_block_factor *f, int b, bool *done)
{
    const int r = f->rank;
    int p = -1;

    for (int i = 0; i < b; i++) {
        if (!done[i] && (p < 0 || f->rest[i][i] > f->rest[p][p])) p = i;
    }
    if (p < 0 || !(f->rest[p][p] > GS_DEPENDENT)) return false;
    done[p] = true;
    f->order[f->rank++] = p;
    f->least = f->rest[p][p] < f->least ? f->rest[p][p] : f->least;
    f->L[p][r] = sqrt(f->rest[p][p]);
    for (int i = 0; i < b; i++) {
        if (!done[i]) f->L[i][r] = f->rest[i][p] / f->L[p][r];
    }
    for (int i = 0; i < b; i++) {
        for (int j = 0; j < b && !done[i]; j++) {
            if (!done[j]) f->rest[i][j] -= f->L[i][r] * f->L[j][r];
        }
    }
    return true;
}

/* Column c of t by substitution, from the last row on. */
static void invert_column(gs_block_factor *f, int c)
{
    for (int r = c; r >= 0; r--) {
        const int p = f->order[r];
        double sum = r == c;
        for (int m = r + 1; m <= c; m++) {
            sum -= f->L[f->order[m]][r] * (f->t[f->order[m]][c] / f->d[f->order[m]]);
        }
        f->t[p][c] = sum / f->L[p][r] * f->d[p];
    }
}

void gs_block_factorise(gs_block_factor *f, int b, const double *G, const double *floor)
{
    bool done[GS_BLOCK];

    memset(f, 0, sizeof *f);
    f->least = 1;
    for (int i = 0; i < b; i++) {
        const double own = G[i + i * GS_BLOCK];
        done[i] = !(own > (floor ? floor[i] : 0));
        f->d[i] = done[i] ? 0 : 1 / sqrt(own);
    }
    for (int i = 0; i < b; i++) {
        for (int j = 0; j < b; j++) f->rest[i][j] = G[i + j * GS_BLOCK] * f->d[i] * f->d[j];
    }
    while (next_pivot(f, b, done)) {
    }
    for (int c = 0; c < f->rank; c++) invert_column(f, c);
}
