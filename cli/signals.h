/* signals.h: Ctrl-C, other signals and the end of the time limit: what each stage of the command
 * does then. No stage leaves a temporary file. */
#ifndef GS_CLI_SIGNALS_H
#define GS_CLI_SIGNALS_H

#include "cli/cli.h"

/* Catches SIGHUP, SIGINT and SIGTERM unless they are ignored: each removes the temporary files of
 * *ctx, which may be NULL, and of the command, and ends the command. ctx NULL: from here on there
 * is no context. */
void cli_catch_signals(gsolve_context *const *ctx);

/* The same for the files of the context *ctx of another thread, or NULL. */
void cli_catch_signals_of_writer(gsolve_context *const *ctx);

/* cli_end_by_signal removes the temporary files of *ctx, which may be NULL. */
void cli_remove_files_of(gsolve_context *const *ctx);

/* For a signal handler: removes the temporary files and ends the command by that signal. */
void cli_end_by_signal(int number);

/* The command's own temporary file, which must stay until cli_temporary(NULL). */
void cli_temporary(const char *path);

/* What the first Ctrl-C does. A second one, more than 0.1 s later, ends the command. */
typedef enum cli_stopping {
    CLI_STOPS_AT_ONCE, /* ends the command by the signal, with a sentence about what it did */
    CLI_STOPS_SOON,    /* asks the library to stop; if it has not after 0.8 s, as above */
    CLI_STOPS_RUN      /* asks the library to stop */
} cli_stopping;
void cli_stops(cli_stopping how);

/* What the command does, for that sentence, such as "reading A.mtx". NULL: nothing to tell. */
__attribute__((format(printf, 1, 2))) void cli_doing(const char *format, ...);
const char *cli_what_is_done(void); /* or NULL */

/* Whether Ctrl-C was caught and the command goes on, to report what it has. */
bool cli_interrupted(void);
/* A gsolve_monitor that stops the run after Ctrl-C. */
bool cli_not_interrupted(int iteration, double residual, void *user);

/* For the end of a command whose work Ctrl-C has stopped. */
void cli_end_by_interrupt(void);

/* The library stops c->args.time_limit seconds after the begin of the command. If it has not 0.8 s
 * later, the command ends with CLI_NOT_CONVERGED, except during the run of a solver. INFINITY: no
 * limit from now on. */
int cli_limit_time(cli *c, double seconds);

#endif
