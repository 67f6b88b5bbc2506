/* stages.c: see stages.h. */
#include "cli/stages.h"

#include <stdarg.h>
#include <string.h>

#include "cli/signals.h"

#define DELAY 0.1 /* seconds before the first stage is shown */

/* A gsolve_stage_monitor: "setting up ...: coarse matrix of level 3". The words stay when a stage
 * has ended, since that can be the stage that was interrupted. */
static void follow(const char *stage, int level, void *user)
{
    static const char whole[] = "set-up of"; /* which s->what says already */
    cli_stages *s = user;
    char of_level[32] = "", line[320];

    if (!stage || strncmp(stage, whole, sizeof whole - 1) == 0) return;
    if (level >= 0) snprintf(of_level, sizeof of_level, " of level %d", level);
    cli_doing("%s: %s%s", s->what, stage, of_level);
    if (cli_now() - s->live.begin < DELAY) return;
    snprintf(line, sizeof line, "%s%s  [%s]  %s", stage, of_level,
             cli_seconds(cli_now() - s->live.begin).text, s->what); /* a narrow terminal cuts it */
    cli_live_note(&s->live, line);
}

void cli_stages_begin(cli_stages *s, const cli *c, const char *what, ...)
{
    va_list arguments;
    char note[240];

    va_start(arguments, what);
    vsnprintf(s->what, sizeof s->what, what, arguments);
    va_end(arguments);
    s->ctx = c->ctx;
    cli_live_begin(&s->live, c, s->what);
    snprintf(note, sizeof note, "%s ...", s->what);
    cli_live_note(&s->live, note);
    cli_doing("%s", s->what);
    gsolve_context_set_stage_monitor(c->ctx, follow, s);
}

void cli_stages_end(cli_stages *s)
{
    gsolve_context_set_stage_monitor(s->ctx, NULL, NULL);
    cli_live_erase(&s->live);
}

int cli_fail_library(cli *c)
{
    const char *error = gsolve_error(c->ctx), *what = cli_what_is_done();

    if (strncmp(error, "interrupted by ", 15) != 0) return cli_fail(c, "%s", error);
    c->stopped = true;
    return cli_fail(c, "%s%s%s", cli_interrupted() ? "interrupted" : "the time limit was reached",
                    what ? " while " : "", what ? what : "");
}
