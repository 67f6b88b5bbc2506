/* signals.c: removes temporary files when a signal ends the command; Ctrl-C stops a solve. */
#include "cli/signals.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

static gsolve_context *const *volatile session; /* the address of the context, or NULL */
static gsolve_context *const *volatile writer;  /* that of the thread that writes the cache */
static const char *volatile temporary;          /* a file of the command's own, or NULL */

void cli_temporary(const char *path)
{
    temporary = path;
}

void cli_catch_signals_of_writer(gsolve_context *const *ctx)
{
    writer = ctx;
}

void cli_end_by_signal(int number)
{
    gsolve_context *const *ctx = session, *const *other = writer;
    const char *own = temporary;

    if (ctx) gsolve_abandon_files(*ctx);
    if (other) gsolve_abandon_files(*other);
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

/* --- Ctrl-C during a solve ---------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t interrupted_at; /* ms, modulo 1e9 */
static volatile sig_atomic_t setting_up;     /* in a call of the library that cannot be stopped */

/* The first SIGINT stops a solve, which then reports its result. A SIGINT during a set-up, or a
 * second one at any time, ends the program. A second one within 100 ms is ignored: timeout(1)
 * signals the process and then its process group. */
static void note_interrupt(int number)
{
    const int now = (int)fmod(1e3 * cli_now(), 1e9), since = now - interrupted_at;

    if (!interrupted && !setting_up) {
        interrupted_at = now;
        interrupted = 1;
    } else if (setting_up || since < 0 || since > 100) {
        cli_end_by_signal(number);
    }
}

bool cli_interrupted(void)
{
    return interrupted;
}

bool cli_not_interrupted(int iteration, double residual, void *user)
{
    (void)iteration, (void)residual, (void)user;
    return !interrupted;
}

void cli_catch_interrupt(void)
{
    const struct sigaction action = {.sa_handler = note_interrupt};
    struct sigaction inherited;

    sigaction(SIGINT, NULL, &inherited);
    /* a shell starts background jobs with SIGINT ignored */
    if (inherited.sa_handler != SIG_IGN) sigaction(SIGINT, &action, NULL);
}

void cli_begin_setup(void)
{
    setting_up = 1;
    if (interrupted) raise(SIGINT); /* it arrived before setting_up was 1 */
}

void cli_end_setup(void)
{
    setting_up = 0;
}
