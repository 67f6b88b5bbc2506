/* explain.h: what the files that explain a run share. */
#ifndef GS_SOLVER_CHOOSE_EXPLAIN_H
#define GS_SOLVER_CHOOSE_EXPLAIN_H

#include "solver/run/run.h"

#define GS_SENTENCES 1200 /* bytes of the text */

/* The data of the sentences. */
typedef struct gs_report {
    gs_krylov *k;
    const gs_column *worst; /* the column that the report is about */
    gsolve_dense b, x;      /* the residual that the run left in b, on the host; 0 */
    gsolve_statistics t;    /* of A */
    char *text;
} gs_report;

/* explain_text.c: appends a sentence to the text, formatted as by printf. */
__attribute__((format(printf, 2, 3))) void gs_add_sentence(char *text, const char *format, ...);

/* Element i of a vector on the host. */
static inline double gs_report_element(gsolve_dense v, int32_t i)
{
    return v.type == GSOLVE_F32 ? (double)((const float *)v.value)[i]
                                : ((const double *)v.value)[i];
}

/* explain_passes.c: explains how a run on a transformed system stagnated or diverged, and returns
 * true; false for other outcomes, whose sentences have numbers of the caller's system alone. */
bool gs_explain_passes(const gs_report *f);

/* explain_least_squares.c: */

/* Adds sentences and returns true if b is not in the range of A. */
bool gs_find_no_solution(const gs_report *f);
/* Explains a failure of lsqr or lsmr. */
void gs_explain_normal(const gs_report *f);
/* Explains the outcome GSOLVE_NOT_SOLVED. */
void gs_explain_not_solved(const gs_report *f);

#endif
