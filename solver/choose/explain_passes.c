/* explain_passes.c: the sentences of explain.c about runs of the automatic solver with scale or
 * order. The numbers are those of the caller's system. */
#include <string.h>

#include "solver/choose/explain.h"

bool gs_explain_passes(const gs_report *f)
{
    const int passes = f->k->run->passes;
    const bool direct = strcmp(f->k->method->plugin.name, "direct") == 0;
    const double residual = f->worst->residual;

    if (f->worst->outcome == GSOLVE_STAGNATED) {
        gs_add_sentence(f->text,
                        "After %d correction%s on the transformed system |b - Ax| / |b| of your "
                        "system stays at %.1e. %sleave --scale and --order out. ",
                        passes, passes == 1 ? "" : "s", residual,
                        residual <= 0.1 ? "Use a larger --rtol, or "
                        : direct        ? "Try --solver gmres, or "
                                        : "Try a stronger --precond, --solver direct, or ");
        return true;
    }
    if (f->worst->outcome == GSOLVE_DIVERGED) {
        gs_add_sentence(
            f->text,
            "The residual of the transformed system grew. x is the best iterate so far, with "
            "|b - Ax| / |b| = %.1e. Try another method (--solver gmres), or another "
            "preconditioner. ",
            residual);
        return true;
    }
    return false;
}
