/* generate.c: gsolve generate: writes a generated matrix to a file. */
#include <string.h>

#include "cli/json.h"

int cli_generate(cli *c)
{
    cli_system s = {0};
    char name[1024], comment[1200];
    const char *spec = c->args.operands ? c->args.operand[0] : NULL;
    int code;

    if (!spec) {
        return cli_fail(
            c, "no generator is given; write for example gsolve generate poisson2d,n=100 -o FILE "
               "(gsolve list generators shows all)");
    }
    if (!c->args.output)
        return cli_fail(c, "no output file is given; write gsolve generate %s -o FILE", spec);
    if (strncmp(spec, "gen:", 4) == 0) spec += 4;
    if (strlen(spec) > sizeof name - 8) return cli_fail(c, "the spec '%.40s...' is too long", spec);
    snprintf(name, sizeof name, "gen:%s", spec);
    if (cli_check_files(c) || cli_open_host(c)) return CLI_ERROR;
    code = cli_read_matrix(c, name, &s);
    if (!code) {
        snprintf(comment, sizeof comment, "%s, by gsolve %s", name, gsolve_version());
        code = cli_write_matrix(c, &s, c->args.output,
                                c->args.symmetric ? GSOLVE_SYMMETRIC : GSOLVE_GENERAL, comment);
    }
    cli_close_system(c, &s);
    return code;
}
