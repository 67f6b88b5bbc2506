/* convert.c: gsolve convert: reads a file and writes it in the format that the name of the output
 * chooses. */
#include <string.h>

#include "cli/json.h"
#include "cli/live_progress.h"
#include "cli/source.h"
#include "cli/streams.h"

int cli_write_matrix(cli *c, cli_system *s, const char *path, gsolve_symmetry symmetry,
                     const char *comment)
{
    static const char *const kept[] = {"all entries", "the lower triangle", "the lower triangle",
                                       "the lower triangle"};
    const double begin = cli_now();
    char note[200];
    cli_live live;
    cJSON *object;

    cli_live_begin(&live, c, path);
    snprintf(note, sizeof note, "writing %s ...", cli_output_words(path));
    cli_live_note(&live, note);
    const gsolve_status status = gsolve_write_matrix(c->ctx, path, &s->csr, symmetry, comment);
    cli_live_erase(&live);
    if (status != GSOLVE_OK) return cli_fail_library(c);
    cli_item(c, "written", "%s, %s, in %s", path, kept[symmetry],
             cli_seconds(cli_now() - begin).text);
    if (!c->args.json) return 0;
    s->statistics.size = sizeof s->statistics;
    if (gsolve_csr_statistics(c->ctx, &s->csr, &s->statistics) != GSOLVE_OK)
        return cli_fail_library(c);
    object = cJSON_CreateObject();
    cli_json_matrix(object, s);
    cli_json_text(object, "output", path);
    return cli_json_write(c, object);
}

static int convert_matrix(cli *c, const char *in, const char *out)
{
    cli_system s = {0};
    gsolve_symmetry symmetry;
    int code = cli_read_matrix(c, in, &s);

    symmetry = c->args.symmetric                            ? GSOLVE_SYMMETRIC
               : c->args.general || cli_is_binary_name(out) ? GSOLVE_GENERAL
                                                            : s.source.symmetry;
    if (!code) code = cli_write_matrix(c, &s, out, symmetry, NULL);
    cli_close_system(c, &s);
    return code;
}

static int convert_dense(cli *c, const char *in, const char *out)
{
    gsolve_dense v = {0};
    cJSON *object;
    int code = 0;

    if (gsolve_read_dense(&v, c->ctx, in, NULL, NULL) != GSOLVE_OK) return cli_fail_library(c);
    if (gsolve_write_dense(c->ctx, out, &v, NULL) != GSOLVE_OK) {
        code = cli_fail_library(c);
    } else {
        cli_item(c, "written", "%s, an array of %d x %d", out, v.nrows, v.ncols);
        if (c->args.json) {
            object = cJSON_CreateObject();
            cJSON_AddNumberToObject(object, "rows", v.nrows);
            cJSON_AddNumberToObject(object, "cols", v.ncols);
            cli_json_text(object, "output", out);
            code = cli_json_write(c, object);
        }
    }
    gsolve_dense_free(&v, c->ctx);
    return code;
}

int cli_convert(cli *c)
{
    const char *in, *out;

    if (c->args.operands < 2)
        return cli_fail(c, "two file names are needed; write gsolve convert IN OUT");
    in = c->args.operand[0];
    out = c->args.operand[1];
    if (!cli_is_stream(out) && !cli_is_market_name(out) && !cli_is_binary_name(out) && !cli_is_dense_name(out)) {
        return cli_fail(c,
                        "%s must end in .mtx, .mtx.gz, .npz, .npy, .petsc, .bin or .txt, which "
                        "chooses the format",
                        out);
    }
    c->args.dense |= cli_is_dense_name(out);
    if (c->args.symmetric && c->args.general) {
        return cli_fail(
            c, "--symmetric writes a triangle and --general all entries; give only one of them");
    }
    if (c->args.dense && (c->args.symmetric || c->args.general)) {
        return cli_fail(c, "--dense, .npy and .txt write all elements of an array; remove "
                           "--symmetric and --general");
    }
    c->args.matrix = in;
    c->args.output = out;
    if (cli_check_files(c) || cli_open_host(c)) return CLI_ERROR;
    return c->args.dense ? convert_dense(c, in, out) : convert_matrix(c, in, out);
}
