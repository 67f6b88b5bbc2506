/* block_factor.c: small matrices on the host, see block.h. */
#include "solver/block/block.h"

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

/* --- columns leave a block -------------------------------------------------------------------- */

typedef double column_[GS_BLOCK];

static double dot(int b, const double *u, const double *v)
{
    double sum = 0;

    for (int i = 0; i < b; i++) sum += u[i] * v[i];
    return sum;
}

/* Makes v orthogonal to the first count columns of U. */
static void orthogonalise(int b, int count, const double *U, double *v)
{
    for (int q = 0; q < count; q++) {
        const double *u = U + q * GS_BLOCK, of = dot(b, u, v);
        for (int i = 0; i < b; i++) v[i] -= of * u[i];
    }
}

/* Adds an orthonormal basis of the span of v_0 to v_count to the `found` columns of U, the longest
 * remainder first, while it is longer than `least`. Returns the number of columns. */
static int span(int b, int count, column_ *v, double least, int found, double *U)
{
    while (found < b) {
        double *u = U + found * GS_BLOCK, most = least * least;
        int p = -1;
        for (int c = 0; c < count; c++) {
            for (int pass = 0; pass < 2; pass++) orthogonalise(b, found, U, v[c]);
            if (dot(b, v[c], v[c]) > most) most = dot(b, v[c], v[c]), p = c;
        }
        if (p < 0) break;
        memcpy(u, v[p], sizeof v[p]);
        for (int pass = 0; pass < 2; pass++) {
            const double scale = 1 / sqrt(dot(b, u, u));
            for (int i = 0; i < b; i++) u[i] *= scale;
            orthogonalise(b, found, U, u);
        }
        found++;
    }
    return found;
}

/* U: an orthonormal basis of the span of sigma, completed with the other directions of the block.
 */
static void make_basis(int b, int keep, const double *G, const double *sigma, double *U)
{
    column_ v[GS_BLOCK] = {{0}}, unit[GS_BLOCK] = {{0}};
    int found, count = 0;

    memset(U, 0, sizeof(column_) * GS_BLOCK);
    for (int c = 0; c < keep; c++) {
        const double *of = sigma + c * GS_BLOCK, size = sqrt(dot(b, of, of));
        for (int i = 0; i < b && size > 0; i++) v[c][i] = of[i] / size;
    }
    found = span(b, keep, v, 1e-12, 0, U);
    for (int i = 0; i < b; i++) {
        if (G[i + i * GS_BLOCK] > 0) unit[count++][i] = 1;
    }
    span(b, count, unit, 1e-3, found, U);
}

/* v = G u. */
static void times(int b, const double *G, const double *u, double *v)
{
    for (int m = 0; m < b; m++) v[m] = dot(b, G + m * GS_BLOCK, u);
}

/* The first keep columns of sigma in the basis U: they lie in the span of its first keep columns.
 */
static void change_basis(int b, int keep, const double *U, double *sigma)
{
    for (int c = 0; c < keep; c++) {
        column_ of;
        memcpy(of, sigma + c * GS_BLOCK, sizeof of);
        for (int q = 0; q < keep; q++) sigma[q + c * GS_BLOCK] = dot(b, U + q * GS_BLOCK, of);
    }
}

/* D = U' t with D'G D = I, of the columns U' of U behind the first keep. */
static void make_conjugate(int b, int keep, const double *G, const double *U, double *D)
{
    const int gone = b - keep;
    double of_U[GS_BLOCK * GS_BLOCK] = {0}; /* U''G U' */
    gs_block_factor f;

    for (int j = 0; j < gone; j++) {
        column_ Gu;
        times(b, G, U + (keep + j) * GS_BLOCK, Gu);
        for (int i = 0; i < gone; i++)
            of_U[i + j * GS_BLOCK] = dot(b, U + (keep + i) * GS_BLOCK, Gu);
    }
    gs_block_factorise(&f, gone, of_U, NULL);
    memset(D, 0, sizeof(column_) * (size_t)gone);
    for (int j = 0; j < gone; j++) {
        for (int m = 0; m < gone; m++) {
            const double *u = U + (keep + m) * GS_BLOCK;
            for (int i = 0; i < b; i++) D[i + j * GS_BLOCK] += u[i] * f.t[m][j];
        }
    }
}

/* T = T - D D'G T. */
static void make_conjugate_to(int b, int keep, const double *G, const double *D, double *T)
{
    for (int c = 0; c < keep; c++) {
        double *t = T + c * GS_BLOCK;
        column_ Gt;
        times(b, G, t, Gt);
        for (int j = 0; j < b - keep; j++) {
            const double *d = D + j * GS_BLOCK, of = dot(b, d, Gt);
            for (int i = 0; i < b; i++) t[i] -= of * d[i];
        }
    }
}

void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T)
{
    double *D = T + keep * GS_BLOCK;

    make_basis(b, keep, G, sigma, U);
    change_basis(b, keep, U, sigma);
    memcpy(T, U, sizeof(column_) * GS_BLOCK);
    make_conjugate(b, keep, G, U, D);
    make_conjugate_to(b, keep, G, D, T);
}
