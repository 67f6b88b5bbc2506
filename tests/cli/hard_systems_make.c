/* hard_systems_make.c: makes, writes and checks the systems of hard_systems.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard_systems.h"

enum { GRID = 30 };

static void begin(hard_system *s, int nrows, int ncols)
{
    *s = (hard_system){.nrows = nrows, .ncols = ncols};
}

static void add(hard_system *s, int row, int col, double value)
{
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->row = realloc(s->row, (size_t)s->capacity * sizeof *s->row);
        s->col = realloc(s->col, (size_t)s->capacity * sizeof *s->col);
        s->value = realloc(s->value, (size_t)s->capacity * sizeof *s->value);
    }
    s->row[s->count] = row;
    s->col[s->count] = col;
    s->value[s->count++] = value;
}

/* The five-point stencil from row `at` on: diagonal, west and south, east and north. neumann: rows
 * sum to 0. */
static void stencil(hard_system *s, int at, int n, double diagonal, double back, double forth,
                    bool of_neumann)
{
    for (int i = 0; i < n * n; i++) {
        const int x = i % n, y = i / n;
        const int neighbours = (x > 0) + (y > 0) + (x < n - 1) + (y < n - 1);
        if (y > 0) add(s, at + i, at + i - n, back);
        if (x > 0) add(s, at + i, at + i - 1, back);
        add(s, at + i, at + i, of_neumann ? neighbours : diagonal);
        if (x < n - 1) add(s, at + i, at + i + 1, forth);
        if (y < n - 1) add(s, at + i, at + i + n, forth);
    }
}

static void grid(hard_system *s, double diagonal, double back, double forth)
{
    begin(s, GRID * GRID, GRID * GRID);
    stencil(s, 0, GRID, diagonal, back, forth, false);
}

void laplacian(hard_system *s)
{
    grid(s, 4, -1, -1);
}

void negative_definite(hard_system *s)
{
    grid(s, -4, 1, 1);
}

void shifted(hard_system *s)
{
    grid(s, 3.3, -1, -1);
}

void convection(hard_system *s)
{
    grid(s, 4, -1.6, -0.4);
}

void strong_convection(hard_system *s)
{
    grid(s, 4, -6, 4);
}

void odd_name(hard_system *s)
{
    convection(s);
}

void skew(hard_system *s)
{
    begin(s, 900, 900);
    for (int i = 0; i + 1 < 900; i++) {
        add(s, i, i + 1, 1 + i % 7);
        add(s, i + 1, i, -1 - i % 7);
    }
}

void odd_skew(hard_system *s)
{
    begin(s, 901, 901);
    for (int i = 0; i + 1 < 901; i++) {
        add(s, i, i + 1, 1 + i % 7);
        add(s, i + 1, i, -1 - i % 7);
    }
}

void rotation(hard_system *s)
{
    begin(s, 2, 2);
    add(s, 0, 1, -1);
    add(s, 1, 0, 1);
}

void cyclic_shift(hard_system *s)
{
    begin(s, 200, 200);
    for (int i = 0; i < 200; i++) add(s, i, (i + 1) % 200, 1);
}

void cyclic_shift_e1(hard_system *s)
{
    cyclic_shift(s);
    s->first_of_b = 5;
}

static void set(hard_system *s, int row, int col, double value)
{
    for (int k = 0; k < s->count; k++) {
        if (s->row[k] == row && s->col[k] == col) s->value[k] = value;
    }
}

void bad_diagonal(hard_system *s)
{
    laplacian(s);
    set(s, 370, 370, -4);
}

/* The square of the Laplacian. */
void biharmonic(hard_system *s)
{
    static const int dx[] = {0, 1, -1, 0, 0}, dy[] = {0, 0, 0, 1, -1};

    begin(s, GRID * GRID, GRID * GRID);
    for (int i = 0; i < s->nrows; i++) {
        double row[25] = {0};
        for (int k = 0; k < 25; k++) {
            const int x = i % GRID + dx[k / 5], y = i / GRID + dy[k / 5];
            if (x < 0 || y < 0 || x >= GRID || y >= GRID) continue;
            row[5 * (2 + dy[k / 5] + dy[k % 5]) + 2 + dx[k / 5] + dx[k % 5]] +=
                (k / 5 ? -1 : 4) * (k % 5 ? -1 : 4);
        }
        for (int k = 0; k < 25; k++) {
            const int x = i % GRID + k % 5 - 2, y = i / GRID + k / 5 - 2;
            if (x < 0 || y < 0 || x >= GRID || y >= GRID || row[k] == 0) continue;
            add(s, i, y * GRID + x, row[k]);
        }
    }
}

static void drop(hard_system *s, int row, int col)
{
    int kept = 0;

    for (int k = 0; k < s->count; k++) {
        if (s->row[k] == row || s->col[k] == col) continue;
        s->row[kept] = s->row[k];
        s->col[kept] = s->col[k];
        s->value[kept++] = s->value[k];
    }
    s->count = kept;
}

void empty_row(hard_system *s)
{
    convection(s);
    drop(s, 4, -1);
}

void empty_column(hard_system *s)
{
    convection(s);
    drop(s, -1, 6);
}

void zero(hard_system *s)
{
    begin(s, 50, 50);
}

void permuted_rows(hard_system *s)
{
    convection(s);
    for (int k = 0; k < s->count; k++) s->row[k] = (7 * s->row[k] + 13) % s->nrows;
}

static void scale_rows(hard_system *s, double most)
{
    convection(s);
    for (int k = 0; k < s->count; k++) {
        s->value[k] *= pow(most, (double)(s->row[k] % 11) / 10);
    }
}

void scaled_1e20(hard_system *s)
{
    scale_rows(s, 1e20);
}

void scaled_1e300(hard_system *s)
{
    scale_rows(s, 1e300);
}

void jumps(hard_system *s)
{
    laplacian(s);
    for (int k = 0; k < s->count; k++) {
        const double a = s->row[k] % GRID < 15 ? 1 : 1e6, b = s->col[k] % GRID < 15 ? 1 : 1e6;
        s->value[k] *= a * b;
    }
}

void neumann(hard_system *s)
{
    begin(s, GRID * GRID, GRID * GRID);
    stencil(s, 0, GRID, 0, -1, -1, true);
}

/* With b = A*ones plus a multiple of A e_1, which hard_set_b cannot add: a source and a sink. */
void neumann_consistent(hard_system *s)
{
    neumann(s);
    s->first_of_b = 1;
}

void two_neumann(hard_system *s)
{
    begin(s, 800, 800);
    stencil(s, 0, 20, 0, -1, -1, true);
    stencil(s, 400, 20, 0, -1, -1, true);
}

void equal_rows(hard_system *s)
{
    const int n = 40;

    begin(s, n, n);
    s->first_of_b = 5;
    for (int i = 0; i < n; i++) {
        const int like = i == 7 ? 0 : i;
        for (int j = 0; j < n; j++) add(s, i, j, 1.0 / (1 + abs(like - j)) + 0.1 * sin(like * j));
    }
}

/* [K B'; B 0] with K of 100 rows and B of 20. */
void saddle(hard_system *s)
{
    begin(s, 120, 120);
    stencil(s, 0, 10, 4, -1, -1, false);
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 3; k++) {
            add(s, 100 + i, 5 * i + k, 1 + k);
            add(s, 5 * i + k, 100 + i, 1 + k);
        }
    }
}

void tall(hard_system *s)
{
    begin(s, 60, 20);
    for (int i = 0; i < 60; i++) {
        add(s, i, i % 20, 2 + i % 3);
        add(s, i, (i + 3) % 20, -1);
    }
}

void wide(hard_system *s)
{
    tall(s);
    for (int k = 0; k < s->count; k++) {
        const int row = s->row[k];
        s->row[k] = s->col[k];
        s->col[k] = row;
    }
    s->nrows = 20;
    s->ncols = 60;
}

/* --- vectors and files ------------------------------------------------------------------------ */

void hard_set_b(hard_system *s, bool a_ones, double number)
{
    s->b = calloc((size_t)s->nrows, sizeof *s->b);
    for (int i = 0; i < s->nrows && !a_ones; i++) s->b[i] = number;
    for (int k = 0; k < s->count && a_ones; k++) s->b[s->row[k]] += s->value[k];
    s->b[0] += a_ones ? s->first_of_b : 0;
    if (a_ones && s->first_of_b == 1) s->b[s->nrows - 1] -= 1; /* the sink of Neumann */
}

void hard_write(const hard_system *s, const char *matrix, const char *rhs)
{
    FILE *file = fopen(matrix, "w");

    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", s->nrows, s->ncols,
            s->count);
    for (int k = 0; k < s->count; k++) {
        fprintf(file, "%d %d %.17g\n", s->row[k] + 1, s->col[k] + 1, s->value[k]);
    }
    fclose(file);
    file = fopen(rhs, "w");
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%d 1\n", s->nrows);
    for (int i = 0; i < s->nrows; i++) fprintf(file, "%.17g\n", s->b[i]);
    fclose(file);
}

double *hard_read_vector(const char *name, int n)
{
    FILE *file = fopen(name, "r");
    double *x = calloc((size_t)n, sizeof *x);
    char line[2000] = "%";
    int rows = 0, read = 0;

    while (file && line[0] == '%' && fgets(line, sizeof line, file)) {
    }
    if (file && sscanf(line, "%d", &rows) == 1 && rows == n) {
        while (read < n && fscanf(file, "%lf", &x[read]) == 1) read++;
    }
    if (file) fclose(file);
    if (read == n) return x;
    free(x);
    return NULL;
}

/* |v|, without overflow. */
static double norm(int n, const double *v)
{
    long double sum = 0;

    for (int i = 0; i < n; i++) sum += (long double)v[i] * v[i];
    return (double)sqrtl(sum);
}

void hard_measure(const hard_system *s, const double *x, hard_norms *norms)
{
    long double *r = calloc((size_t)s->nrows, sizeof *r), *g = calloc((size_t)s->ncols, sizeof *g);
    long double rr = 0, gg = 0, aa = 0;

    for (int i = 0; i < s->nrows; i++) r[i] = s->b[i];
    for (int k = 0; k < s->count; k++) r[s->row[k]] -= (long double)s->value[k] * x[s->col[k]];
    for (int k = 0; k < s->count; k++) {
        g[s->col[k]] += s->value[k] * r[s->row[k]];
        aa += (long double)s->value[k] * s->value[k];
    }
    for (int i = 0; i < s->nrows; i++) rr += r[i] * r[i];
    for (int j = 0; j < s->ncols; j++) gg += g[j] * g[j];
    const double b = norm(s->nrows, s->b);
    norms->residual = (double)sqrtl(rr) / (b > 0 ? b : 1);
    norms->normal = rr > 0 && aa > 0 ? (double)(sqrtl(gg) / sqrtl(aa) / sqrtl(rr)) : 0;
    free(r);
    free(g);
}

void hard_free(hard_system *s)
{
    free(s->row);
    free(s->col);
    free(s->value);
    free(s->b);
}
