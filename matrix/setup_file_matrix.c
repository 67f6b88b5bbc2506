/* setup_file_matrix.c: the hashes of a matrix in files that hold a set-up, see setup_file.h. */
#include "core/try.h"
#include "matrix/setup_file_format.h"

static gsolve_status hash_values(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries, gsolve_type type)
{
    float *narrow = NULL;
    gsolve_status status = GSOLVE_OK;

    if (type == csr->type) {
        *hash = gs_hash(ctx, csr->value, (size_t)entries * gs_type_size(type), GS_SETUP_VERSION);
        return GSOLVE_OK;
    }
    if (csr->type == GSOLVE_F32) { /* no set-up is wider than its matrix */
        *hash = 0;
        return GSOLVE_OK;
    }
    ALLOC(ctx, GSOLVE_HOST, narrow, entries);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < entries; k++) narrow[k] = (float)((const double *)csr->value)[k];
    *hash = gs_hash(ctx, narrow, (size_t)entries * sizeof *narrow, GS_SETUP_VERSION);
done:
    gsolve_free(ctx, GSOLVE_HOST, narrow);
    return status;
}

gsolve_status gs_saved_set_matrix(gs_saved_head *head, gsolve_context *ctx, const gsolve_csr *csr)
{
    head->n = csr->nrows;
    head->entries = gs_start(csr, csr->nrows);
    head->pattern = gs_csr_pattern_hash(ctx, csr);
    return hash_values(&head->values, ctx, csr, head->entries, (gsolve_type)head->stored);
}
