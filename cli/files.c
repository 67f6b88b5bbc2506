/* files.c: gsolve generate and gsolve convert. */
#include <stdio.h>
#include <string.h>

#include "cli/common.h"

static const cli_option generate_options[] = {
    {'o', "output", "FILE", "the Matrix Market file to write; compressed if it ends in .gz"},
    {0, "symmetric", NULL, "write the lower triangle of a symmetric matrix"},
    {0, "threads", "N", "threads of the CPU (default: all)"},
    {0, "quiet", NULL, "print errors only"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_generate = {"generate", "SPEC -o FILE",
                                  "Writes a generated matrix; gsolve list generators shows the specs.",
                                  generate_options, 1, 1,
                                  "Example\n  gsolve generate poisson3d,n=50 --symmetric -o p.mtx.gz\n"};

static const cli_option convert_options[] = {
    {0, "symmetric", NULL, "write the lower triangle, also if the input is stored in full"},
    {0, "general", NULL, "write all entries, also if the input is stored as a triangle"},
    {0, "threads", "N", "threads of the CPU (default: all)"},
    {0, "cache", NULL, "keep a binary copy of the input, and read it if there is one"},
    {0, "quiet", NULL, "print errors only"},
    {'h', "help", NULL, "print this"},
    {0},
};

const cli_command cli_convert = {
    "convert", "IN OUT",
    "Writes any readable matrix (Matrix Market, Harwell-Boeing, Rutherford-Boeing, gen:...) as\n"
    "Matrix Market, compressed if OUT ends in .gz. A symmetry of the input is kept.",
    convert_options, 2, 2, NULL};

static int write_out(const cli_arguments *a, gsolve_context *ctx, const char *from, const char *to)
{
    char rows[32], cols[32], entries[32], comment[512];
    gsolve_csr csr;
    gsolve_source source;
    double seconds;
    int code = cli_read(a, ctx, from, &csr, &source, &seconds);

    if (code) return code;
    const gsolve_symmetry symmetry = cli_value(a, "symmetric") ? GSOLVE_SYMMETRIC
                                     : cli_value(a, "general") ? GSOLVE_GENERAL
                                                               : source.symmetry;
    snprintf(comment, sizeof comment, " gsolve %s: %.300s", gsolve_version(), from);
    if (gsolve_write_matrix(ctx, to, &csr, symmetry, comment) != GSOLVE_OK) {
        code = cli_fail_context(a, ctx);
    } else if (cli_talks(a)) {
        printf("%s: %s x %s, %s entries, %s\n", to, cli_grouped(csr.nrows, rows),
               cli_grouped(csr.ncols, cols), cli_grouped(gsolve_csr_entries(&csr), entries),
               cli_symmetry(symmetry));
    }
    gsolve_csr_free(&csr, ctx);
    return code;
}

int cli_run_generate(const cli_arguments *a)
{
    const char *output = cli_value(a, "output"), *spec = a->argument[0];
    gsolve_context *ctx = NULL;
    char name[512];
    int code;

    if (!output) return cli_fail("generate needs -o FILE, the file to write");
    snprintf(name, sizeof name, "%s%s", strncmp(spec, "gen:", 4) == 0 ? "" : "gen:", spec);
    code = cli_check_output("-o", output);
    if (code == 0) code = cli_open(a, &ctx);
    if (code == 0) code = write_out(a, ctx, name, output);
    gsolve_context_destroy(&ctx);
    return code;
}

int cli_run_convert(const cli_arguments *a)
{
    gsolve_context *ctx = NULL;
    int code = cli_check_output("OUT", a->argument[1]);

    if (code == 0) code = cli_open(a, &ctx);
    if (code == 0) code = write_out(a, ctx, a->argument[0], a->argument[1]);
    gsolve_context_destroy(&ctx);
    return code;
}
