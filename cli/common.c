/* common.c: see common.h. */
#include "cli/common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double cli_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool cli_talks(const cli_arguments *a)
{
    const char *json = cli_value(a, "json");
    return !cli_value(a, "quiet") && !(json && strcmp(json, "-") == 0);
}

int cli_fail_context(const cli_arguments *a, const gsolve_context *ctx)
{
    const char *json = cli_value(a, "json");

    if (json && strcmp(json, "-") == 0) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "error", gsolve_error(ctx));
        cli_write_json(json, object);
    }
    return cli_fail("%s", gsolve_error(ctx));
}

int cli_open(const cli_arguments *a, gsolve_context **ctx)
{
    const char *device = cli_value(a, "device"), *threads = cli_value(a, "threads");
    char spec[256];

    if (!device) device = threads ? "cpu" : "auto";
    snprintf(spec, sizeof spec, "%s%s%s", device, threads ? ",threads=" : "", threads ? threads : "");
    if (gsolve_context_create(ctx, spec) == GSOLVE_OK) return 0;
    return cli_fail_context(a, NULL);
}

/* --- reading ------------------------------------------------------------------------------------ */

static void show_progress(int64_t done, int64_t total, void *user)
{
    double *last = user, now = cli_now();

    if (now - *last < 0.1) return;
    *last = now;
    fprintf(stdout, "\rreading %3.0f %%", total > 0 ? 100.0 * (double)done / (double)total : 0);
    fflush(stdout);
}

int cli_read(const cli_arguments *a, gsolve_context *ctx, const char *name, gsolve_csr *csr,
             gsolve_source *source, double *seconds)
{
    const bool live = cli_talks(a) && isatty(STDOUT_FILENO);
    double last = cli_now();
    const double begin = last;
    const gsolve_read_options options = {cli_value(a, "cache") != NULL, live ? show_progress : NULL,
                                         &last};
    const gsolve_status status = gsolve_read_matrix(csr, ctx, name, &options, source);

    *seconds = cli_now() - begin;
    if (live && last > begin) fputs("\r              \r", stdout);
    return status == GSOLVE_OK ? 0 : cli_fail_context(a, ctx);
}

/* --- writing ------------------------------------------------------------------------------------ */

int cli_check_output(const char *option, const char *path)
{
    char folder[1024];
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (!path || strcmp(path, "-") == 0) return 0;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    if (access(folder, W_OK) == 0) return 0;
    return cli_fail("%s: cannot write %s: %s", option, path, strerror(errno));
}

int cli_write_text(const char *path, const char *text)
{
    char temporary[1100];
    FILE *file;
    bool sound;

    if (strcmp(path, "-") == 0) return fputs(text, stdout) < 0;
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    file = fopen(temporary, "w");
    if (!file) return cli_fail("cannot write %s: %s", path, strerror(errno));
    sound = fputs(text, file) >= 0;
    sound = fclose(file) == 0 && sound;
    if (sound && rename(temporary, path) == 0) return 0;
    unlink(temporary);
    return cli_fail("cannot write %s: %s", path, strerror(errno));
}

void cli_add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name,
                          isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

int cli_write_json(const char *path, cJSON *object)
{
    char *text = cJSON_Print(object), *line = NULL;
    int code = 1;

    cJSON_Delete(object);
    if (text && asprintf(&line, "%s\n", text) >= 0) {
        code = cli_write_text(path, line);
        free(line);
    }
    cJSON_free(text);
    return code;
}

/* --- words ---------------------------------------------------------------------------------------- */

const char *cli_seconds(double seconds, char text[32])
{
    if (seconds < 1e-3) {
        snprintf(text, 32, "%.0f us", 1e6 * seconds);
    } else if (seconds < 1) {
        snprintf(text, 32, "%.3g ms", 1e3 * seconds);
    } else {
        snprintf(text, 32, "%.*f s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
    }
    return text;
}

const char *cli_bytes(double bytes, char text[32])
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    int u = 0;

    while (bytes >= 1000 && u < 4) {
        bytes /= 1000;
        u++;
    }
    snprintf(text, 32, u ? "%.3g %s" : "%.0f %s", bytes, unit[u]);
    return text;
}

const char *cli_grouped(long long number, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", number);
    int at = 0;

    for (int k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0 && digits[k - 1] != '-') text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = 0;
    return text;
}

const char *cli_symmetry(gsolve_symmetry symmetry)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    return names[symmetry];
}
