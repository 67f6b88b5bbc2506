/* dense.h: sizes of types, dense blocks of vectors, and the memory that they lie in. */
#ifndef GS_CORE_DENSE_H
#define GS_CORE_DENSE_H

#include "core/context.h"

static inline size_t gs_type_size(gsolve_type type)
{
    return type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
}

/* Column c of v, which is column-major. */
static inline gsolve_dense gs_column_of(gsolve_dense v, int32_t c)
{
    v.value = (char *)v.value + (size_t)(c * v.stride) * gs_type_size(v.type);
    v.ncols = 1;
    return v;
}

/* Columns first to first + count - 1 of v, as far as v has them. */
static inline gsolve_dense gs_some_columns(gsolve_dense v, int32_t first, int32_t count)
{
    const int64_t step = v.layout == GSOLVE_ROW_MAJOR ? 1 : v.stride;

    v.value = (char *)v.value + (size_t)(first * step) * gs_type_size(v.type);
    v.ncols = v.ncols - first < count ? v.ncols - first : count;
    return v;
}

/* Whether v's stride is large enough that its columns (or rows) do not overlap. */
static inline bool gs_stride_fits(gsolve_dense v)
{
    return v.layout == GSOLVE_ROW_MAJOR ? v.nrows <= 1 || v.stride >= v.ncols
                                        : v.ncols <= 1 || v.stride >= v.nrows;
}

/* Fails with GSOLVE_BAD_ARGUMENT if v is not column-major. what names v in the sentence. */
gsolve_status gs_need_columns(gsolve_context *ctx, gsolve_dense v, const char *what);

/* Where ctx's kernels read vectors and matrices: on a device with memory of its own, else on the
 * host. */
static inline gsolve_location gs_location(const gsolve_context *ctx)
{
    return ctx->device->copy ? GSOLVE_DEVICE : GSOLVE_HOST;
}

/* Whether ctx can read arrays at location. */
static inline bool gs_reachable(const gsolve_context *ctx, gsolve_location location)
{
    return location == GSOLVE_HOST || gs_location(ctx) == GSOLVE_DEVICE;
}

#endif
