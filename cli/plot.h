/* plot.h: the curves of gsolve solve --plot. */
#ifndef GS_CLI_PLOT_H
#define GS_CLI_PLOT_H

#include "cli/solve.h"

/* Draws the residual of each iteration, a curve for each attempt. */
void cli_plot(const cli *c, const cli_solution *s);

/* The relative tolerance of the solver spec: its last rtol=, else the default. */
double cli_spec_rtol(const cli *c, const char *spec);

#endif
