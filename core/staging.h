/* staging.h: temporary copies of vectors at the location where they are needed, and of arrays that
 * the host computes for ctx's device. */
#ifndef GS_CORE_STAGING_H
#define GS_CORE_STAGING_H

#include "core/dense.h"

typedef struct gs_stage {
    gsolve_dense given, used; /* used: given, or a copy of it at the requested location */
    bool borrowed;            /* the copy is in memory of the caller */
} gs_stage;

/* s->used = v at location, with v's values if read. */
gsolve_status gs_stage_in(gs_stage *s, gsolve_context *ctx, gsolve_location location,
                          gsolve_dense v, bool read);
/* The same; a copy takes `memory` instead of new memory. */
gsolve_status gs_stage_in_at(gs_stage *s, gsolve_context *ctx, gsolve_location location,
                             gsolve_dense v, bool read, void *memory);
/* Copies used back to given. */
gsolve_status gs_stage_out(const gs_stage *s, gsolve_context *ctx);
/* Frees the copy, unless it is borrowed. */
void gs_stage_drop(gs_stage *s, gsolve_context *ctx);

/* gs_draft returns memory of the host for bytes that belong at there, where ctx's kernels read
 * them: there itself on the CPU, else a new block, or NULL if memory is short. gs_draft_put copies
 * it to there and frees the block. gs_draft_drop only frees the block. */
void *gs_draft(gsolve_context *ctx, void *there, size_t bytes);
gsolve_status gs_draft_put(gsolve_context *ctx, void *there, void *draft, size_t bytes);
void gs_draft_drop(gsolve_context *ctx, const void *there, void *draft);

/* *v = a new column-major block of nrows x ncols numbers at location, uninitialised. Free v->value
 * with gsolve_free. */
gsolve_status gs_dense_new(gsolve_dense *v, gsolve_context *ctx, gsolve_location location,
                           gsolve_type type, int32_t nrows, int32_t ncols);

#endif
