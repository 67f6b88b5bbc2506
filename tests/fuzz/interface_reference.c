/* interface_reference.c: what results have to be, in long double from the caller's own arrays, and
 * how much rounding may change them. Shares no code with the library. */
#include "tests/fuzz/interface.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double unit_roundoff(gsolve_type type)
{
    return type == GSOLVE_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

static long double tiniest(gsolve_type type)
{
    return type == GSOLVE_F32 ? (long double)FLT_MIN : (long double)DBL_MIN;
}

static long double greatest(gsolve_type type)
{
    return type == GSOLVE_F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
}

/* --- residuals -------------------------------------------------------------------------------- */

/* Duplicates are summed in A's type; all else is in double. */
reference true_residual(const input *A, const vectors *b, const vectors *x, int32_t c)
{
    const long double of_sums = A->duplicates ? 4 * (long double)unit_roundoff(A->csr.type) : 0;
    long double rr = 0, bb = 0, ss = 0;
    reference out;

    for (int32_t i = 0; i < A->csr.nrows; i++) {
        const int64_t from = offset_at(&A->csr, i), to = offset_at(&A->csr, i + 1);
        const long double bi = (long double)number_at(b, i, c);
        long double r = bi, size = fabsl(bi), slack;
        for (int64_t k = from; k < to; k++) {
            const long double term =
                (long double)value_at(&A->csr, k) * (long double)number_at(x, A->csr.col[k], c);
            r -= term;
            size += fabsl(term);
        }
        slack = ((long double)(to - from + 8) * ((long double)DBL_EPSILON + of_sums)) * size +
                (long double)(to - from + 1) * (long double)DBL_MIN;
        rr += r * r;
        bb += bi * bi;
        ss += slack * slack;
    }
    out.residual = sqrtl(rr);
    out.norm = sqrtl(bb);
    out.slack = sqrtl(ss);
    return out;
}

/* --- products with vectors ----------------------------------------------------------------------
 */

typedef struct sums { /* for each row of the result */
    long double *value, *size;
    int64_t *terms;
} sums;

static sums new_sums(int64_t n)
{
    sums s;

    s.value = must_alloc(((size_t)n + 1) * sizeof *s.value);
    s.size = must_alloc(((size_t)n + 1) * sizeof *s.size);
    s.terms = must_alloc(((size_t)n + 1) * sizeof *s.terms);
    for (int64_t i = 0; i < n; i++) s.value[i] = s.size[i] = 0;
    memset(s.terms, 0, ((size_t)n + 1) * sizeof *s.terms);
    return s;
}

static void drop_sums(sums *s)
{
    free(s->value);
    free(s->size);
    free(s->terms);
}

static void add_term(sums *s, int64_t at, long double term, long double size, int64_t terms)
{
    s->value[at] += term;
    s->size[at] += size;
    s->terms[at] += terms;
}

static void sum_column(sums *s, const input *A, bool transposed, const vectors *x, int32_t c)
{
    for (int32_t i = 0; i < A->csr.nrows; i++) {
        for (int64_t k = offset_at(&A->csr, i); k < offset_at(&A->csr, i + 1); k++) {
            const int32_t j = A->csr.col[k];
            const long double term = (long double)value_at(&A->csr, k) *
                                     (long double)number_at(x, transposed ? i : j, c);
            add_term(s, transposed ? j : i, term, fabsl(term), 1);
        }
    }
}

void check_product(fuzz *f, const char *call, const input *A, bool transposed, double alpha,
                   const vectors *x, double beta, const vectors *y)
{
    const gsolve_type type = A->csr.type;
    const long double eps = (long double)unit_roundoff(type), most = greatest(type) / 8;
    const long double a = (long double)alpha;

    for (int32_t c = 0; c < y->d.ncols && !f->failed; c++) {
        sums s = new_sums(y->d.nrows);
        sum_column(&s, A, transposed, x, c);
        for (int32_t i = 0; i < y->d.nrows && !f->failed; i++) {
            const long double old = beta != 0 ? beta * (long double)number_before(y, i, c) : 0;
            const long double size = fabsl(a) * s.size[i] + fabsl(old);
            const long double bound =
                (long double)(s.terms[i] + 10) * (eps * size + tiniest(type) * (1 + fabsl(a)));
            const long double error =
                fabsl((long double)number_at(y, i, c) - (a * s.value[i] + old));
            if (size > most || s.size[i] > most || error <= bound) continue;
            complain(f, "%s: row %d of column %d is %g; it should be %Lg, within %Lg", call, i, c,
                     number_at(y, i, c), a * s.value[i] + old, bound);
        }
        drop_sums(&s);
    }
}

/* --- products of matrices -----------------------------------------------------------------------
 */

/* to += a row of sums times A. */
static void multiply_row(sums *to, const sums *row, const input *A)
{
    for (int32_t j = 0; j < A->csr.nrows; j++) {
        if (row->terms[j] == 0) continue;
        for (int64_t k = offset_at(&A->csr, j); k < offset_at(&A->csr, j + 1); k++) {
            const long double value = (long double)value_at(&A->csr, k);
            add_term(to, A->csr.col[k], row->value[j] * value, row->size[j] * fabsl(value),
                     row->terms[j]);
        }
    }
}

static void set_row(sums *s, const input *A, int32_t i)
{
    for (int64_t k = offset_at(&A->csr, i); k < offset_at(&A->csr, i + 1); k++) {
        const long double value = (long double)value_at(&A->csr, k);
        add_term(s, A->csr.col[k], value, fabsl(value), 1);
    }
}

static void compare_row(fuzz *f, const char *call, const sums *s, int32_t i, const gsolve_csr *C,
                        bool exact)
{
    const long double eps = (long double)unit_roundoff(C->type), tiny = tiniest(C->type);
    int64_t k = offset_at(C, i);
    const int64_t end = offset_at(C, i + 1);

    for (int32_t j = 0; j < C->ncols && !f->failed; j++) {
        const bool stored = k < end && C->col[k] == j;
        long double value = 0;
        const long double bound = (long double)(s->terms[j] + 10) * (eps * s->size[j] + tiny);
        for (; k < end && C->col[k] == j; k++) value += (long double)value_at(C, k);
        if (exact && stored != (s->terms[j] > 0)) {
            complain(f, "%s: the entry of row %d and column %d is %s", call, i, j,
                     stored ? "there, though the patterns make none" : "missing");
        }
        if (s->size[j] > greatest(C->type) / 8) continue;
        if (fabsl(value - s->value[j]) <= bound) continue;
        complain(f, "%s: row %d, column %d is %Lg; it should be %Lg, within %Lg", call, i, j, value,
                 s->value[j], bound);
    }
}

/* Whether a partial product may be beyond the range of the type: then nothing is known of C. */
static bool overflows(const sums *s, int64_t n, gsolve_type type)
{
    const long double eps = (long double)unit_roundoff(type);

    for (int64_t j = 0; j < n; j++) {
        if (s->size[j] > greatest(type) / 8) return true;
        if (s->size[j] > 0 && s->size[j] * eps < tiniest(type)) return true;
    }
    return false;
}

void check_multiplied(fuzz *f, const char *call, const input *left, const input *middle,
                      const input *right, const gsolve_csr *C, bool exact)
{
    if (C->nrows != left->csr.nrows || C->ncols != right->csr.ncols) {
        complain(f, "%s returns a matrix of %d x %d", call, C->nrows, C->ncols);
    }
    for (int32_t i = 0; i < C->nrows && !f->failed; i++) {
        sums first = new_sums(left->csr.ncols), last = new_sums(right->csr.ncols);
        sums between = new_sums(middle ? middle->csr.ncols : 0);
        bool beyond = false;
        set_row(&first, left, i);
        if (middle) multiply_row(&between, &first, middle);
        if (middle) beyond = overflows(&between, middle->csr.ncols, C->type);
        multiply_row(&last, middle ? &between : &first, right);
        if (!beyond) compare_row(f, call, &last, i, C, exact);
        drop_sums(&first);
        drop_sums(&between);
        drop_sums(&last);
    }
}

void check_same_matrix(fuzz *f, const char *call, const input *A, const gsolve_csr *C)
{
    if (C->nrows != A->csr.nrows || C->ncols != A->csr.ncols) {
        complain(f, "%s returns a matrix of %d x %d", call, C->nrows, C->ncols);
    }
    for (int32_t i = 0; i < C->nrows && !f->failed; i++) {
        sums s = new_sums(A->csr.ncols);
        set_row(&s, A, i);
        compare_row(f, call, &s, i, C, true);
        drop_sums(&s);
    }
}
