/* signals.c: what the command does when it is told to end. */
#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

static gsolve_context *const *volatile session; /* where the context is, or NULL */
static const char *volatile temporary;          /* a file of the command's own, or NULL */

void cli_temporary(const char *path)
{
    temporary = path;
}

void cli_end_by_signal(int number)
{
    gsolve_context *const *ctx = session;
    const char *own = temporary;

    if (ctx) gsolve_abandon_files(*ctx);
    if (own) unlink(own);
    signal(number, SIG_DFL);
    raise(number);
}

void cli_catch_signals(gsolve_context *const *ctx)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = cli_end_by_signal};
    struct sigaction inherited;

    session = ctx;
    for (size_t k = 0; ctx && k < sizeof numbers / sizeof *numbers; k++) {
        sigaction(numbers[k], NULL, &inherited);
        if (inherited.sa_handler != SIG_IGN) sigaction(numbers[k], &action, NULL);
    }
}
