/* auto.h: what the matrix of format auto holds; see auto.c. */
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
    gsolve_csr csr; /* the handle's */
    gs_auto_options options;
    int64_t entries;
    void *rows;                 /* csr's form, or NULL: not made yet */
    const gsolve_format *other; /* what multiplies instead, or NULL */
    void *other_options, *other_self;
    gsolve_format_estimate chosen; /* of other */
    bool has_candidates;           /* the candidates are known */
    bool has_statistics;           /* look is there, for csr's form */
    gs_row_statistics look;
    gs_candidate candidate[GS_AUTO_CANDIDATES];
    int count;
    gs_block_space space; /* for the products that other cannot make in the layout at hand */
    int runs;             /* that have ended */
    int64_t before, last; /* products of all of them; of the last */
    int64_t since;        /* products made when other was taken up */
    int changes;
    double convert_seconds;
    char reason[120]; /* why a conversion came to nothing, or "" */
} gs_auto;

/* a->rows is there, unless that fails. */
gsolve_status gs_auto_need_csr(gs_auto *a, gsolve_context *ctx);

/* csr multiplies again. */
void gs_auto_drop_other(gs_auto *a, gsolve_context *ctx);

/* What cannot be had is done without. */
static inline bool gs_auto_refused(gsolve_status status)
{
    return status == GSOLVE_NO_MEMORY || status == GSOLVE_UNSUPPORTED;
}

/* switch.c */
bool gs_auto_may_adapt(const gs_auto *a, const gsolve_context *ctx); /* it is not too small */
gsolve_status gs_auto_adapt(void *self, gsolve_context *ctx, const gsolve_run_estimate *outlook,
                            gsolve_adaptation *turn);

#endif
