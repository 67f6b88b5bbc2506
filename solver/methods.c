/* methods.c: the list of methods, and the options of those that have none of their own. */
#include "solver/method.h"

const gsolve_option gs_run_option_table[] = {GS_RUN_OPTIONS(10000, 2000), {0}};

const gsolve_plugin *const gs_methods[] = {
    &gs_cg.plugin,
    &gs_pipecg.plugin,
    &gs_bicg.plugin,
    &gs_bicgstab.plugin,
    &gs_cgs.plugin,
    &gs_tfqmr.plugin,
    &gs_idr.plugin,
    &gs_gmres.plugin,
    &gs_fgmres.plugin,
    &gs_minres.plugin,
    &gs_block_cg.plugin,
    &gs_block_gmres.plugin,
    &gs_lsqr.plugin,
    &gs_lsmr.plugin,
    &gs_refine.plugin,
    &gs_direct.plugin,
    NULL,
};

const gsolve_plugin *gsolve_method_at(int index)
{
    return gs_plugin_at(NULL, gs_methods, index);
}
