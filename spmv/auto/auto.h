/* auto.h: what a matrix of format auto holds; see auto.c. */
#ifndef GS_SPMV_AUTO_AUTO_H
#define GS_SPMV_AUTO_AUTO_H

#include "spmv/csr/csr.h"
#include "spmv/handle.h"

#define GS_AUTO_CANDIDATES 16

typedef struct gs_auto_options {
    int expect;
    bool trial;
} gs_auto_options;

typedef struct gs_candidate {
    const gsolve_format *format;
    gsolve_format_estimate estimate;
} gs_candidate;

typedef struct gs_auto {
    gsolve_csr csr; /* the handle's rows */
    gs_auto_options options;
    int64_t entries;
    void *rows;                 /* csr's form, or NULL: not built yet */
    const gsolve_format *other; /* the format that multiplies instead of csr, or NULL */
    void *other_options, *other_self;
    gsolve_format_estimate chosen; /* the estimate for other */
    bool has_candidates;           /* the candidates were computed */
    bool has_statistics;           /* statistics is set, for csr's form */
    gs_row_statistics statistics;
    gs_candidate candidate[GS_AUTO_CANDIDATES];
    int count;
    gs_block_space space; /* for products that other does not have in the layout of x */
    int runs;             /* ended runs */
    int64_t before, last; /* products of all of them; of the last one */
    int64_t since;        /* products before the conversion to other */
    int changes;
    double convert_seconds;
    char reason[120]; /* why a conversion was not made, or "" */
} gs_auto;

/* Whether a conversion failed for a reason that leaves csr usable. */
static inline bool gs_auto_refused(gsolve_status status)
{
    return status == GSOLVE_NO_MEMORY || status == GSOLVE_UNSUPPORTED;
}

/* --- switch.c --- */

/* Builds a->rows if it does not exist. */
gsolve_status gs_auto_need_csr(gs_auto *a, gsolve_context *ctx);

/* Drops the other form, so that csr multiplies again. */
void gs_auto_drop_other(gs_auto *a, gsolve_context *ctx);

/* Whether A is large enough for a conversion. */
bool gs_auto_may_adapt(const gs_auto *a, const gsolve_context *ctx);

#endif
