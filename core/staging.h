/* staging.h: vectors where they are needed, wherever they lie; and arrays that the host computes
 * for ctx's device. */
#ifndef GS_CORE_STAGING_H
#define GS_CORE_STAGING_H

#include "core/dense.h"

typedef struct gs_stage {
    gsolve_dense given, used; /* as given, and in the place asked for: the same, or a copy */
} gs_stage;

/* s->used = v in place; holds v's values if read. */
gsolve_status gs_stage_in(gs_stage *s, gsolve_context *ctx, gsolve_location location,
                          gsolve_dense v, bool read);
/* Back into what was given. */
gsolve_status gs_stage_out(const gs_stage *s, gsolve_context *ctx);
void gs_stage_drop(gs_stage *s, gsolve_context *ctx);

/* Where the host writes the bytes that are to lie at there, in ctx's place: there itself if that is
 * the host, else a block of its own; NULL: out of memory. And what was written put there. */
void *gs_draft(gsolve_context *ctx, void *there, size_t bytes);
gsolve_status gs_draft_put(gsolve_context *ctx, void *there, void *draft, size_t bytes);
void gs_draft_drop(gsolve_context *ctx, const void *there, void *draft);

/* *v = ncols columns of nrows numbers in place, one behind the other, unset; its value is released
 * with gsolve_free. */
gsolve_status gs_dense_new(gsolve_dense *v, gsolve_context *ctx, gsolve_location location,
                           gsolve_type type, int32_t nrows, int32_t ncols);

#endif
