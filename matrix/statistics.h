/* statistics.h: checks of compressed rows in one pass. */
#ifndef GS_MATRIX_STATISTICS_H
#define GS_MATRIX_STATISTICS_H

#include "matrix/csr.h"

/* The result. A member is valid if no member above it reports an error. */
typedef struct gs_csr_findings {
    int32_t bad_row;   /* the first that ends before it begins; 0 if offset 0 is not 0; -1: none */
    int64_t entries;   /* number of all entries */
    int64_t bad_entry; /* the first with a column out of range or a value not finite; -1: none */
    bool ascending;    /* whether columns ascend strictly in every row */
} gs_csr_findings;

typedef struct gs_check_rows_kernels {
    /* Computes all members with one synchronisation of the device. */
    gsolve_status (*check)(gs_csr_findings *findings, gsolve_context *ctx, const gsolve_csr *csr);
} gs_check_rows_kernels;

extern const gs_check_rows_kernels gs_check_rows_host[GSOLVE_TYPE_COUNT],
    gs_check_rows_cuda[GSOLVE_TYPE_COUNT];

/* As gs_csr_check; also returns the findings. clean may be NULL. */
gsolve_status gs_csr_check_findings(gsolve_context *ctx, const gsolve_csr *csr,
                                    gs_csr_findings *findings, bool *clean);

#endif
