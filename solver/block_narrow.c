/* block_narrow.c: see block_narrow.h. */
#include "solver/block_narrow.h"

#include <math.h>
#include <string.h>

#include "solver/block_factor.h"

typedef double column_[GS_BLOCK];

static double dot(int b, const double *u, const double *v)
{
    double sum = 0;

    for (int i = 0; i < b; i++) sum += u[i] * v[i];
    return sum;
}

/* v less its part in the first count columns of U. */
static void take_out(int b, int count, const double *U, double *v)
{
    for (int q = 0; q < count; q++) {
        const double *u = U + q * GS_BLOCK, of = dot(b, u, v);
        for (int i = 0; i < b; i++) v[i] -= of * u[i];
    }
}

/* Columns of U from found on: the span of v_0 to v_count, of length 1, the largest rest first while
 * it is above least; as many as there are then. */
static int span(int b, int count, column_ *v, double least, int found, double *U)
{
    while (found < b) {
        double *u = U + found * GS_BLOCK, most = least * least;
        int p = -1;
        for (int c = 0; c < count; c++) {
            for (int pass = 0; pass < 2; pass++) take_out(b, found, U, v[c]);
            if (dot(b, v[c], v[c]) > most) most = dot(b, v[c], v[c]), p = c;
        }
        if (p < 0) break;
        memcpy(u, v[p], sizeof v[p]);
        for (int pass = 0; pass < 2; pass++) {
            const double scale = 1 / sqrt(dot(b, u, u));
            for (int i = 0; i < b; i++) u[i] *= scale;
            take_out(b, found, U, u);
        }
        found++;
    }
    return found;
}

/* U: what sigma spans, and the rest of the directions that there are. */
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

/* of = U'G U, for columns i and j of U. */
static double product(int b, const double *U, const double *G, int i, int j)
{
    column_ Gu;

    for (int m = 0; m < b; m++) Gu[m] = dot(b, G + m * GS_BLOCK, U + j * GS_BLOCK);
    return dot(b, U + i * GS_BLOCK, Gu);
}

void gs_block_narrow(int b, int keep, const double *G, double *sigma, double *U, double *T)
{
    const int gone = b - keep;
    double D[GS_BLOCK * GS_BLOCK] = {0};
    gs_block_factor f;

    make_basis(b, keep, G, sigma, U);
    for (int c = 0; c < keep; c++) {
        column_ of;
        memcpy(of, sigma + c * GS_BLOCK, sizeof of);
        for (int q = 0; q < keep; q++) sigma[q + c * GS_BLOCK] = dot(b, U + q * GS_BLOCK, of);
    }
    for (int j = 0; j < gone; j++) {
        for (int i = 0; i < gone; i++) {
            D[i + j * GS_BLOCK] = product(b, U, G, keep + i, keep + j);
        }
    }
    gs_block_factorise(&f, gone, D, NULL);
    memcpy(T, U, sizeof(column_) * GS_BLOCK);
    for (int j = 0; j < gone; j++) {
        double *d = T + (keep + j) * GS_BLOCK;
        memset(d, 0, sizeof(column_));
        for (int m = 0; m < gone; m++) {
            for (int i = 0; i < b; i++) d[i] += U[i + (keep + m) * GS_BLOCK] * f.t[m][j];
        }
    }
    for (int c = 0; c < keep; c++) {
        column_ Gu;
        for (int m = 0; m < b; m++) Gu[m] = dot(b, G + m * GS_BLOCK, U + c * GS_BLOCK);
        for (int j = 0; j < gone; j++) {
            const double *d = T + (keep + j) * GS_BLOCK, of = dot(b, d, Gu);
            for (int i = 0; i < b; i++) T[i + c * GS_BLOCK] -= of * d[i];
        }
    }
}
