/* rows.c: the rows of a matrix: their copy on the device, their copy on the host when it is needed,
 * and new values. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "spmv/bsr/bsr.h"
#include "spmv/distributed/distributed.h"
#include "spmv/handle.h"

/* --- memory ----------------------------------------------------------------------------------- */

/* If the rows take less than 1 / AMPLE of the device's free memory, the memory of the form is not
 * estimated, since the estimate needs the offsets on the host. */
#define AMPLE 16

/* *bytes = the memory of the form, as the format estimates it; 0 if it does not. */
static gsolve_status ask_format(const gsolve_matrix *A, const gsolve_csr *csr, double rows,
                                double *bytes)
{
    const size_t offsets = ((size_t)csr->nrows + 1) * gs_offset_size(csr->offset);
    gsolve_csr here = *csr;
    void *start = NULL;
    gsolve_status status = GSOLVE_OK;

    *bytes = 0;
    if (!A->format->memory) return GSOLVE_OK;
    if (csr->location == GSOLVE_DEVICE) {
        if (AMPLE * rows < (double)gs_memory_available(A->ctx)) return GSOLVE_OK;
        start = gsolve_alloc(A->ctx, GSOLVE_HOST, offsets, 1);
        if (!start) return GSOLVE_NO_MEMORY;
        TRY(gsolve_copy(A->ctx, start, GSOLVE_HOST, csr->start, csr->location, offsets));
        here.start = start;
        here.location = GSOLVE_HOST;
    }
    *bytes = (double)A->format->memory(&here, A->options, A->format->user);
done:
    gsolve_free(A->ctx, GSOLVE_HOST, start);
    return status;
}

gsolve_status gs_matrix_fits(const gsolve_matrix *A, const gsolve_csr *csr, bool copied)
{
    gsolve_csr shape = *csr;
    char what[100];
    double rows, format;
    int64_t entries;
    gsolve_status status;

    if (gs_location(A->ctx) == GSOLVE_HOST || !A->ctx->device->memory) return GSOLVE_OK;
    TRY(gs_csr_entries(A->ctx, csr, &entries));
    if (entries <= INT32_MAX) shape.offset = GSOLVE_O32;
    rows = gs_csr_bytes(&shape, entries);
    TRY(ask_format(A, csr, rows, &format));
    snprintf(what, sizeof what, "the matrix in the format %.64s", A->format->plugin.name);
    TRY(gs_memory_need(A->ctx, (copied ? rows : 0) + format, what));
done:
    return status;
}

/* --- host and device -------------------------------------------------------------------------- */

gsolve_status gs_rows_on_device(gsolve_csr *csr, gsolve_context *ctx, const gsolve_csr *rows)
{
    if (gs_location(ctx) == GSOLVE_DEVICE) return gs_csr_move(csr, ctx, GSOLVE_DEVICE, rows);
    *csr = *rows;
    return GSOLVE_OK;
}

gsolve_status gs_matrix_need_csr(const gsolve_matrix *constant)
{
    gsolve_matrix *A = constant->lazy;
    gsolve_csr csr = {0};
    gsolve_status status = GSOLVE_OK;

    if (A->blocks.size == 0 || A->csr.start) return GSOLVE_OK;
    TRY(gs_csr_new_at(&csr, A->ctx, A->csr.location, A->csr.nrows, A->csr.ncols, A->entries,
                      A->csr.type));
    TRY(gs_bsr_spread(A->self, A->ctx, &A->blocks, &csr));
    A->csr = csr;
    if (csr.location == GSOLVE_HOST) A->rows = csr;
    memset(&csr, 0, sizeof csr);
done:
    gsolve_csr_free(&csr, A->ctx);
    return status;
}

gsolve_status gs_matrix_check_rows(const gsolve_matrix *A)
{
    if (!A->is_operator) return GSOLVE_OK;
    return gsolve_fail(A->ctx, GSOLVE_UNSUPPORTED,
                       "this call needs the rows of A, and an operator has none; create a "
                       "preconditioner from an approximate CSR matrix, by "
                       "gsolve_precond_create_chebyshev or by gsolve_precond_create_function, and "
                       "use a method other than direct");
}

gsolve_status gs_matrix_need_rows(const gsolve_matrix *constant)
{
    gsolve_matrix *A = constant->lazy;
    gsolve_status status;

    TRY(gs_matrix_check_rows(A));
    TRY(gs_matrix_need_csr(A));
    if (!A->rows.start) TRY(gs_csr_move(&A->rows, A->ctx, GSOLVE_HOST, &A->csr));
done:
    return status;
}

gsolve_status gs_matrix_find_pattern(uint64_t *pattern, const gsolve_matrix *A)
{
    uint64_t *known = &A->lazy->statistics.pattern;
    gsolve_status status = GSOLVE_OK;

    if (*known == 0) TRY(gs_csr_find_pattern(known, A->ctx, &A->csr));
    *pattern = *known;
done:
    return status;
}

/* --- release and restore ---------------------------------------------------------------------- */

void gs_matrix_release_rows(gsolve_matrix *A)
{
    const gs_format_extras *extras = gs_format_extras_of(A->format);
    gsolve_csr *csr = &A->csr;

    if (!gs_on_gpu(A->ctx) || !extras || !extras->holds_all(A->self)) return;
    gsolve_free(A->ctx, csr->location, csr->col);
    gsolve_free(A->ctx, csr->location, csr->value);
    csr->col = NULL;
    csr->value = NULL;
}

gsolve_status gs_matrix_restore_rows(gsolve_matrix *A)
{
    if (A->csr.col) return GSOLVE_OK;
    return gs_format_extras_of(A->format)->restore(A->self, A->ctx, &A->csr);
}

/* --- new values ------------------------------------------------------------------------------- */

/* Whether csr, which has that many entries, has A's pattern and type. rows: A's rows where csr
 * lies. */
static gsolve_status has_pattern(const gsolve_matrix *A, const gsolve_csr *rows,
                                 const gsolve_csr *csr, int64_t entries, bool *same)
{
    const int64_t given = A->destination ? A->given : A->entries;
    gsolve_status status = GSOLVE_OK;

    *same = false;
    if (csr->nrows != A->csr.nrows || csr->ncols != A->csr.ncols || csr->type != A->csr.type ||
        entries != given) {
        return GSOLVE_OK;
    }
    if (A->destination) {
        *same = gs_csr_pattern_hash(A->ctx, csr) == A->given_pattern;
    } else {
        TRY(gs_inspector(A->ctx, rows)->compare(A->ctx, rows, A->entries, csr, false, same));
    }
done:
    return status;
}

/* Adds the caller's values to the host's values as gs_csr_clean did: see destination in handle.h.
 */
static void gather_values(gsolve_matrix *A, const gsolve_csr *csr)
{
    const size_t bytes = (size_t)A->entries * gs_type_size(csr->type);
    void *value = gs_owned_block(A->ctx, A->rows.value);

    if (!A->destination) {
        gsolve_copy(A->ctx, value, GSOLVE_HOST, csr->value, GSOLVE_HOST, bytes);
        return;
    }
    memset(value, 0, bytes);
    for (int64_t k = 0; k < A->given; k++) {
        if (csr->type == GSOLVE_F32) {
            ((float *)value)[A->destination[k]] += ((const float *)csr->value)[k];
        } else {
            ((double *)value)[A->destination[k]] += ((const double *)csr->value)[k];
        }
    }
}

/* Copies values between two rows of one pattern, unless both are the same array. */
static gsolve_status copy_values(const gsolve_matrix *A, const gsolve_csr *to,
                                 const gsolve_csr *from)
{
    if (to->value == from->value) return GSOLVE_OK;
    return gsolve_copy(A->ctx, gs_owned_block(A->ctx, to->value), to->location, from->value,
                       from->location, (size_t)A->entries * gs_type_size(to->type));
}

gsolve_status gs_matrix_refresh_rows(gsolve_matrix *A)
{
    return A->rows.start ? copy_values(A, &A->rows, &A->csr) : GSOLVE_OK;
}

gsolve_status gs_matrix_send_rows(gsolve_matrix *A)
{
    return copy_values(A, &A->csr, &A->rows);
}

static gsolve_status values_from_device(gsolve_matrix *A, const gsolve_csr *csr, int64_t entries,
                                        bool *same)
{
    gsolve_status status;

    TRY(has_pattern(A, &A->csr, csr, entries, same));
    if (!*same) return GSOLVE_OK;
    TRY(copy_values(A, &A->csr, csr));
    TRY(gs_matrix_refresh_rows(A));
done:
    return status;
}

static gsolve_status values_from_host(gsolve_matrix *A, const gsolve_csr *csr, int64_t entries,
                                      bool *same)
{
    gsolve_status status;

    TRY(gs_matrix_need_rows(A));
    TRY(has_pattern(A, &A->rows, csr, entries, same));
    if (!*same) return GSOLVE_OK;
    gather_values(A, csr);
    TRY(copy_values(A, &A->csr, &A->rows));
done:
    return status;
}

gsolve_status gs_matrix_copy_values(gsolve_matrix *A, const gsolve_csr *csr, int64_t entries,
                                    bool *same)
{
    gsolve_csr fetched = {0};
    gsolve_status status;

    if (csr->location == GSOLVE_DEVICE && !A->destination)
        return values_from_device(A, csr, entries, same);
    TRY(gs_csr_to_host(&csr, A->ctx, &fetched));
    TRY(values_from_host(A, csr, entries, same));
done:
    gsolve_csr_free(&fetched, A->ctx);
    return status;
}
