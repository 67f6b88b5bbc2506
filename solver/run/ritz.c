/* ritz.c: see ritz.h. */
#include "solver/run/ritz.h"

#include <float.h>
#include <math.h>

/* --- symmetric tridiagonal matrices ----------------------------------------------------------- */

/* The number of eigenvalues of T below x: the negative pivots of T - x I. A pivot of 0 counts as a
 * tiny negative one. */
static int count_below(int n, const double *t, double x, double tiny)
{
    double pivot = 1;
    int count = 0;

    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? t[2 * i - 1] : 0;
        pivot = t[2 * i] - x - left * (left / pivot);
        if (fabs(pivot) < tiny) pivot = -tiny;
        count += pivot < 0;
    }
    return count;
}

/* The eigenvalue number k, from 0, in `bounds`. */
static double eigenvalue(int n, const double *t, int k, gs_range bounds, double tiny)
{
    for (int step = 0; step < 200; step++) {
        const double middle = 0.5 * (bounds.least + bounds.most);
        if (!(middle > bounds.least && middle < bounds.most)) break;
        if (count_below(n, t, middle, tiny) > k) {
            bounds.most = middle;
        } else {
            bounds.least = middle;
        }
    }
    return 0.5 * (bounds.least + bounds.most);
}

gs_range gs_tridiagonal_range(int n, const double *t)
{
    gs_range bounds = {INFINITY, -INFINITY}; /* Gershgorin */
    double most = 0, margin, tiny;

    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? fabs(t[2 * i - 1]) : 0;
        const double right = i + 1 < n ? fabs(t[2 * i + 1]) : 0;
        bounds.least = fmin(bounds.least, t[2 * i] - left - right);
        bounds.most = fmax(bounds.most, t[2 * i] + left + right);
    }
    most = fmax(fabs(bounds.least), fabs(bounds.most));
    if (most == 0) return (gs_range){0, 0};
    tiny = fmax(most * DBL_EPSILON * DBL_EPSILON, DBL_MIN);
    margin = 4 * DBL_EPSILON * most;
    bounds = (gs_range){bounds.least - margin, bounds.most + margin};
    return (gs_range){eigenvalue(n, t, 0, bounds, tiny), eigenvalue(n, t, n - 1, bounds, tiny)};
}

gs_triangle gs_tridiagonal_triangle(int n, const double *t, double *space)
{
    const gs_triangle R = {n, 2, 2, space + 2};
    double *r = space + 2, c[2] = {1, 1}, s[2] = {0, 0}; /* the last two rotations */

    space[0] = space[1] = 0;
    for (int j = 0; j < n; j++) {
        const double above = j > 0 ? t[2 * j - 1] : 0, below = t[2 * j + 1];
        const double once = c[0] * above, middle = c[1] * once + s[1] * t[2 * j];
        const double last = c[1] * t[2 * j] - s[1] * once, length = hypot(last, below);
        if (j > 1) r[2 * j + j - 2] = s[0] * above;
        if (j > 0) r[2 * j + j - 1] = middle;
        r[2 * j + j] = length;
        c[0] = c[1], s[0] = s[1];
        c[1] = length > 0 ? last / length : 1;
        s[1] = length > 0 ? below / length : 0;
    }
    return R;
}

/* --- upper triangular matrices ---------------------------------------------------------------- */

static int first_row(gs_triangle R, int j)
{
    return j > R.band ? j - R.band : 0;
}

/* y = R x, x = R'y. */
static void multiply(gs_triangle R, double *x, double *y)
{
    for (int i = 0; i < R.n; i++) y[i] = 0;
    for (int j = 0; j < R.n; j++) {
        for (int i = first_row(R, j); i <= j; i++) y[i] += R.r[j * R.stride + i] * x[j];
    }
    for (int j = 0; j < R.n; j++) {
        double sum = 0;
        for (int i = first_row(R, j); i <= j; i++) sum += R.r[j * R.stride + i] * y[i];
        x[j] = sum;
    }
}

/* y = R^-T x, x = R^-1 y. */
static void solve(gs_triangle R, double *x, double *y)
{
    for (int j = 0; j < R.n; j++) {
        double sum = x[j];
        for (int i = first_row(R, j); i < j; i++) sum -= R.r[j * R.stride + i] * y[i];
        y[j] = sum / R.r[j * R.stride + j];
    }
    for (int i = 0; i < R.n; i++) x[i] = y[i];
    for (int j = R.n - 1; j >= 0; j--) {
        x[j] /= R.r[j * R.stride + j];
        for (int i = first_row(R, j); i < j; i++) x[i] -= R.r[j * R.stride + i] * x[j];
    }
}

static double norm(int n, const double *v)
{
    double sum = 0;

    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* The norm of R, or of R^-1, as |y| for |x| = 1: a Rayleigh quotient, which only grows. */
static double largest(gs_triangle R, double *work,
                      void (*apply)(gs_triangle R, double *x, double *y))
{
    double *x = work, *y = work + R.n, value = 0;

    for (int i = 0; i < R.n; i++) x[i] = 1 + 0.5 * sin(i + 1.0);
    for (int step = 0; step < 300; step++) {
        const double length = norm(R.n, x), before = value;
        if (!(length > 0) || !isfinite(length)) break;
        for (int i = 0; i < R.n; i++) x[i] /= length;
        apply(R, x, y);
        value = fmax(value, norm(R.n, y));
        if (step > 10 && value <= before * (1 + 1e-6)) break;
    }
    return value;
}

gs_range gs_triangle_range(gs_triangle R, double *work)
{
    gs_range range = {0, largest(R, work, multiply)};
    double inverse;

    for (int j = 0; j < R.n; j++) {
        if (R.r[j * R.stride + j] == 0) return range;
    }
    inverse = largest(R, work, solve);
    range.least = inverse > 0 && isfinite(inverse) ? 1 / inverse : 0;
    return range;
}
