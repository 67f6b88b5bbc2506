/* common.h: what several commands do alike. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <cjson/cJSON.h>

#include "cli/options.h"
#include "gsolve_io.h"

/* A context for --device and --threads. 0, or 1 after a sentence. */
int cli_open(const cli_arguments *a, gsolve_context **ctx);

/* The matrix of that name, with progress on a terminal; seconds it took. */
int cli_read(const cli_arguments *a, gsolve_context *ctx, const char *name, gsolve_csr *csr,
             gsolve_source *source, double *seconds);

/* "1.2 ms", "3.45 s"; "1.2 GB". Return text. */
const char *cli_seconds(double seconds, char text[32]);
const char *cli_bytes(double bytes, char text[32]);

/* 1,234,567 */
const char *cli_grouped(long long number, char text[32]);

double cli_now(void);

/* Whether a file can be made at path; else 1 after a sentence. */
int cli_check_output(const char *option, const char *path);

/* Writes text under that name at once, or to stdout for "-". */
int cli_write_text(const char *path, const char *text);

/* object's member is value, or null where that is not finite. */
void cli_add_number(cJSON *object, const char *name, double value);

/* Prints or writes the object (which is released), for --json. */
int cli_write_json(const char *path, cJSON *object);

/* Whether text for people goes to stdout: not with --quiet nor with --json -. */
bool cli_talks(const cli_arguments *a);

/* "symmetric", "general", ... */
const char *cli_symmetry(gsolve_symmetry symmetry);

/* cli_fail with the context's error, also as JSON for --json -. */
int cli_fail_context(const cli_arguments *a, const gsolve_context *ctx);

#endif
