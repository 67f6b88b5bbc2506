/* ell.c: the format ell, ELLPACK: all rows are padded to the longest row and stored column by
 * column. It exists to compare with formats that pad less. */
#include "spmv/sliced/sliced.h"

#include "core/try.h"
#include "spmv/handle.h"

#define RATIO 16 /* most stored slots per entry, beyond GRACE slots */
#define GRACE (1 << 20)

typedef struct ell_options {
    int index, value;
} ell_options;

static const gsolve_option options[] = {
    GS_SLICED_OPTIONS(ell_options),
    {0},
};

static gsolve_status refuse_padding(gsolve_context *ctx, const gsolve_csr *csr,
                                    const gs_sliced_facts *facts)
{
    const double stored = (double)facts->longest * csr->nrows;

    if (stored <= GRACE + (double)RATIO * (double)facts->entries) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                       "ell would store %.3g MB: it pads each of the %d rows to %lld entries, and "
                       "the mean is %.3g. "
                       "ell stores at most %d times the entries. Use sell, which pads less",
                       1e-6 * stored * (double)(sizeof *csr->col + gs_type_size(csr->type)),
                       csr->nrows, (long long)facts->longest, (double)facts->entries / csr->nrows,
                       RATIO);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const ell_options *o = chosen;
    gs_sliced_group all = {0, 1, 0};
    gs_sliced_policy policy = {.lanes = gs_sliced_lanes(ctx),
                               .groups = 1,
                               .group = &all,
                               .index = o->index,
                               .value = o->value};
    gs_sliced_facts facts = {.entries = entries};
    gs_sliced *s;
    gsolve_status status;

    (void)user;
    TRY(gs_sliced_inspect(ctx, csr, policy.lanes, 0, &facts));
    TRY(refuse_padding(ctx, csr, &facts));
    all.width = (int32_t)facts.longest;
    policy.entries = entries;
    TRY(gs_sliced_make(&s, ctx, csr, &policy));
    *self = s;
done:
    return status;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    int64_t longest = 0;

    (void)user, (void)chosen;
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t length = gs_start(csr, i + 1) - gs_start(csr, i);
        if (length > longest) longest = length;
    }
    return gs_sliced_bytes(csr, (double)longest * csr->nrows, GS_SLICED_WARP, false);
}

const gsolve_format gs_ell_format = {
    .plugin = {"ell", "all rows padded to the longest row, stored column-major (ELLPACK)", options,
               sizeof(ell_options)},
    .build = build,
    .apply_block = gs_sliced_apply_block,
    .memory = estimate_memory,
    GS_SLICED_MEMBERS,
};
