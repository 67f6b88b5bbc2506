/* generate.c: the list of generators, and the functions that they share. */
#include "io/generators.h"

#include "core/try.h"

static const gsolve_plugin *const generators[] = {
    &gs_poisson2d.plugin,
    &gs_poisson3d.plugin,
    &gs_poisson3d27.plugin,
    &gs_anisotropic3d.plugin,
    &gs_jump3d.plugin,
    &gs_convdiff3d.plugin,
    &gs_elasticity3d.plugin,
    &gs_tridiagonal.plugin,
    &gs_band.plugin,
    &gs_rmat.plugin,
    &gs_web.plugin,
    &gs_circuit.plugin,
    &gs_random_rows.plugin,
    &gs_lp.plugin,
    &gs_emptyrows.plugin,
    &gs_neumann2d.plugin,
    &gs_shuffled3d.plugin,
    &gs_lengths.plugin,
    NULL,
};

const gsolve_plugin *gsolve_generator_at(int index)
{
    return gs_plugin_at(NULL, generators, index);
}

gsolve_status gs_generate(gsolve_csr *csr, gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, NULL, generators, "generator", spec, &plugin, &options));
    TRY(((const gs_generator *)(const void *)plugin)->generate(csr, ctx, options));
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

double gsolve_random(uint64_t seed, uint64_t index)
{
    return gs_random(seed, index);
}

gsolve_status gs_check_rows(gsolve_context *ctx, const char *name, double rows)
{
    if (rows <= GS_MOST_ROWS) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "%s: the matrix would have %.0f rows; the largest possible number is %d",
                       name, rows, GS_MOST_ROWS);
}
