/* options.c: the command line of gsolve-mpi. */
#include <stddef.h>
#include <string.h>

#include "cli/ranks/ranks.h"
#include "cli/streams.h"

typedef struct option_of { /* a word, or a flag if it has no argument */
    const char *name, *letter, *argument;
    size_t at; /* the member of ranks_arguments */
    const char *help;
    bool info; /* gsolve info has it, too */
} option_of;

#define MEMBER(name) offsetof(ranks_arguments, name)

static const option_of options[] = {
    {"--matrix", "-A", "FILE", MEMBER(matrix), "matrix: a file, -: standard input, or gen:NAME,...",
     true},
    {"--rhs", "-b", "FILE", MEMBER(rhs),
     "right-hand side: a file, ones, random or A*ones (default)", false},
    {"--x0", NULL, "FILE", MEMBER(guess), "initial guess (default 0)", false},
    {"--null-space", NULL, "WORD", MEMBER(null_space), "null space of A: constants, or a file",
     false},
    {"--left-null-space", NULL, "WORD", MEMBER(left_null_space),
     "that of the transpose of A, if it is another one", false},
    {"--solution", "-x", "FILE", MEMBER(solution), "write the solution; -: to standard output",
     false},
    {"--solver", NULL, "SPEC", MEMBER(solver), "method (default auto)", false},
    {"--precond", NULL, "SPEC", MEMBER(precond), "preconditioner (default auto)", false},
    {"--format", NULL, "SPEC", MEMBER(format), "storage format (default auto)", false},
    {"--partition", NULL, "SPEC", MEMBER(partition),
     "move rows to other ranks: blocks, metis, scotch or auto (default: do not)", true},
    {"--ranks", NULL, "N", MEMBER(ranks),
     "ranks that solve: a number, all or auto (default: auto with the method auto, else all)",
     true},
    {"--rtol", NULL, "X", MEMBER(rtol), "relative tolerance (default 1e-8)", false},
    {"--maxit", NULL, "N", MEMBER(maxit), "largest number of iterations", false},
    {"--seed", NULL, "N", MEMBER(seed), "seed of the random numbers in b (default 1)", false},
    {"--threads", NULL, "N", MEMBER(threads), "threads of each rank", true},
    {"--device", NULL, "SPEC", MEMBER(device), "device of each rank: cpu (default) or cuda", true},
    {"--profile", NULL, NULL, MEMBER(profile),
     "show the times of operations and messages, and their spread over the ranks", false},
    {"--json", NULL, "FILE", MEMBER(json), "write the result as JSON; -: standard output", true},
    {"--quiet", "-q", NULL, MEMBER(quiet), "print nothing but errors", true},
    {"--help", "-h", NULL, MEMBER(help), "print this help", true},
    {"--version", "-V", NULL, MEMBER(version), "print the version", true},
};
enum { COUNT = sizeof options / sizeof *options };

void ranks_help(FILE *to)
{
    fprintf(to, "gsolve-mpi: solves A x = b with rows that are distributed over MPI processes\n\n"
                "usage: mpirun -n RANKS gsolve [solve] [-A] FILE [-b FILE] [-x FILE] [options]\n"
                "       mpirun -n RANKS gsolve info [-A] FILE [--partition SPEC] [--json FILE]\n\n"
                "gsolve executes gsolve-mpi if it is started with several ranks.\n\n");
    for (int k = 0; k < COUNT; k++) {
        char left[40];
        snprintf(left, sizeof left, "%s%s%s%s%s", options[k].letter ? options[k].letter : "   ",
                 options[k].letter ? ", " : " ", options[k].name, options[k].argument ? " " : "",
                 options[k].argument ? options[k].argument : "");
        fprintf(to, "  %-22s %s\n", left, options[k].help);
    }
}

/* The option that begins `word`: its name, or its name and '='; *value = what follows that. */
static const option_of *find(const char *word, const char **value)
{
    *value = NULL;
    for (int k = 0; k < COUNT; k++) {
        const size_t length = strlen(options[k].name);
        if (options[k].letter && strcmp(word, options[k].letter) == 0) return &options[k];
        if (strncmp(word, options[k].name, length) != 0) continue;
        if (word[length] == '=' && options[k].argument) *value = word + length + 1;
        if (word[length] == '=' || word[length] == 0) return &options[k];
    }
    return NULL;
}

/* Whether `word` is a command of gsolve for one rank. */
static bool is_other_command(const char *word)
{
    static const char *const names[] = {"compare", "generate", "convert",
                                        "list",    "help",     "completion"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(word, names[k]) == 0) return true;
    }
    return false;
}

int ranks_parse(ranks_run *r, int argc, char **argv)
{
    int first = 1;

    if (argc > 1 && is_other_command(argv[1])) {
        return ranks_fail(r, "gsolve %s works on one rank; start it without mpirun", argv[1]);
    }
    r->args.info = argc > 1 && strcmp(argv[1], "info") == 0;
    if (r->args.info || (argc > 1 && strcmp(argv[1], "solve") == 0)) first = 2;
    for (int i = first; i < argc; i++) {
        const char *value;
        const option_of *option = find(argv[i], &value);
        if (!option && (argv[i][0] != '-' || !argv[i][1]) && !r->args.matrix) {
            r->args.matrix = argv[i];
        } else if (!option) {
            return ranks_fail(r,
                              "%s is not among what gsolve does with several ranks; mpirun -n %d "
                              "gsolve --help shows that",
                              argv[i], r->ranks);
        } else if (r->args.info && !option->info) {
            return ranks_fail(r, "%s belongs to gsolve solve; gsolve info does not solve",
                              option->name);
        } else if (!option->argument) {
            *(bool *)((char *)&r->args + option->at) = true;
        } else {
            if (!value && i + 1 < argc) value = argv[++i];
            if (!value) return ranks_fail(r, "%s needs %s", option->name, option->argument);
            *(const char **)(void *)((char *)&r->args + option->at) = value;
        }
    }
    if (r->args.help || r->args.version) return 0;
    if (r->args.profile && r->args.quiet && !r->args.json) {
        return ranks_fail(r, "--profile prints lines and --quiet suppresses them; give only one of "
                             "them, or add --json");
    }
    if (r->args.profile && r->args.device && strncmp(r->args.device, "cpu", 3) != 0) {
        return ranks_fail(r, "--profile over several ranks works on CPUs; leave --device %s out",
                          r->args.device);
    }
    if (r->args.matrix) return 0;
    return ranks_fail(r, "no matrix is given; write gsolve %s-A FILE", r->args.info ? "info " : "");
}

/* The arguments as those of the command for one rank, as far as they are files. */
static cli files_of(const ranks_run *r)
{
    const ranks_arguments *a = &r->args;

    return (cli){.silent = true,
                 .args = {.matrix = a->matrix,
                          .rhs = a->rhs,
                          .guess = a->guess,
                          .null_space = a->null_space,
                          .left_null_space = a->left_null_space,
                          .solution = a->solution,
                          .json = a->json}};
}

int ranks_check_files(ranks_run *r)
{
    cli c = files_of(r);
    int code = r->rank == 0 && cli_check_files(&c);

    MPI_Bcast(&code, 1, MPI_INT, 0, r->comm);
    return code ? ranks_fail(r, "%s", c.error) : 0;
}

bool ranks_json_fits(const ranks_run *r)
{
    const cli c = files_of(r);

    return cli_json_fits(&c);
}
