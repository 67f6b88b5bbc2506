/* bench.h: what the benchmark programs share. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the seconds and returns the median. */
static inline double bench_median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, bench_compare);
    return seconds[count / 2];
}

/* Bytes a second of a = b + s c, three arrays beyond the caches; the best of ten. */
static inline double bench_triad(int threads)
{
    const long n = 20000000;
    double *a = (double *)malloc((size_t)n * 8), *b = (double *)malloc((size_t)n * 8),
           *c = (double *)malloc((size_t)n * 8);
    double best = 1e30;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (long i = 0; i < n; i++) a[i] = 0, b[i] = 1, c[i] = 2;
    for (int run = 0; run < 10; run++) {
        const double begin = bench_now();
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (long i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
        const double seconds = bench_now() - begin;
        if (seconds < best) best = seconds;
    }
    if (a[n / 2] != 7) best = 1e30; /* keeps the loop from being removed */
    free(a);
    free(b);
    free(c);
    return 24.0 * (double)n / best;
}

#endif
