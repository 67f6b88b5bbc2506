/* 3_fem.c: linear finite elements for -div grad u = f on an annulus, u = 0 on its boundary. The
 * mesh consists of rings of points, which are shifted a little. Elements are appended to the rows
 * one after the other, so that rows are not sorted and have duplicates; gsolve sorts and sums them.
 */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 60, AROUND = 240, POINTS = RINGS * AROUND };
enum { MOST = 32 }; /* the largest number of entries of a row before duplicates are summed */

static const double pi = 3.14159265358979324;
static double px[POINTS], py[POINTS];
static int32_t count[POINTS], column[POINTS][MOST];
static double entry[POINTS][MOST], load[POINTS];

static double exact(double x, double y) /* 0 for r = 1 and r = 2 */
{
    const double r = sqrt(x * x + y * y);
    return sin(pi * (r - 1));
}

static double source(double x, double y) /* -(u_rr + u_r / r) */
{
    const double r = sqrt(x * x + y * y);
    return pi * pi * sin(pi * (r - 1)) - pi * cos(pi * (r - 1)) / r;
}

static void make_points(void)
{
    for (int ring = 0; ring < RINGS; ring++) {
        for (int k = 0; k < AROUND; k++) {
            const int p = ring * AROUND + k;
            const int inner = ring > 0 && ring < RINGS - 1;
            const double shift = inner ? 0.3 * sin(12.9898 * p) : 0; /* no two cells are equal */
            const double r = 1 + (ring + shift) / (RINGS - 1);
            const double angle = 2 * pi * (k + 0.5 * (ring % 2) + shift) / AROUND;
            px[p] = r * cos(angle);
            py[p] = r * sin(angle);
        }
    }
}

static int on_rim(int p)
{
    return p < AROUND || p >= POINTS - AROUND;
}

/* Adds the triangle's 3 x 3 matrix and load. Points on the boundary get a row of the identity, and
 * their columns are left out. */
static void add_triangle(int a, int b, int c)
{
    const int node[3] = {a, b, c};
    const double area2 = (px[b] - px[a]) * (py[c] - py[a]) - (px[c] - px[a]) * (py[b] - py[a]);

    for (int i = 0; i < 3; i++) {
        const int p = node[i], q = node[(i + 1) % 3], r = node[(i + 2) % 3];
        if (on_rim(p)) continue;
        for (int j = 0; j < 3; j++) {
            const int s = node[j], t = node[(j + 1) % 3], v = node[(j + 2) % 3];
            if (on_rim(s)) continue;
            column[p][count[p]] = s;
            entry[p][count[p]++] =
                ((py[q] - py[r]) * (py[t] - py[v]) + (px[r] - px[q]) * (px[v] - px[t])) /
                (2 * fabs(area2));
        }
        load[p] +=
            fabs(area2) / 6 * source((px[a] + px[b] + px[c]) / 3, (py[a] + py[b] + py[c]) / 3);
    }
}

int main(void)
{
    int32_t *start = calloc(POINTS + 1, sizeof *start), *col = calloc(POINTS * MOST, sizeof *col);
    double *value = calloc(POINTS * MOST, sizeof *value), *u = calloc(POINTS, sizeof *u), worst = 0;
    gsolve_context *ctx = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    make_points();
    for (int ring = 0; ring + 1 < RINGS; ring++) {
        for (int k = 0; k < AROUND; k++) {
            const int a = ring * AROUND + k, b = ring * AROUND + (k + 1) % AROUND;
            const int c = a + AROUND, d = b + AROUND;
            add_triangle(a, b, ring % 2 ? d : c); /* alternate rings are half a step apart */
            add_triangle(ring % 2 ? a : b, d, c);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        if (on_rim(p)) column[p][0] = p, entry[p][0] = 1, count[p] = 1;
        for (int k = 0; k < count[p]; k++) {
            col[start[p] + k] = column[p][k];
            value[start[p] + k] = entry[p][k];
        }
        start[p + 1] = start[p] + count[p];
    }

    const gsolve_csr csr = gsolve_csr_view(POINTS, start, col, value);
    if (gsolve_context_create(&ctx, "auto") ||
        gsolve_solve(ctx, &csr, gsolve_vector(load, POINTS), gsolve_vector(u, POINTS), &result)) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        return 1;
    }
    for (int p = 0; p < POINTS; p++) worst = fmax(worst, fabs(u[p] - exact(px[p], py[p])));
    printf("%d unknowns: %s in %d iterations, largest error %.1e\n", POINTS,
           gsolve_outcome_text(result.outcome), result.iterations, worst);
    gsolve_context_destroy(&ctx);
    free(start);
    free(col);
    free(value);
    free(u);
    return result.outcome == GSOLVE_CONVERGED && worst < 5e-3 ? 0 : 1;
}
