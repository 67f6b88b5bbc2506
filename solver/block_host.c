/* block_host.c: the kernels of block.h on the CPU, for every type. */
#include "solver/block.h"

#include <math.h>
#include <string.h>

#include "core/blocks.h"

#define SMALL static
#include "core/judge_body.h"

/* --- small matrices -----------------------------------------------------------------------------
 */

/* Of a Gram matrix G: D G D = L L' in the rows and columns order[0..rank), d_i = G_ii^-1/2; what is
 * left of the others is rounding. Row i of L is in the order of the pivots. t = D L'^-1. */
typedef struct factor {
    int rank, order[GS_BLOCK];
    double d[GS_BLOCK], L[GS_BLOCK][GS_BLOCK], rest[GS_BLOCK][GS_BLOCK], t[GS_BLOCK][GS_BLOCK];
} factor;

/* One column of L, for the vector that depends least on those before; false: all others do. */
static bool take_pivot(factor *f, int b, bool *done)
{
    const int r = f->rank;
    int p = -1;

    for (int i = 0; i < b; i++) {
        if (!done[i] && (p < 0 || f->rest[i][i] > f->rest[p][p])) p = i;
    }
    if (p < 0 || !(f->rest[p][p] > GS_DEPENDENT)) return false;
    done[p] = true;
    f->order[f->rank++] = p;
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
static void invert_column(factor *f, int c)
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

/* All columns are told of a negative square. */
static void factorise(factor *f, const gs_block_small *a)
{
    const int b = a->b;
    int *flag = a->judge.flag + a->judge.c;
    bool done[GS_BLOCK], negative = false;

    memset(f, 0, sizeof *f);
    for (int i = 0; i < b; i++) {
        const double own = a->G[i + i * GS_BLOCK];
        negative = negative || own < 0;
        f->d[i] = own > 0 ? 1 / sqrt(own) : 0;
        done[i] = !(own > 0);
    }
    for (int i = 0; i < b; i++) {
        for (int j = 0; j < b; j++) f->rest[i][j] = a->G[i + j * GS_BLOCK] * f->d[i] * f->d[j];
    }
    while (take_pivot(f, b, done)) {
    }
    for (int c = 0; c < f->rank; c++) invert_column(f, c);
    for (int c = 0; c < b; c++) {
        if (negative && !flag[c]) flag[c] = GSOLVE_INDEFINITE;
        if (f->rank == 0 && !flag[c]) flag[c] = GSOLVE_BREAKDOWN;
    }
}

static gsolve_status solve(gs_queue *q, const gs_block_small *a)
{
    const int b = a->b;
    factor f;

    (void)q;
    factorise(&f, a);
    for (int c = 0; c < b; c++) {
        for (int i = 0; i < b; i++) {
            double sum = 0;
            for (int m = 0; m < f.rank; m++) sum += f.t[i][m] * f.t[c][m];
            a->xi[i + c * GS_BLOCK] = sum;
        }
    }
    for (int c = 0; c < b; c++) {
        for (int i = 0; i < b; i++) {
            double sum = 0;
            for (int m = 0; m < b; m++) sum += a->xi[i + m * GS_BLOCK] * a->sigma[m + c * GS_BLOCK];
            a->alpha[i + c * GS_BLOCK] = sum;
        }
    }
    return GSOLVE_OK;
}

/* x'WW x. */
static double square(const double *x, const double *WW, int b)
{
    double all = 0;

    for (int j = 0; j < b; j++) {
        double sum = 0;
        for (int i = 0; i < b; i++) sum += WW[i + j * GS_BLOCK] * x[i];
        all += sum * x[j];
    }
    return all;
}

static void judge_columns(const gs_block_small *a)
{
    for (int c = 0; c < a->b; c++) {
        gs_judge judge = a->judge;
        judge.c += c;
        if (judge.ended[judge.c]) continue;
        a->rr[c] = square(a->sigma + c * GS_BLOCK, a->WW, a->b);
        judge_column(&judge, a->rr[c], 1);
    }
}

static gsolve_status orthogonal(gs_queue *q, const gs_block_small *a, bool start)
{
    const int b = a->b;
    factor f;

    (void)q;
    factorise(&f, a);
    if (!start) judge_columns(a);
    for (int c = 0; c < b; c++) {
        double *sigma = a->sigma + c * GS_BLOCK, before[GS_BLOCK];
        for (int i = 0; i < b; i++) {
            a->t[i + c * GS_BLOCK] = f.t[i][c];
            a->zeta[i + c * GS_BLOCK] = f.d[i] > 0 ? f.L[i][c] / f.d[i] : 0;
            before[i] = start ? i == c : sigma[i];
        }
        for (int m = 0; m < b; m++) {
            sigma[m] = 0;
            for (int i = 0; i < b; i++) sigma[m] += f.d[i] > 0 ? f.L[i][m] / f.d[i] * before[i] : 0;
        }
    }
    return GSOLVE_OK;
}

#define GS_BODY "solver/block_body.h"
#include "core/each_type.h"

#define TABLE(t)                                                                             \
    {                                                                                        \
        sizeof(double) * GS_MAX_BLOCKS *GS_BLOCK *GS_BLOCK, gram_##t, squares_##t, step_##t, \
            turn_##t, solve, orthogonal                                                      \
    }

const gs_block_kernels gs_block_host[GSOLVE_TYPE_COUNT] = {TABLE(f32), TABLE(f64)};
