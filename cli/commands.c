/* commands.c: the commands and their options. */
#include <limits.h>
#include <stddef.h>

#include "cli/options.h"

#define AT(member)    offsetof(cli_arguments, member)
#define HEADING(text) {NULL, 0, NULL, text, CLI_FLAG, 0, 0, 0}
#define END           {NULL, 0, NULL, NULL, CLI_FLAG, 0, 0, 0}

/* clang-format off */
#define MATRIX \
    {"matrix", 'A', "FILE", "matrix file (Matrix Market, Rutherford-Boeing, Harwell-Boeing, SciPy .npz, NumPy .npy, PETSc binary or MATLAB .mat; " \
     "text also compressed by gzip, bzip2, xz or zstd), or - for standard input, or gen:NAME,key=value,... for a generated " \
     "matrix (see gsolve list generators)", CLI_TEXT, AT(matrix), 0, 0}
#define RHS \
    {"rhs", 'b', "FILE", "right-hand side b: a file with one or more columns (plain text, Matrix Market, NumPy .npy, PETSc binary or MATLAB " \
     ".mat; -: standard input), or one of the words ones, random, random,k=N (N random right-hand " \
     "sides) and A*ones (x = 1 is then a solution) (default A*ones)", CLI_TEXT, AT(rhs), 0, 0}
#define CACHE \
    {"cache", 0, NULL, "keep a binary copy of the matrix FILE as FILE.gscache, or in $XDG_CACHE_HOME/gsolve (by default " \
     "~/.cache/gsolve) if the folder of FILE is not writable. Later runs with --cache read the copy while FILE is unchanged. " \
     "No effect on generated matrices", CLI_FLAG, AT(cache), 0, 0}
#define SEED \
    {"seed", 0, "N", "seed of the random numbers in b (default 1)", CLI_WHOLE, AT(seed), 0, \
     INT_MAX}
#define DEVICE(text) {"device", 0, "SPEC", text, CLI_TEXT, AT(device), 0, 0}
#define THREADS(more) \
    {"threads", 0, "N", "number of CPU threads; 0: OMP_NUM_THREADS, or all processors if that is not set (default 0)" more, \
     CLI_WHOLE, AT(threads), 0, 4096}
#define DEVICE_THREADS THREADS(". Overrides threads= of --device. With device auto, --threads selects the CPU")
#define SOLVER \
    {"solver", 0, "SPEC", "solver, that is, the method, such as cg or gmres,restart=50 (default auto; see gsolve list " \
     "solvers)", CLI_TEXT, AT(solver), 0, 0}
#define PRECOND \
    {"precond", 0, "SPEC", "preconditioner, such as ilu or block_jacobi,size=3 (default auto; see gsolve list " \
     "preconds)", CLI_TEXT, AT(precond), 0, 0}
#define TYPE(more) \
    {"type", 0, "f32|f64", "type of the matrix and of the vectors: f32 (single precision) or f64 (double precision)" more \
     " (default f64)", CLI_WORD, AT(type), 0, 0}
#define SOLVE_TYPE TYPE("; the final residual is always computed in double precision")
#define RTOL \
    {"rtol", 0, "X", "relative tolerance: the solve has converged if |b - Ax| <= X |b|. Overrides rtol= of --solver " \
     "(default 1e-8, or 1e-5 with --type f32)", \
     CLI_REAL, AT(rtol), 0, 1}
#define ATOL \
    {"atol", 0, "X", "absolute tolerance: the solve has also converged if |b - Ax| <= X; one of the two tolerances is " \
     "enough. Overrides atol= of --solver (default 0)", CLI_REAL, AT(atol), 0, 1e300}
#define MAXIT \
    {"maxit", 0, "N", "largest number of iterations. Overrides maxit= of --solver (default: see gsolve list solvers)", \
     CLI_WHOLE, AT(maxit), 0, INT_MAX}
#define JSON(what) \
    {"json", 0, "FILE", "write " what " as JSON; '-' means standard output and suppresses the text, here and for other outputs", \
     CLI_TEXT, AT(json), 0, 0}
#define QUIET(more) \
    {"quiet", 'q', NULL, "print only errors" more, CLI_FLAG, AT(quiet), 0, 0}
#define FORCE(more) \
    {"force", 0, NULL, "do what gsolve otherwise refuses: more threads (--threads, or threads= of --device) than there are " \
     "processors" more, CLI_FLAG, AT(force), 0, 0}
#define OUTPUT(text) \
    {"output", 'o', "FILE", text, CLI_TEXT, AT(output), 0, 0}
#define HELP \
    {"config", 0, "FILE", "read options from FILE: one \"name value\" or \"name = value\" a line, with the long names; a name alone " \
     "sets an option without argument; # begins a comment. The command line overrides FILE", CLI_TEXT, AT(config), 0, 0}, \
    {"help", 'h', NULL, "show this help", CLI_FLAG, AT(help), 0, 0}, \
    {"version", 'V', NULL, "show the version, the libraries of sparse factorisations, and the level of the CPU whose kernels run", CLI_FLAG, AT(version), 0, 0}

static const cli_option solve_options[] = {
    HEADING("System"),
    MATRIX, RHS,
    {"x0", 0, "FILE", "file with the initial guess (-: standard input; default 0)", CLI_TEXT, AT(guess), 0, 0},
    {"null-space", 0, "constants|FILE", "null space of a singular A: the word constants, or a file with one or more vectors v, A v = 0. "
     "If b is not in the range of A, x is then the least-squares solution", CLI_TEXT, AT(null_space), 0, 0},
    {"left-null-space", 0, "constants|FILE", "null space of the transpose of A, if that is not the one of A. Both have the same dimension",
     CLI_TEXT, AT(left_null_space), 0, 0},
    CACHE, SEED,
    HEADING("Method"),
    SOLVER, PRECOND,
    {"scale", 0, "none|rows|symmetric|auto", "solve a scaled system. rows: the largest magnitude of each row becomes about 1; "
     "symmetric: that of each row and column, by the same factors, so that a symmetric A stays symmetric; auto: symmetric or "
     "rows if the largest magnitudes of the rows differ by a factor of 100 or more, none if A is not square. The residual of the "
     "original system decides. lsqr, lsmr and direct,factor=qr run without it. Refused with --null-space (default none)", CLI_WORD, AT(scale), 0, 0},
    {"order", 0, "none|rcm|amd|nd", "solve a permuted system. rcm: reverse Cuthill-McKee; amd: approximate minimum degree; nd: nested "
     "dissection, if gsolve was built with METIS. The method direct keeps this order. lsqr, lsmr and direct,factor=qr run without it. Refused with --null-space "
     "(default none)", CLI_WORD, AT(order), 0, 0},
    {"format", 0, "SPEC", "storage format of the matrix (default auto; see gsolve list formats)", CLI_TEXT,
     AT(format), 0, 0},
    SOLVE_TYPE, RTOL, ATOL, MAXIT,
    {"time-limit", 0, "SECONDS", "stop after this time, reading and set-up included, and report the best iterate so far; the exit code is 2. "
     "A solve that ends by the time limit does not give the same bits again (default: no limit)", CLI_REAL, AT(time_limit), 0, 1e9},
    {"setup", 0, "FILE", "keep the set-up of the preconditioner amg, or the factors of the method direct, in FILE. If FILE holds "
     "them for this matrix and for the options of this solve, they are read; otherwise they are computed and FILE is written. A "
     "set-up of another kind or for a matrix with another pattern stays in FILE", CLI_TEXT, AT(setup), 0, 0},
    HEADING("Device"),
    DEVICE("device: auto, cpu or cuda (default $GSOLVE_DEVICE, else auto; see gsolve list devices). auto uses a GPU if "
           "there is one, but the CPU if --format is not given and (entries of A) x (columns of b) is at most 200000"),
    DEVICE_THREADS, FORCE("; and a method that the matrix is known not to suit: cg, pipecg, block_cg or minres where it is not symmetric, or one of the "
     "first three where a diagonal entry is negative, or 0 beside other entries"),
    HEADING("Output"),
    {"solution", 'x', "FILE", "write the solution as a Matrix Market array; as NumPy array, plain text or PETSc vector if the name ends in .npy, .txt, "
     ".petsc or .bin; '-' as for --json", CLI_TEXT,
     AT(solution), 0, 0},
    JSON("the result"),
    {"columns", 0, NULL, "print outcome, iterations and residual of each right-hand side (column of b), not only of the "
     "worst one; JSON always contains them", CLI_FLAG, AT(columns), 0, 0},
    {"history", 0, "FILE", "write the residual of each iteration as CSV (comma-separated values); '-' as for --json",
     CLI_TEXT, AT(history), 0, 0},
    {"html", 0, "FILE", "write the result as an HTML page in one self-contained file: convergence curves, times, the pattern of the "
     "matrix, and, if the solve failed, the diagnosis; '-' as for --json", CLI_TEXT, AT(html), 0, 0},
    {"plot", 0, NULL, "draw the residual of each iteration and each attempt as curves in the terminal", CLI_FLAG, AT(plot), 0, 0},
    {"ascii", 0, NULL, "draw the curves of --plot with ASCII characters (default: Unicode, if the locale uses UTF-8)",
     CLI_FLAG, AT(ascii), 0, 0},
    {"monitor", 0, NULL, "print the residual of each iteration", CLI_FLAG, AT(monitor), 0, 0},
    {"profile", 0, NULL, "show memory traffic and bandwidth of an iteration, and of each class of operations. "
     "For this, gsolve solves the system a second time and times each operation separately. "
     "On a GPU this second solve does not use CUDA graphs", CLI_FLAG, AT(profile), 0, 0},
    {"repeat", 0, "N", "number of rounds: solve N times, set-ups included, and show the least, median and largest times. The matrix is "
     "read and its format built once", CLI_WHOLE, AT(repeat), 1, 9999},
    {"print-c", 0, NULL, "print a complete C program that does the same through the public interface, and solve nothing. The program "
     "writes the file of -x; the method and the preconditioner are those that gsolve would take, or left to the library if "
     "neither is given", CLI_FLAG, AT(print_c), 0, 0},
    QUIET(" and the cause of a solve that did not converge"), HELP, END,
};

static const cli_option info_options[] = {
    MATRIX, CACHE,
    {"precond", 0, "SPEC", "preconditioner to build; its memory, its set-up time and, for amg, its levels are shown "
     "(default: amg if auto would choose amg, else none is built)", CLI_TEXT, AT(precond), 0, 0},
    TYPE(""),
    DEVICE("device on which the solve would run: auto, cpu or cuda (default $GSOLVE_DEVICE, else cpu; see gsolve list "
           "devices). --device auto takes a GPU if there is one"),
    DEVICE_THREADS, FORCE(""), JSON("this report"), QUIET(""), HELP, END,
};

static const cli_option compare_options[] = {
    HEADING("Systems"),
    {"matrix", 'A', "FILE", "matrix, as for gsolve solve. If several are given, each one is measured, and "
     "geometric means over the matrices are shown, too", CLI_MANY, AT(matrices), 0, 0},
    RHS,
    {"columns-count", 0, "K", "number of columns in a product and of right-hand sides in a solve. With -b FILE, the file must have K "
     "columns. With -b ones or A*ones, the first column is that vector and the others are random. With -b random, all are "
     "random. With -b random,k=N, a solve has N right-hand sides instead (default: a product has one column, a solve has all "
     "columns of b)", CLI_WHOLE, AT(columns_count), 1, 4096},
    CACHE, SEED,
    HEADING("Method"),
    {"formats", 0, "SPECS", "formats to compare, separated by commas. A word with '=' is an option of the format "
     "before it: csr,sell,sigma=256,bsr compares csr, sell with sigma=256, and bsr. csr is always included (default: all "
     "formats, cusparse with each of its algorithms in a build with CUDA)", CLI_TEXT,
     AT(formats), 0, 0},
    {"solvers", 0, "SPECS", "compare solvers: methods, separated like formats, each with each of --preconds and --formats; auto stands for "
     "the choices of auto and common ones for the matrix. direct runs without a preconditioner (default with --preconds: "
     "auto)", CLI_TEXT, AT(solvers), 0, 0},
    {"preconds", 0, "SPECS", "compare solvers: preconditioners, separated like formats; auto stands for those that suit the matrix and the "
     "solver (default with --solvers: auto)", CLI_TEXT, AT(preconds), 0, 0},
    {"repeat", 0, "N", "number of rounds; each round builds each format, solves with it and multiplies with "
     "it (default: 3 rounds, then more while they fit into 10 seconds, at most 15). With --solvers, the first round does not count "
     "(default: 3 rounds that count, then more while they fit into 10 seconds, at most 40)", CLI_WHOLE,
     AT(repeat), 1, 99},
    SOLVER, PRECOND, SOLVE_TYPE, RTOL, ATOL, MAXIT,
    HEADING("Device"),
    DEVICE("device: auto, cpu or cuda (default $GSOLVE_DEVICE, else auto; see gsolve list devices). auto uses a GPU if "
           "there is one"),
    DEVICE_THREADS, FORCE(""),
    HEADING("Several ranks: mpirun -n N gsolve compare"),
    {"partition", 0, "SPEC", "move rows to other ranks before the comparison: blocks, metis, scotch or auto (default: do not)", CLI_TEXT,
     AT(partition), 0, 0},
    {"ranks", 0, "N", "ranks that take part: a number, or all (default all)", CLI_TEXT, AT(ranks), 0, 0},
    HEADING("Output"),
    JSON("the results"),
    {"csv", 0, "FILE", "write one line per matrix and format as CSV (comma-separated values); '-' as for "
     "--json", CLI_TEXT, AT(csv), 0, 0},
    {"html", 0, "FILE", "write an HTML page with tables and charts in one self-contained file; '-' as for "
     "--json", CLI_TEXT, AT(html), 0, 0},
    QUIET(""), HELP, END,
};

static const cli_option generate_options[] = {
    OUTPUT("output file: SciPy's format if its name ends in .npz, PETSc's if it ends in .petsc or .bin, else Matrix Market, "
           "compressed if it ends in .gz; '-' means standard output and suppresses the text"),
    {"symmetric", 0, NULL, "write only the lower triangle; the matrix must be symmetric, not skew-symmetric", CLI_FLAG,
     AT(symmetric), 0, 0},
    THREADS(""), FORCE(""), JSON("a report on the matrix"), QUIET(""), HELP, END,
};

static const cli_option convert_options[] = {
    {"symmetric", 0, NULL, "write only the lower triangle, even if IN stores all entries; the matrix must be symmetric, "
     "not skew-symmetric", CLI_FLAG,
     AT(symmetric), 0, 0},
    {"general", 0, NULL, "write all entries, even if IN stores only a triangle", CLI_FLAG,
     AT(general), 0, 0},
    {"dense", 0, NULL, "IN is a dense vector or matrix, such as a right-hand side; write an array. Implied by .npy and "
     ".txt", CLI_FLAG,
     AT(dense), 0, 0},
    THREADS(""), FORCE(""), JSON("a report on the matrix"), QUIET(""), HELP, END,
};

static const cli_option list_options[] = {JSON("the list"), QUIET(""), HELP, END};
/* clang-format on */

const cli_command cli_commands[] = {
    {"solve", "gsolve [solve] [-A] FILE [-b FILE] [-x FILE] [options]", "solve A x = b",
     "Reads the matrix and analyses it, solves the system, and then computes the true residual "
     "from A, x and b. If --solver is not given, gsolve chooses the method. If --precond is not "
     "given, gsolve chooses the preconditioner.\nIf neither --solver nor --precond is given and "
     "the first choice fails, gsolve tries other choices and prints the reason for each. If the "
     "solve fails in the end, gsolve prints the cause, if it finds one, and what to try "
     "next.\nCtrl-C stops a solve after the current iteration; gsolve then reports the result so "
     "far and exits with code 2. During the set-up of a later attempt, gsolve reports the best "
     "iterate of the earlier ones, also with code 2. If there is no iterate yet, Ctrl-C ends the "
     "command within a second with a sentence about what it did; a shell reports the exit code "
     "130. A second Ctrl-C ends the command at once. In no case does a partly written file stay.",
     solve_options, 1, true, cli_solve},
    {"info", "gsolve info [-A] FILE [options]", "show the properties of a matrix",
     "Shows dimensions, symmetry, diagonal and row lengths; definiteness, if the signs of the "
     "diagonal and diagonal dominance prove it; the memory that a solve needs on the device; and "
     "the method and the preconditioner "
     "that auto would choose. If this preconditioner is amg, info builds it and shows its levels.",
     info_options, 1, true, cli_info},
    {"compare", "gsolve compare [-A] FILE ... [options]",
     "compare storage formats, or solvers, on one or more matrices",
     "Without --solvers and --preconds, compares formats. Shows for each format: the time to build "
     "it; the time and the bandwidth of a product, "
     "compared with the bandwidth of a memory copy; its memory; the time of a solve to the same "
     "true residual; and the smallest number of iterations for which build plus iterations take "
     "less time than with csr. Then shows the fastest format for 10, 100, 1000 and 10000 "
     "iterations, build time included.\nEach round measures every format; the times shown are "
     "medians over the rounds. If a format refuses a matrix, for example because of too much "
     "padding, its row gives the reason. On the "
     "CPU, the row cxsparse uses the matrix-vector product of the library CXSparse, on one thread."
     "\nWith --solvers or --preconds, compares solvers: all combinations of the methods, the "
     "preconditioners and the formats (default auto), each to the same true residual. Says first "
     "which is the fastest, and which differences are noise. Then shows for each: the median time "
     "with a confidence interval, set-up and solve, iterations, residual and the peak of memory; a "
     "combination that fails keeps its row with the reason. A solve is stopped after 10 times the "
     "time of the fastest, but not before 0.5 s. For several matrices shows a performance profile "
     "(Dolan and More). On a GPU, the row vendor is cg or bicgstab with jacobi, written on calls "
     "of "
     "cuSPARSE and cuBLAS.",
     compare_options, CLI_MOST_MATRICES, false, cli_compare},
    {"generate", "gsolve generate NAME[,key=value,...] -o FILE [options]",
     "write a generated matrix to a file",
     "Writes a Matrix Market file, or another format by the name of FILE. gsolve list generators "
     "shows the generators and their "
     "options.",
     generate_options, 1, false, cli_generate},
    {"convert", "gsolve convert IN OUT [options]", "convert a file to another format",
     "Reads any file that gsolve solve reads and writes it to OUT, whose name chooses the format: "
     ".mtx or .mtx.gz (Matrix Market), .npz (SciPy, sparse), .npy (NumPy, dense), .petsc or .bin "
     "(PETSc), .txt (vectors, plain text). IN may be -, standard input, and OUT may be -, standard "
     "output, or a pipe; "
     "these get Matrix Market. If IN stores only a triangle of a symmetric or skew-symmetric "
     "matrix, a Matrix Market file OUT does too, unless --general is given.",
     convert_options, 2, false, cli_convert},
    {"list", "gsolve list [NAME|formats|solvers|preconds|products|generators|devices] [options]",
     "list methods, preconditioners, formats and other names",
     "gsolve list shows all names. gsolve list NAME shows what a name is, what it needs, its "
     "source, "
     "an example, and its options with their default values and, in parentheses, the values that "
     "an option can have. gsolve list solvers, or another list, shows the options of all its "
     "names. "
     "To set options, write NAME,key=value,...\nformats: storage formats of a "
     "matrix. solvers: methods to solve A x = b. preconds: preconditioners. products: methods for "
     "the product A B of two sparse matrices, used in the C interface. generators: matrices for -A "
     "gen:NAME. devices: where gsolve computes.",
     list_options, 1, false, cli_list},
    {0},
};

const cli_pair cli_examples[] = {
    {"gsolve -A A.mtx", "solve A x = b with b = A*ones, a first test of any matrix"},
    {"gsolve -A A.mtx.gz -b b.mtx -x x.mtx", "read b from a file and write the solution x"},
    {"gsolve -A gen:poisson3d,n=50 --solver cg --precond jacobi",
     "set the method and the preconditioner; gen: generates the matrix"},
    {"gsolve -A A.mtx --rtol 1e-10 --json result.json",
     "solve to a relative residual of 1e-10 and write the result as JSON"},
    {"gsolve info A.mtx", "show the properties of a matrix"},
    {"gsolve compare A.mtx --solvers auto",
     "measure which method with which preconditioner is the fastest for this matrix"},
    {"gsolve compare A.mtx --html page.html",
     "measure which storage format is fastest for this matrix"},
    {"gsolve -A A.mtx -b random,k=16 --solver block_cg --columns",
     "solve with 16 random right-hand sides together and print the result of each"},
    {"gsolve list gmres", "show the options of a method, preconditioner or format, and an example"},
    {0},
};

const cli_pair cli_exit_codes[] = {
    {"0",
     "success; for a solve: it converged, or its outcome is \"least squares\": no x solves the "
     "system, and x minimises |b - Ax|"},
    {"1", "an error, described by one sentence on standard error; also a method that the matrix is "
          "known not to suit, unless --force is given"},
    {"2", "the solve did not converge: x is the best iterate, and the report has the cause and a "
          "command to try; or --time-limit or Ctrl-C stopped it; for compare: of some matrix, no "
          "row solved the system"},
    {"128 + N",
     "a signal ended the command, as a shell reports it: 130 after Ctrl-C if there is no "
     "result to report"},
    {0},
};

const cli_pair cli_variables[] = {
    {"GSOLVE_CPU_LEVEL",
     "level of the processor whose kernels run on the CPU: baseline, v3 or v4 on "
     "x86-64 (default: the highest that the processor supports); also for "
     "programs that use the library"},
    {"GSOLVE_DEVICE", "device, if --device is not given"},
    {"GSOLVE_TRACE", "file to which set-up phases and operations are written as a Chrome trace "
                     "(chrome://tracing, ui.perfetto.dev); also for programs that use the library"},
    {"OMP_NUM_THREADS",
     "number of CPU threads, if neither --threads nor threads= of --device is given"},
    {"XDG_CACHE_HOME", "--cache writes to its folder gsolve if the folder of the matrix is not "
                       "writable (default ~/.cache)"},
    {0},
};

const cli_pair cli_files[] = {
    {"FILE.gscache", "the binary copy of the matrix FILE that --cache keeps"},
    {"$XDG_CACHE_HOME/gsolve", "folder of such copies, if the folder of the matrix is not "
                               "writable; ~/.cache/gsolve if XDG_CACHE_HOME is not set"},
    {0},
};
