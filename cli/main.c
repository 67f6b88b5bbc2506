/* main.c: the command gsolve: which of its commands is meant. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "gsolve.h"

typedef struct entry {
    const cli_command *command;
    int (*run)(const cli_arguments *a);
} entry;

static const entry entries[] = {
    {&cli_solve, cli_run_solve},       {&cli_info, cli_run_info}, {&cli_compare, cli_run_compare},
    {&cli_generate, cli_run_generate}, {&cli_convert, cli_run_convert}, {&cli_list, cli_run_list},
};

enum { ENTRIES = sizeof entries / sizeof *entries };

static void print_overview(void)
{
    printf("gsolve %s: solves sparse linear systems A x = b iteratively\n\n", gsolve_version());
    for (int k = 0; k < ENTRIES; k++) {
        printf("  gsolve %s%s%s\n", entries[k].command->name, entries[k].command->name[0] ? " " : "",
               entries[k].command->usage);
    }
    printf("\nExamples\n"
           "  gsolve -A matrix.mtx -b rhs.mtx -x solution.mtx\n"
           "  gsolve -A gen:poisson3d,n=100 --solver cg --precond ic\n"
           "  gsolve info matrix.mtx.gz\n"
           "  gsolve list solvers\n\n"
           "Each command explains itself: gsolve info --help. Without a command gsolve solves:\n\n");
    cli_print_help(&cli_solve);
}

static void print_man(void)
{
    const cli_command *commands[ENTRIES + 1] = {0};

    for (int k = 0; k < ENTRIES; k++) commands[k] = entries[k].command;
    cli_print_man(commands);
}

static int run(const entry *e, int argc, char **argv)
{
    cli_arguments a;
    const int code = cli_parse(e->command, argc, argv, &a);

    return code >= 0 ? code : e->run(&a);
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return print_overview(), argc < 2;
    }
    if (strcmp(argv[1], "--version") == 0) return printf("gsolve %s\n", gsolve_version()), 0;
    if (strcmp(argv[1], "--man") == 0) return print_man(), 0;
    if (strcmp(argv[1], "solve") == 0) return run(&entries[0], argc - 1, argv + 1);
    if (argv[1][0] == '-') return run(&entries[0], argc, argv);
    for (int k = 1; k < ENTRIES; k++) {
        if (strcmp(argv[1], entries[k].command->name) == 0) return run(&entries[k], argc - 1, argv + 1);
    }
    return cli_fail("there is no command '%s'; there are solve, info, compare, generate, convert and "
                    "list",
                    argv[1]);
}
