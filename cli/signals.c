/* signals.c: see signals.h. The handlers call only functions that are safe in them, and setitimer,
 * which on Linux is a system call like timer_settime. */
#include "cli/signals.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE 0.8 /* seconds that the library has to stop */

static gsolve_context *const *volatile session; /* the address of the context, or NULL */
static gsolve_context *const *volatile writer;  /* that of the thread that writes the cache */
static const char *volatile temporary;          /* a file of the command's own, or NULL */
static const char *volatile doing;              /* see cli_doing */

static volatile sig_atomic_t stopping; /* a cli_stopping */
static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t interrupted_at; /* ms, modulo 1e9 */
static volatile sig_atomic_t limited;        /* the time is limited */
static bool on_terminal;                     /* standard error */

void cli_temporary(const char *path)
{
    temporary = path;
}

void cli_remove_files_of(gsolve_context *const *ctx)
{
    session = ctx;
}

void cli_catch_signals_of_writer(gsolve_context *const *ctx)
{
    writer = ctx;
}

/* --- what the command does -------------------------------------------------------------------- */

void cli_doing(const char *format, ...)
{
    static char text[2][256]; /* a handler may read the last one while the next is written */
    static int last;
    va_list arguments;

    if (!format) {
        doing = NULL;
        return;
    }
    last = !last;
    va_start(arguments, format);
    vsnprintf(text[last], sizeof text[last], format, arguments);
    va_end(arguments);
    doing = text[last];
}

const char *cli_what_is_done(void)
{
    return doing;
}

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* there is nowhere to report it */
}

/* "gsolve: interrupted while reading A.mtx". A terminal shows ^C and may show a progress line. */
static void put_sentence(const char *begin)
{
    const char *what = doing;

    if (!what) return;
    put(on_terminal ? "\ngsolve: " : "gsolve: ");
    put(begin);
    put(" while ");
    put(what);
    put("\n");
}

/* --- the end of the command ------------------------------------------------------------------- */

static void remove_files(void)
{
    gsolve_context *const *ctx = session, *const *other = writer;
    const char *own = temporary;

    if (ctx) gsolve_abandon_files(*ctx);
    if (other) gsolve_abandon_files(*other);
    if (own) unlink(own);
}

void cli_end_by_signal(int number)
{
    remove_files();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_end_by_interrupt(void)
{
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
}

static void end_by_interrupt(void)
{
    put_sentence("interrupted");
    cli_end_by_signal(SIGINT);
}

static void set_timer(double seconds)
{
    const double whole = floor(seconds);
    const struct itimerval timer = {.it_value = {(time_t)whole, (int)(1e6 * (seconds - whole))}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- the handlers ----------------------------------------------------------------------------- */

/* A second SIGINT within 100 ms is ignored: timeout(1) signals the process and then its process
 * group. */
static void on_interrupt(int number)
{
    const int now = (int)fmod(1e3 * cli_now(), 1e9), since = now - interrupted_at;
    gsolve_context *const *ctx = session;

    (void)number;
    if (interrupted) {
        if (since < 0 || since > 100) end_by_interrupt();
        return;
    }
    if (stopping == CLI_STOPS_AT_ONCE) end_by_interrupt();
    interrupted_at = now;
    interrupted = 1;
    if (ctx && *ctx) gsolve_context_interrupt(*ctx, true);
    if (stopping == CLI_STOPS_SOON) set_timer(GRACE);
}

/* The library has not stopped in time. */
static void on_alarm(int number)
{
    (void)number;
    if (stopping == CLI_STOPS_RUN) return;
    if (interrupted) end_by_interrupt();
    if (!limited) return;
    put_sentence("the time limit was reached");
    remove_files();
    _exit(CLI_NOT_CONVERGED);
}

void cli_catch_signals(gsolve_context *const *ctx)
{
    static const struct {
        int number;
        void (*handler)(int);
    } caught[] = {{SIGHUP, cli_end_by_signal},
                  {SIGPIPE, cli_end_by_signal},
                  {SIGTERM, cli_end_by_signal},
                  {SIGINT, on_interrupt},
                  {SIGALRM, on_alarm}};
    struct sigaction inherited;

    cli_remove_files_of(ctx);
    on_terminal = isatty(STDERR_FILENO);
    for (size_t k = 0; ctx && k < sizeof caught / sizeof *caught; k++) {
        const struct sigaction action = {.sa_handler = caught[k].handler, .sa_flags = SA_RESTART};
        sigaction(caught[k].number, NULL, &inherited);
        /* a shell starts background jobs with SIGINT ignored */
        if (caught[k].number == SIGALRM || inherited.sa_handler != SIG_IGN) {
            sigaction(caught[k].number, &action, NULL);
        }
    }
}

/* --- stages ----------------------------------------------------------------------------------- */

void cli_stops(cli_stopping how)
{
    stopping = how;
    if (interrupted) set_timer(how == CLI_STOPS_SOON ? GRACE : 0);
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

int cli_limit_time(cli *c, double seconds)
{
    const double left = fmax(0, seconds - (cli_now() - c->begin));

    limited = isfinite(seconds);
    set_timer(limited ? left + GRACE : 0);
    if (gsolve_context_set_time_limit(c->ctx, limited ? left : INFINITY) == GSOLVE_OK) return 0;
    return cli_fail(c, "%s", gsolve_error(c->ctx));
}
