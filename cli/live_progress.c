/* live_progress.c: the line on a terminal while a file is read or a solve runs. */
#include "cli/live_progress.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EVERY 0.1 /* seconds between two writes */
#define DELAY 0.2 /* seconds before the first write */
#define BAR   24  /* characters of the progress bar */

void cli_live_begin(cli_live *live, const cli *c, const char *what)
{
    struct winsize size = {0};

    *live = (cli_live){.on = c->live && c->text, .what = what, .begin = cli_now()};
    live->last = live->begin + DELAY - EVERY;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    live->width = size.ws_col > 0 ? size.ws_col : 80;
}

/* Whether it is time to write again. */
static bool is_due(cli_live *live, double now)
{
    if (!live->on || now - live->last < EVERY) return false;
    live->last = now;
    return true;
}

static void show(cli_live *live, const char *line)
{
    int length = (int)strlen(line);

    if (length > live->width - 1) length = live->width - 1;
    printf("\r%.*s%*s", length, line, live->shown > length ? live->shown - length : 0, "");
    if (live->shown > length) printf("\r%.*s", length, line);
    fflush(stdout);
    live->shown = length;
}

void cli_live_note(cli_live *live, const char *note)
{
    if (live->on) show(live, note);
}

void cli_live_erase(cli_live *live)
{
    if (live->shown == 0) return;
    printf("\r%*s\r", live->shown, "");
    fflush(stdout);
    live->shown = 0;
}

void cli_live_read(int64_t done, int64_t total, void *user)
{
    cli_live *live = user;
    const double now = cli_now(), part = total > 0 ? (double)done / (double)total : 0;
    const int full = (int)(part * BAR);
    const double seconds = now - live->begin;
    char line[320], end[64] = "";

    if (!is_due(live, now)) return;
    if (part > 0.02) {
        snprintf(end, sizeof end, ", about %s left", cli_seconds(seconds * (1 - part) / part).text);
    }
    snprintf(line, sizeof line, "reading %.100s  [%.*s%*s] %3.0f %%  %s/s%s", live->what, full,
             "################################", BAR - full, "", 100 * part,
             cli_bytes((double)done / seconds).text, end);
    show(live, line);
}

/* Moves the marks: when twice the time of next has passed, base becomes next, and next the present.
 */
static void mark(cli_live *live, const cli_mark *now)
{
    if (live->next.at == 0) live->base = live->next = *now;
    if (now->at - live->begin < 2 * (live->next.at - live->begin)) return;
    live->base = live->next;
    live->next = *now;
}

void cli_live_iteration(cli_live *live, int iteration, double residual)
{
    const cli_mark now = {cli_now(), residual, iteration};
    char line[640], end[400] = "";

    if (!live->on) return;
    mark(live, &now);
    if (!is_due(live, now.at)) return;
    const int steps = iteration - live->base.iteration;
    const double digits = log10(live->base.residual / residual); /* reduced since base */
    const double left = log10(residual / live->target);          /* to the target */
    const double seconds = left / digits * (now.at - live->base.at);
    if (digits > 0 && left > 0 && seconds < 1e6) {
        snprintf(end, sizeof end, ", factor %.3f per iteration, about %s left",
                 pow(10, -digits / steps), cli_seconds(seconds).text);
    }
    snprintf(line, sizeof line, "%.40s: iteration %d, |r|/|b| %.2e%s  [%s]", live->what, iteration,
             residual, end, cli_seconds(now.at - live->begin).text);
    show(live, line);
}
