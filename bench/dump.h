/* dump.h: rows in the file that the peers read, which cannot link against gsolve. */
#ifndef BENCH_DUMP_H
#define BENCH_DUMP_H

#include <gsolve.h>
#include <stdio.h>

/* nrows, ncols, entries, start, col, value; offsets of 32 bits, double. false: not written. */
static inline bool bench_dump(const char *path, const gsolve_csr *A)
{
    FILE *file = fopen(path, "wb");
    const int64_t entries = gsolve_csr_entries(A);

    if (!file) return false;
    fwrite(&A->nrows, 4, 1, file);
    fwrite(&A->ncols, 4, 1, file);
    fwrite(&entries, 8, 1, file);
    fwrite(A->start, 4, (size_t)A->nrows + 1, file);
    fwrite(A->col, 4, (size_t)entries, file);
    fwrite(A->value, 8, (size_t)entries, file);
    return fclose(file) == 0;
}

#endif
