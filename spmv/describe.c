/* describe.c: descriptions of a matrix handle, and the memory that one would take. */
#include <stdio.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "spmv/distributed/distributed.h"
#include "spmv/handle.h"

/* --- memory ----------------------------------------------------------------------------------- */

gsolve_status gsolve_matrix_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   size_t *bytes)
{
    const gsolve_plugin *plugin;
    const gsolve_format *format;
    void *options = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!spec || !csr || !bytes || csr->location != GSOLVE_HOST) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_memory: an argument is NULL, or csr is not on the host");
    }
    TRY(gs_csr_check(ctx, csr, NULL));
    TRY(gs_plugin_parse(ctx, &ctx->formats, gs_formats(ctx), "format", spec, &plugin, &options));
    format = gs_format_of(plugin);
    if (!format->memory) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the format %s cannot estimate its memory",
                             plugin->name);
        goto done;
    }
    *bytes = (size_t)gs_csr_bytes(csr, gs_start(csr, csr->nrows)) +
             format->memory(csr, options, format->user);
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* --- descriptions ----------------------------------------------------------------------------- */

gsolve_status gsolve_matrix_csr(const gsolve_matrix *A, gsolve_csr *csr)
{
    gsolve_status status;

    if (!A || !csr) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    if (A->dist) {
        TRY(gs_dist_need_block(A));
        *csr = A->dist->block;
        return GSOLVE_OK;
    }
    TRY(gs_matrix_need_rows(A));
    *csr = A->rows;
done:
    return status;
}

static gsolve_status check_statistics(const gsolve_matrix *A, const gsolve_statistics *statistics)
{
    return statistics ? GS_CHECK_INFO(A->ctx, gsolve_statistics, statistics)
                      : gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                                    "gsolve_matrix_statistics: statistics is NULL");
}

gsolve_status gsolve_matrix_statistics(const gsolve_matrix *A, gsolve_statistics *statistics)
{
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    TRY(gs_comm_check(gs_matrix_comm(A), check_statistics(A, statistics)));
    if (A->dist) {
        TRY(gs_matrix_need_rows(A));
        TRY(gs_dist_need_statistics(A));
    } else {
        TRY(gs_matrix_check_rows(A));
        TRY(gs_matrix_need_csr(A));
        TRY(gs_csr_need_statistics(A->ctx, &A->csr, &A->lazy->statistics));
    }
    GS_FILL_INFO(gsolve_statistics, statistics, &A->statistics.t);
done:
    return status;
}

void gsolve_matrix_device_csr(const gsolve_matrix *A, gsolve_csr *csr)
{
    GS_ENTER(A->ctx);
    if (A->dist) {
        gs_dist_block_there(A, csr);
    } else if (gs_matrix_need_csr(A) == GSOLVE_OK) {
        *csr = A->csr;
    } else {
        memset(csr, 0, sizeof *csr);
    }
}

gsolve_status gs_matrix_rows_there(const gsolve_matrix *A, gsolve_csr *rows)
{
    gsolve_status status;

    TRY(gs_matrix_need_csr(A));
    gsolve_matrix_device_csr(A, rows);
    if (!rows->start && !A->is_operator) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

void gsolve_matrix_describe(const gsolve_matrix *A, gsolve_matrix_info *info)
{
    const int64_t entries =
        A->entries + (A->dist ? gs_start(&A->dist->boundary, A->dist->boundary_rows) : 0);
    const size_t value = gs_type_size(A->csr.type);
    gsolve_matrix_info own = {
        .size = sizeof own,
        .format = A->chosen ? gs_auto_format.plugin.name : A->format->plugin.name,
        .nrows = A->csr.nrows,
        .ncols = A->csr.ncols,
        .type = A->csr.type,
        .entries = entries,
        .stored = entries,
        .bytes = (size_t)entries * (value + sizeof(int32_t)) +
                 ((size_t)A->csr.nrows + 1) * gs_offset_size(A->csr.offset) +
                 ((size_t)A->csr.nrows + (size_t)A->csr.ncols) * value,
        .build_seconds = A->build_seconds,
        .version = A->version,
        .null_space = gs_null_dimension(&A->null_spaces.right),
        .total_rows = A->dist ? A->dist->rows.total : A->csr.nrows,
        .total_entries = A->dist ? A->dist->total_entries : entries,
    };

    snprintf(own.form, sizeof own.form, "%s", A->format->plugin.name);
    if (A->format->describe) A->format->describe(A->self, &own);
    GS_FILL_INFO(gsolve_matrix_info, info, &own);
}
