/* setup_file_matrix.c: what files that hold a set-up say of its matrix, see setup_file.h. */
#include <stdio.h>
#include <string.h>

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

gsolve_status gs_saved_set_head(gs_saved_head *head, gsolve_context *ctx, const char *kind,
                                const char *spec, gsolve_type type, const gsolve_csr *csr)
{
    memset(head, 0, sizeof *head);
    snprintf(head->kind, sizeof head->kind, "%.31s", kind);
    snprintf(head->device, sizeof head->device, "%.15s", ctx->device->plugin.name);
    head->type = (int32_t)type;
    head->stored = (int32_t)csr->type;
    head->text = spec ? (int32_t)strlen(spec) : 0;
    return gs_saved_set_matrix(head, ctx, csr);
}
