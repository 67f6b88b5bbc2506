/* commands.c: the commands and their options. */
#include <limits.h>
#include <stddef.h>

#include "cli/options.h"

#define AT(member)    offsetof(cli_arguments, member)
#define HEADING(text) {NULL, 0, NULL, text, CLI_FLAG, 0, 0, 0}
#define END           {NULL, 0, NULL, NULL, CLI_FLAG, 0, 0, 0}

/* clang-format off */
#define MATRIX \
    {"matrix", 'A', "FILE", "the matrix: a Matrix Market, Rutherford-Boeing or Harwell-Boeing file, " \
     "plain or compressed by gzip, or a generated one, gen:NAME,key=value,... (gsolve list " \
     "generators)", CLI_TEXT, AT(matrix), 0, 0}
#define RHS \
    {"rhs", 'b', "FILE", "the right-hand side, of one or many columns: a file, or ones, random, " \
     "random,k=N for N columns, or A*ones, for which x = 1 is a solution (default A*ones)", CLI_TEXT, AT(rhs), 0, 0}
#define CACHE \
    {"cache", 0, NULL, "keep a binary copy of the matrix beside its file (or under " \
     "$XDG_CACHE_HOME if that cannot be written), and read that while the file is unchanged", CLI_FLAG, AT(cache), 0, 0}
#define SEED \
    {"seed", 0, "N", "which random numbers -b random takes (default 1)", CLI_WHOLE, AT(seed), 0, \
     INT_MAX}
#define DEVICE \
    {"device", 0, "SPEC", "where to compute: auto, cpu, ... (default $GSOLVE_DEVICE or auto; gsolve list devices). A solve " \
     "under auto stays on the CPU with up to 200000 entries, times columns of b", \
     CLI_TEXT, AT(device), 0, 0}
#define THREADS \
    {"threads", 0, "N", "threads of the CPU; 0: as many as OpenMP offers (default 0)", CLI_WHOLE, \
     AT(threads), 0, 4096}
#define SOLVER \
    {"solver", 0, "SPEC", "the method, such as cg or gmres,restart=50 (default auto; gsolve list " \
     "solvers)", CLI_TEXT, AT(solver), 0, 0}
#define PRECOND \
    {"precond", 0, "SPEC", "the preconditioner, such as ilu or block_jacobi,size=3 (default auto; " \
     "gsolve list preconds)", CLI_TEXT, AT(precond), 0, 0}
#define TYPE \
    {"type", 0, "f32|f64", "compute in single or double precision (default f64)", CLI_WORD, \
     AT(type), 0, 0}
#define RTOL \
    {"rtol", 0, "X", "converged when |b - Ax| <= X |b| (default 1e-8; with --type f32, 1e-5)", \
     CLI_REAL, AT(rtol), 0, 1}
#define ATOL \
    {"atol", 0, "X", "... or when |b - Ax| <= X (default 0)", CLI_REAL, AT(atol), 0, 1e300}
#define MAXIT \
    {"maxit", 0, "N", "most iterations (default: that of the method)", CLI_WHOLE, AT(maxit), 0, \
     INT_MAX}
#define JSON \
    {"json", 0, "FILE", "write the result as JSON; '-': to standard output, instead of the text", \
     CLI_TEXT, AT(json), 0, 0}
#define QUIET \
    {"quiet", 'q', NULL, "print nothing but errors", CLI_FLAG, AT(quiet), 0, 0}
#define OUTPUT(text) \
    {"output", 'o', "FILE", text, CLI_TEXT, AT(output), 0, 0}
#define HELP \
    {"help", 'h', NULL, "show this", CLI_FLAG, AT(help), 0, 0}, \
    {"version", 'V', NULL, "show the version", CLI_FLAG, AT(version), 0, 0}

static const cli_option solve_options[] = {
    HEADING("The system"),
    MATRIX, RHS,
    {"x0", 0, "FILE", "the first guess (default 0)", CLI_TEXT, AT(guess), 0, 0},
    CACHE, SEED,
    HEADING("The way"),
    SOLVER, PRECOND,
    {"format", 0, "SPEC", "how the matrix is stored (default auto; gsolve list formats)", CLI_TEXT,
     AT(format), 0, 0},
    TYPE, RTOL, ATOL, MAXIT, DEVICE, THREADS,
    HEADING("The results"),
    {"solution", 'x', "FILE", "write the solution, as a Matrix Market array", CLI_TEXT,
     AT(solution), 0, 0},
    JSON,
    {"columns", 0, NULL, "tell the outcome, the iterations and the residual of each column of b, and "
     "not of the worst alone; JSON has them always", CLI_FLAG, AT(columns), 0, 0},
    {"history", 0, "FILE", "write the residual of each iteration, as comma-separated values",
     CLI_TEXT, AT(history), 0, 0},
    {"monitor", 0, NULL, "print a line for each iteration", CLI_FLAG, AT(monitor), 0, 0},
    {"profile", 0, NULL, "solve twice, and tell what an iteration moves and how fast: as run, and, "
     "from the second solve, for each class of operations; its steps are timed one by one, on a "
     "GPU without recorded graphs", CLI_FLAG, AT(profile), 0, 0},
    QUIET, HELP, END,
};

static const cli_option info_options[] = {
    MATRIX, CACHE,
    {"precond", 0, "SPEC", "make that preconditioner, and tell its memory and its levels (default: amg if auto takes it)",
     CLI_TEXT, AT(precond), 0, 0},
    TYPE, DEVICE, THREADS, JSON, QUIET, HELP, END,
};

static const cli_option compare_options[] = {
    HEADING("The systems"),
    {"matrix", 'A', "FILE", "a matrix, as for solve; given several times, one after the other is "
     "compared, and geometric means are told", CLI_MANY, AT(matrices), 0, 0},
    RHS,
    {"columns-count", 0, "K", "multiply and solve with K columns at once: of b the first is what -b "
     "says and the others are random, unless it is a file with K columns (default: the columns of "
     "b, products with one)", CLI_WHOLE, AT(columns_count), 1, 4096},
    CACHE, SEED,
    HEADING("The way"),
    {"formats", 0, "SPECS", "the formats to compare: SPEC;SPEC;... or SPEC,SPEC,..., where a word "
     "with '=' belongs to the format before it: 'csr,sell,sigma=256,cusparse,alg=sell' (default: "
     "all there are, by each of their algorithms). csr is always among them", CLI_TEXT,
     AT(formats), 0, 0},
    {"repeat", 0, "N", "rounds, in each of which all formats are built, solved with and multiplied "
     "with in turn (default: 3, and then as many as fit into 10 seconds, at most 15)", CLI_WHOLE,
     AT(repeat), 1, 99},
    SOLVER, PRECOND, TYPE, RTOL, ATOL, MAXIT, DEVICE, THREADS,
    HEADING("The results"),
    JSON,
    {"csv", 0, "FILE", "write a line for each matrix and format, as comma-separated values; '-' as "
     "for --json", CLI_TEXT, AT(csv), 0, 0},
    {"html", 0, "FILE", "write a page with tables and charts, complete in one file; '-' as for "
     "--json", CLI_TEXT, AT(html), 0, 0},
    QUIET, HELP, END,
};

static const cli_option generate_options[] = {
    OUTPUT("the file to write; compressed if it ends in .gz"),
    {"symmetric", 0, NULL, "write the lower triangle only; the matrix must be symmetric", CLI_FLAG,
     AT(symmetric), 0, 0},
    THREADS, JSON, QUIET, HELP, END,
};

static const cli_option convert_options[] = {
    {"symmetric", 0, NULL, "write the lower triangle only; the matrix must be symmetric", CLI_FLAG,
     AT(symmetric), 0, 0},
    {"general", 0, NULL, "write all entries, even if IN is stored as a triangle", CLI_FLAG,
     AT(general), 0, 0},
    {"dense", 0, NULL, "IN is dense, such as a right-hand side: write an array", CLI_FLAG,
     AT(dense), 0, 0},
    THREADS, JSON, QUIET, HELP, END,
};

static const cli_option list_options[] = {JSON, QUIET, HELP, END};
/* clang-format on */

const cli_command cli_commands[] = {
    {"solve", "gsolve [solve] -A FILE [-b FILE] [-x FILE] [options]", "solve A x = b",
     "Reads the matrix, looks at it, chooses a method and a preconditioner where none is given, "
     "solves, and computes the residual afresh at the end.\n"
     "If neither --solver nor --precond is given and the first choice fails, others are tried, and "
     "each step is told with its reason. Where the solve fails in the end, the cause is looked for "
     "and named together with what to try next.\n"
     "Interrupted by Ctrl-C, a solve ends after the iteration at hand and still reports; during a "
     "set-up, such as a factorisation, the command ends at once.",
     solve_options, 1, true, cli_solve},
    {"info", "gsolve info [-A] FILE [options]", "tell what a matrix looks like",
     "Shows dimensions, symmetry, diagonal, row lengths, hints on definiteness, the memory that a "
     "solve would take on the device, and what it would choose.",
     info_options, 1, true, cli_info},
    {"compare", "gsolve compare -A FILE [-A FILE ...] [-b FILE] [--formats SPECS] [options]",
     "compare the formats on one or many matrices",
     "Shows for each format the time to build it, the time of a product, beside a copy within the "
     "same memory, what it stores, the time of a solve to the same true residual, from how many "
     "iterations on it is faster than csr, and which format is the fastest at 10, 100, 1000 and "
     "10000 iterations, its build included.\n"
     "All formats take turns, in several rounds; times are medians. A format that cannot hold a "
     "matrix says so in its row. On the CPU the row cxsparse is the product of CXSparse, on one "
     "thread.",
     compare_options, CLI_MOST_MATRICES, false, cli_compare},
    {"generate", "gsolve generate NAME[,key=value,...] -o FILE [options]",
     "write a generated matrix to a file",
     "Writes Matrix Market. gsolve list generators shows the names and their options.",
     generate_options, 1, false, cli_generate},
    {"convert", "gsolve convert IN OUT [options]", "convert a file to Matrix Market",
     "Reads any matrix that solve reads, and writes OUT, which ends in .mtx or .mtx.gz. A matrix "
     "stored as a symmetric or skew-symmetric triangle stays one.",
     convert_options, 2, false, cli_convert},
    {"list", "gsolve list [formats|solvers|preconds|products|generators|devices] [options]",
     "list what there is, with all options",
     "Shows each name with its options, their defaults and what they allow. A name is used "
     "together with options as NAME,key=value,...",
     list_options, 1, false, cli_list},
    {0},
};

const cli_pair cli_examples[] = {
    {"gsolve -A A.mtx", "solve with b = A*ones: a first try of any matrix"},
    {"gsolve -A A.mtx.gz -b b.mtx -x x.mtx", "solve A x = b and write x"},
    {"gsolve -A gen:poisson3d,n=50 --solver cg --precond jacobi",
     "choose the method; no file needed"},
    {"gsolve -A A.mtx --rtol 1e-10 --json result.json", "to 10 digits, the result for a program"},
    {"gsolve info A.mtx", "what is this matrix like?"},
    {"gsolve compare A.mtx --html page.html", "which format serves it best?"},
    {"gsolve -A A.mtx -b random,k=16 --solver block_cg --columns", "many right-hand sides at once"},
    {"gsolve list solvers", "all methods and their options"},
    {0},
};

const cli_pair cli_exit_codes[] = {
    {"0", "success; the solve converged"},
    {"1", "an error, told in one sentence on standard error"},
    {"2", "the solve did not converge"},
    {0},
};

const cli_pair cli_variables[] = {
    {"GSOLVE_DEVICE", "the device, where --device does not tell"},
    {"OMP_NUM_THREADS", "threads of the CPU, where --threads does not tell"},
    {"XDG_CACHE_HOME", "where --cache keeps its copies if the matrix's folder cannot be written"},
    {0},
};
