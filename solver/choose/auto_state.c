/* auto_state.c: what the other files of the automatic solver share: who follows its runs, and what
 * is set up. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "solver/choose/auto_solver.h"

uint64_t gs_auto_version(const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(A, &info);
    return info.version;
}

void gs_auto_drop(gsolve_auto *S)
{
    gsolve_solver_destroy(&S->S);
    gsolve_precond_destroy(&S->M);
    S->set = -1;
    S->first = 0;
}

void gsolve_auto_set_monitor(gsolve_auto *S, gsolve_monitor *monitor, void *user)
{
    S->monitor = monitor;
    S->monitor_user = user;
}

void gsolve_auto_set_stopping_test(gsolve_auto *S, gsolve_stopping_test *test, void *user)
{
    S->test = test;
    S->test_user = user;
}

void gsolve_auto_set_attempt_monitor(gsolve_auto *S, gsolve_attempt_monitor *monitor, void *user)
{
    S->attempt_monitor = monitor;
    S->attempt_user = user;
}

void gs_auto_add_event(gsolve_auto *S, const char *format, ...)
{
    const size_t length = strlen(S->events);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(S->events + length, sizeof S->events - length, format, arguments);
    va_end(arguments);
}
