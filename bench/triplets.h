/* triplets.h: the file of triplets that bench_assembly writes for its peers. */
#ifndef BENCH_TRIPLETS_H
#define BENCH_TRIPLETS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bench_triplets {
    int32_t nrows, ncols;
    int64_t count;
    int32_t *row, *col;
    double *value;
    double *row_sum; /* of the matrix */
} bench_triplets;

static inline void *bench_read_array(FILE *file, size_t count, size_t size)
{
    void *array = malloc((count + 1) * size);

    if (!array || fread(array, size, count, file) != count) exit(1);
    return array;
}

static inline bench_triplets bench_read_triplets(const char *path)
{
    FILE *file = fopen(path, "rb");
    bench_triplets t;

    if (!file || fread(&t.nrows, 4, 1, file) != 1 || fread(&t.ncols, 4, 1, file) != 1 ||
        fread(&t.count, 8, 1, file) != 1) {
        exit(1);
    }
    t.row = (int32_t *)bench_read_array(file, (size_t)t.count, 4);
    t.col = (int32_t *)bench_read_array(file, (size_t)t.count, 4);
    t.value = (double *)bench_read_array(file, (size_t)t.count, 8);
    t.row_sum = (double *)bench_read_array(file, (size_t)t.nrows, 8);
    fclose(file);
    return t;
}

/* Ends the program unless the row sums are those of the file. */
static inline void bench_check_row_sums(const bench_triplets *t, const double *row_sum)
{
    double most = 0, worst = 0;

    for (int32_t i = 0; i < t->nrows; i++) {
        const double apart = row_sum[i] - t->row_sum[i], size = t->row_sum[i];
        if (!(apart <= worst && -apart <= worst)) worst = apart < 0 ? -apart : apart;
        if (size > most || -size > most) most = size < 0 ? -size : size;
    }
    if (worst <= 1e-12 * most) return;
    fprintf(stderr, "the row sums differ by %g\n", worst);
    exit(1);
}

#endif
