/* main.c: finds the command, runs it and ends the session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/signals.h"

/* --- the output of text --------------------------------------------------------------------- */

/* Sets c->text, c->live and c->width. */
static void set_text_output(cli *c)
{
    struct winsize size = {0};

    c->text = c->args.quiet || cli_uses_stdout(c) ? NULL : stdout;
    c->live = isatty(STDOUT_FILENO);
    if (!c->live) return;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    c->width = size.ws_col == 0    ? 80
               : size.ws_col < 50  ? 50
               : size.ws_col > 110 ? 110
                                   : size.ws_col;
}

/* --- the command --------------------------------------------------------------------------- */

static const char *command_name(const void *user, int k)
{
    const cli_command *commands = user;
    return commands[k].name;
}

static int refuse_command(cli *c, const char *word)
{
    const char *nearest = cli_nearest(word, command_name, cli_commands);

    if (nearest) {
        return cli_fail(c, "there is no command '%s'; did you mean '%s'?", word, nearest);
    }
    return cli_fail(
        c,
        "there is no command '%s'; gsolve --help shows all commands, and gsolve -A FILE "
        "solves a system",
        word);
}

static int say_version(cli *c)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    const char *library;

    printf("gsolve %s\nfactorisations by ", gsolve_version());
    for (int k = 0; (library = gsolve_factor_library_at(k)); k++) {
        printf("%s%s", k ? ", " : "", library);
    }
    putchar('\n');
    if (cli_open_host(c)) return CLI_ERROR;
    gsolve_context_describe(c->ctx, &info);
    printf("CPU kernels: %s\n", info.cpu_level);
    return 0;
}

static int run_command(cli *c, const cli_command *command, int argc, char **argv)
{
    c->command = command;
    if (cli_parse(c, argc, argv)) return CLI_ERROR;
    if (c->args.help) return cli_command_help(stdout, command), 0;
    if (c->args.version) return say_version(c);
    set_text_output(c);
    return command->run(c);
}

/* gsolve help COMMAND */
static int help_with(cli *c, const char *name)
{
    const cli_command *command = name ? cli_find_command(name) : NULL;

    if (name && !command) return refuse_command(c, name);
    if (command) {
        cli_command_help(stdout, command);
    } else {
        cli_help(stdout);
    }
    return 0;
}

/* Whether the first word, which is no command, is a matrix to solve with: a generator, a file, or
 * what can only be the name of one. */
static bool names_matrix(const char *word)
{
    return strncmp(word, "gen:", 4) == 0 || strpbrk(word, "./") || access(word, F_OK) == 0;
}

static int dispatch(cli *c, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;

    if (!word) {
        return cli_fail(c, "no matrix is given; write gsolve -A FILE (gsolve --help shows more)");
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help_with(c, NULL);
    if (strcmp(word, "help") == 0) return help_with(c, argv[2]);
    if (strcmp(word, "--man") == 0) return cli_man(stdout), 0; /* for the build, not in the help */
    if (strcmp(word, "completion") == 0) { /* for the installation, not in the help */
        return cli_completion(c, argv[2], stdout);
    }
    if (word[0] == '-') return run_command(c, &cli_commands[0], argc, argv);
    const cli_command *command = cli_find_command(word);
    if (!command && names_matrix(word)) return run_command(c, &cli_commands[0], argc, argv);
    return command ? run_command(c, command, argc - 1, argv + 1) : refuse_command(c, word);
}

/* The FILE of --json, for an error before the arguments are read; NULL: there is none. */
static const char *json_of(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--json=", 7) == 0) return argv[k] + 7;
        if (strcmp(argv[k], "--json") != 0 || k + 1 == argc) continue;
        return argv[k + 1][0] == '-' && argv[k + 1][1] ? NULL : argv[k + 1];
    }
    return NULL;
}

/* Returns the exit code: `code`, or CLI_ERROR if standard output was not written. */
static int flush_output(cli *c, int code)
{
    if (ferror(stdout)) { /* the reason is forgotten: one more byte has it, too */
        if (c->error[0]) return CLI_ERROR;
        clearerr(stdout);
        putchar('\n');
        code = CLI_ERROR;
    }
    if (fflush(stdout) == 0) return code;
    return cli_fail(c, "cannot write to standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    cli c = {.args = cli_no_arguments, .word = argv, .count = argc, .begin = cli_now()};
    int code = cli_run_ranks(argv);

    if (code >= 0) return code;
    cli_catch_signals(&c.ctx);
    code = dispatch(&c, argc, argv);

    if (code == CLI_ERROR && !c.args.json) c.args.json = json_of(argc, argv);
    if (code == CLI_ERROR && c.args.json) cli_json_error(&c);
    if (c.stopped && cli_interrupted()) cli_end_by_interrupt();
    if (c.stopped) code = CLI_NOT_CONVERGED;
    cli_catch_signals(NULL);
    gsolve_context_destroy(&c.ctx);
    free(c.config);
    return flush_output(&c, code);
}
