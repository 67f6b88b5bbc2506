/* attempt_result.c: what an attempt of a solve has found. */
#include <stdlib.h>

#include "cli/attempt.h"

void cli_describe_precond(cli_attempt *a, const gsolve_precond *M)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    gsolve_precond_describe(M, &info);
    snprintf(a->kind, sizeof a->kind, "%s", info.kind);
    snprintf(a->note, sizeof a->note, "%s", info.note);
    cli_read_levels(&a->levels, M);
}

bool cli_is_stopped(const cli_attempt *a)
{
    return a->result.outcome == GSOLVE_STOPPED || a->result.outcome == GSOLVE_TIME_LIMIT;
}

void cli_note_stop(const cli_trial *t, const gsolve_result *result)
{
    cli_attempt *a = &t->attempt[t->best];

    if (result->outcome != GSOLVE_STOPPED && result->outcome != GSOLVE_TIME_LIMIT) return;
    if (a->result.outcome == result->outcome) return;
    a->result.outcome = result->outcome;
    snprintf(a->explanation, sizeof a->explanation, "%s during attempt %d.",
             result->outcome == GSOLVE_STOPPED ? "Interrupted" : "The time limit was reached",
             t->tried);
}

void cli_free_attempt(cli_attempt *a)
{
    free(a->column);
    free(a->history);
}
