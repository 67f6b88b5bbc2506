/* signals.h: removes temporary files when a signal ends the command; Ctrl-C stops a solve. */
#ifndef GS_CLI_SIGNALS_H
#define GS_CLI_SIGNALS_H

#include "cli/cli.h"

/* Catches SIGHUP, SIGINT and SIGTERM unless they are ignored: each removes the temporary files of
 * *ctx, which may be NULL, and of the command, and ends the command. ctx NULL: from here on there
 * is no context. */
void cli_catch_signals(gsolve_context *const *ctx);

/* The same for the files of the context *ctx of another thread, or NULL. */
void cli_catch_signals_of_writer(gsolve_context *const *ctx);

/* For a signal handler: removes the temporary files and ends the command by that signal. */
void cli_end_by_signal(int number);

/* The command's own temporary file, which must stay until cli_temporary(NULL). */
void cli_temporary(const char *path);

/* From this call on, the first Ctrl-C only makes cli_interrupted() true. A second one ends the
 * command. */
void cli_catch_interrupt(void);
bool cli_interrupted(void);
/* A gsolve_monitor that stops the run after Ctrl-C. */
bool cli_not_interrupted(int iteration, double residual, void *user);

/* Between these two calls a Ctrl-C ends the command at once: the library cannot be stopped there.
 */
void cli_begin_setup(void);
void cli_end_setup(void);

#endif
