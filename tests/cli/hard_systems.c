/* hard_systems.c GSOLVE: systems that a first attempt does not solve. For each one the command must
 * name the cause and print one command. This program runs that command as a shell would, and
 * computes the residual of its x itself: the command must solve the system, or find a
 * least-squares solution where no x solves it. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hard_systems.h"

typedef struct test {
    const char *name;
    void (*make)(hard_system *s);
    enum { A_ONES, ONES, HUGE, TINY } b; /* b = A*ones, or all elements 1, 1e300 or 1e-300 */
    const char *options;                 /* of the first command */
    const char *cause;                   /* words that the report must have */
    enum {
        SOLVED,   /* the printed command solves the system */
        NO_X,     /* it finds that no x solves the system */
        AT_ONCE,  /* the first command solves it; no command is printed */
        LOOSENED, /* the printed command solves it to a larger tolerance */
    } end;
} test;

static const test tests[] = {
    {"convection, cg", convection, A_ONES, "--solver cg --precond jacobi", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, cg, forced", convection, ONES, "--solver cg --precond jacobi --force", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, minres", convection, A_ONES, "--solver minres --precond none", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, pipecg", convection, ONES, "--solver pipecg --precond jacobi", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, block_cg", convection, A_ONES, "--solver block_cg --precond jacobi", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, refined cg", convection, ONES, "--solver refine,inner=cg --precond jacobi", "not symmetric: |A - A^T| / |A| = ", SOLVED},
    {"convection, gmres(5)", convection, ONES, "--solver gmres,restart=5,maxit=60 --precond none", "restarts every 5 iterations", SOLVED},
    {"negative definite, cg", negative_definite, ONES, "--solver cg --precond jacobi", "All 900 diagonal entries are negative", SOLVED},
    {"negative definite, minres", negative_definite, ONES, "--solver minres --precond jacobi", "All 900 diagonal entries are negative", SOLVED},
    {"negative definite, block_cg", negative_definite, ONES, "--solver block_cg --precond none", "All 900 diagonal entries are negative", SOLVED},
    {"negative definite, ic", negative_definite, ONES, "--solver minres --precond ic", "All 900 diagonal entries are negative", SOLVED},
    {"shifted Laplacian, cg", shifted, ONES, "--solver cg --precond none", "not positive definite", SOLVED},
    {"shifted Laplacian, cg + ic", shifted, ONES, "--solver cg --precond ic", "not positive definite", SOLVED},
    {"shifted Laplacian, minres", shifted, ONES, "--solver minres,maxit=20 --precond none", "limit of 20 iterations", SOLVED},
    {"skew, cg", skew, ONES, "--solver cg --precond none", "skew-symmetric", SOLVED},
    {"skew, minres", skew, ONES, "--solver minres --precond none", "skew-symmetric", SOLVED},
    {"skew, odd, gmres", odd_skew, ONES, "--solver gmres,maxit=200 --precond none", "its number of rows, 901, is odd", NO_X},
    {"skew, odd, direct", odd_skew, ONES, "--solver direct", "its number of rows, 901, is odd", NO_X},
    {"one negative diagonal entry, cg", bad_diagonal, ONES, "--solver cg --precond none", "row 371", SOLVED},
    {"one negative diagonal entry, cg, forced", bad_diagonal, ONES, "--solver cg --precond none --force", "row 371", SOLVED},
    {"one negative diagonal entry, cg + ic", bad_diagonal, ONES, "--solver cg --precond ic", "row 371", SOLVED},
    {"empty row, b = 1", empty_row, ONES, "--solver gmres --precond none", "row 5 of A (counted from 1) is empty", NO_X},
    {"empty row, cg", empty_row, ONES, "--solver bicgstab --precond none", "row 5 of A (counted from 1) is empty", NO_X},
    {"empty row, jacobi", empty_row, A_ONES, "--solver gmres --precond jacobi", "row 5 of A (counted from 1) is empty", SOLVED},
    {"empty column", empty_column, ONES, "--solver gmres --precond none", "column 7 of A (counted from 1) is empty", NO_X},
    {"empty column, direct", empty_column, ONES, "--solver direct", "column 7 of A (counted from 1) is empty", NO_X},
    {"zero matrix", zero, ONES, "--solver cg --precond none", "every entry of A is 0", NO_X},
    {"zero matrix, direct", zero, ONES, "--solver direct", "every entry of A is 0", NO_X},
    {"rtol 1e-16", laplacian, ONES, "--solver cg --precond jacobi --rtol 1e-16", "rounding", LOOSENED},
    {"rtol 1e-16, auto", laplacian, ONES, "--rtol 1e-17", "rounding", LOOSENED},
    {"permuted rows, gmres", permuted_rows, ONES, "--solver gmres,maxit=300 --precond none", "permutation of the rows", SOLVED},
    {"permuted rows, ilu", permuted_rows, ONES, "--solver gmres --precond ilu", "permutation of the rows", SOLVED},
    {"rows scaled by up to 1e20", scaled_1e20, A_ONES, "--solver gmres,maxit=500 --precond none", "", AT_ONCE},
    {"rows scaled by up to 1e300", scaled_1e300, A_ONES, "--solver bicgstab --precond none", "", AT_ONCE},
    {"cyclic shift, gmres(5)", cyclic_shift, ONES, "--solver gmres,restart=5,maxit=100 --precond none", "", AT_ONCE},
    {"cyclic shift, gmres(5), b = A*1 + e1", cyclic_shift_e1, A_ONES, "--solver gmres,restart=5 --precond none", "restarts every 5 iterations", SOLVED},
    {"biharmonic, ilu", biharmonic, ONES, "--solver bicgstab,maxit=100 --precond ilu", "limit of 100 iterations", SOLVED},
    {"jumps, cg", jumps, ONES, "--solver cg,stall=50 --precond none", "badly scaled", SOLVED},
    {"Neumann, b = A*1 is 0", neumann, A_ONES, "--solver cg --precond jacobi", "", AT_ONCE},
    {"Neumann, consistent", neumann_consistent, A_ONES, "--solver cg --precond jacobi --rtol 1e-13", "", AT_ONCE},
    {"Neumann, inconsistent, direct", neumann, ONES, "--solver direct", "sums to 0", NO_X},
    {"Neumann, inconsistent, gmres + ilu", neumann, ONES, "--solver gmres --precond ilu", "sums to 0", NO_X},
    {"Neumann, inconsistent", neumann, ONES, "--solver cg --precond jacobi", "sums to 0", NO_X},
    {"two Neumann blocks", two_neumann, ONES, "--solver cg --precond jacobi", "2 parts", NO_X},
    {"equal rows, direct", equal_rows, A_ONES, "--solver direct", "rows 1 and 8 of A (counted from 1) are equal", NO_X},
    {"equal rows, gmres + ilu", equal_rows, A_ONES, "--solver gmres,maxit=200 --precond ilu", "rows 1 and 8 of A (counted from 1) are equal", NO_X},
    {"tall, cg", tall, ONES, "--solver cg --precond none", "60 x 20", NO_X},
    {"wide, bicgstab", wide, ONES, "--solver bicgstab --precond none", "20 x 60", SOLVED},
    {"zero diagonal, jacobi", saddle, ONES, "--solver minres --precond jacobi", "row 101", SOLVED},
    {"saddle point, cg", saddle, ONES, "--solver cg --precond none", "gsolve: 20 of 120 diagonal entries", SOLVED},
    {"saddle point, cg, forced", saddle, ONES, "--solver cg --precond none --force", "row 101", SOLVED},
    {"saddle point, ilu", saddle, ONES, "--solver gmres --precond ilu", "row 101", SOLVED},
    {"b = 1e300", laplacian, HUGE, "--solver cg --precond jacobi", "", AT_ONCE},
    {"b = 1e-300", laplacian, TINY, "--solver cg --precond jacobi", "", AT_ONCE},
    {"maxit 3", laplacian, ONES, "--solver cg --precond none --maxit 3", "limit of 3 iterations", SOLVED},
    {"maxit 0, auto", laplacian, ONES, "--maxit 0", "limit of 0 iterations", SOLVED},
    {"rotation, bicgstab", rotation, ONES, "--solver bicgstab --precond none", "broke down", SOLVED},
    {"diverging cgs", strong_convection, ONES, "--solver cgs --precond none", "grew", SOLVED},
    {"single precision", biharmonic, ONES, "--type f32 --rtol 1e-10 --solver cg,stall=100 --precond none", "single precision", SOLVED},
    {"not refined", laplacian, ONES, "--solver refine,inner=cg,inner_maxit=2 --precond none", "correction", SOLVED},
    {"lsqr, short", biharmonic, ONES, "--solver lsqr,maxit=20 --precond none", "limit of 20 iterations", SOLVED},
    {"a name with blanks and quotes", odd_name, ONES, "--solver cg --precond none", "not symmetric", SOLVED},
};

/* --- the command ------------------------------------------------------------------------------ */

static char report[1 << 16]; /* of the last command: standard output and error */

/* Runs a shell command and returns its exit code. */
static int run(const char *command)
{
    char line[4096];
    FILE *pipe;
    size_t length;

    snprintf(line, sizeof line, "( %s ) 2>&1 </dev/null", command);
    pipe = popen(line, "r");
    if (!pipe) return -1;
    length = fread(report, 1, sizeof report - 1, pipe);
    report[length] = 0;
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Copies the printed command, the only one, from the report. Returns whether there is just one. */
static bool find_command(const char *gsolve, char *command, size_t size)
{
    const char *at = strstr(report, gsolve);

    if (!at || strstr(at + 1, gsolve)) return false;
    snprintf(command, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

/* --- the judgement ---------------------------------------------------------------------------- */

static double option_value(const char *command, const char *option, double otherwise)
{
    const char *at = strstr(command, option);
    return at ? atof(at + strlen(option)) : otherwise;
}

/* Why the x in the file is not what the test asks for, or NULL. */
static const char *fault_of(const test *t, const hard_system *s, const char *command)
{
    static char text[200];
    const double single = strstr(command, "--type f32") ? 1e-5 : 1e-8;
    const double rtol = option_value(command, "--rtol ", single);
    double *x = hard_read_vector("x.mtx", s->ncols);
    hard_norms n;

    if (!x) return "no x was written";
    hard_measure(s, x, &n);
    free(x);
    snprintf(text, sizeof text, "|r| / |b| = %.2e, |A'r| / (|A| |r|) = %.2e", n.residual, n.normal);
    if (t->end == NO_X) return n.normal <= 1e-6 && n.residual > 1e-4 ? NULL : text;
    if (t->end == LOOSENED && !(rtol <= 1e-10)) return "the tolerance is too large";
    if (t->end == SOLVED && strstr(command, "--rtol ") && !strstr(t->options, "--rtol ")) {
        return "the tolerance was changed";
    }
    return n.residual <= 1.0001 * rtol ? NULL : text;
}

/* Why the system fails, or NULL. */
static const char *try(const test *t, const char *gsolve)
{
    const bool odd = t->make == odd_name;
    const char *file = odd ? "it's A $1.mtx" : "A.mtx";
    char command[2048], printed[2048] = "";
    const char *wrong;
    hard_system s = {0};
    int code;

    t->make(&s);
    hard_set_b(&s, t->b == A_ONES, t->b == HUGE ? 1e300 : t->b == TINY ? 1e-300 : 1);
    hard_write(&s, file, "b.mtx");
    unlink("x.mtx");
    snprintf(command, sizeof command, "%s -A %s -b b.mtx -x x.mtx %s", gsolve,
             odd ? "\"it's A \\$1.mtx\"" : file, t->options);
    code = run(command);
    if (t->end == AT_ONCE) {
        wrong = code ? "the exit code is not 0" : fault_of(t, &s, command);
    } else if (code != 1 && code != 2) {
        wrong = "the exit code is neither 1 nor 2";
    } else if (!strstr(report, t->cause)) {
        wrong = "the report does not name the cause";
    } else if (!find_command(gsolve, printed, sizeof printed)) {
        wrong = "the report does not have one command";
    } else {
        unlink("x.mtx");
        code = run(printed);
        wrong = code ? "the printed command failed" : fault_of(t, &s, printed);
    }
    if (wrong) printf("FAILED: %s: %s\n  %s\n  %s\n%s\n", t->name, wrong, command, printed, report);
    hard_free(&s);
    return wrong;
}

int main(int argc, char **argv)
{
    const int count = (int)(sizeof tests / sizeof *tests);
    char folder[] = "/tmp/hard_systems_XXXXXX", command[100];
    int failed = 0;

    if (argc < 2 || !mkdtemp(folder) || chdir(folder)) return 1;
    for (int k = 0; k < count; k++) {
        if (argc > 2 && !strstr(tests[k].name, argv[2])) continue;
        failed += try(&tests[k], argv[1]) != NULL;
    }
    printf("%d of %d systems failed\n", failed, count);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || failed > 0;
}
