/* solve.c: what all ranks of gsolve-mpi do. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/ranks.h"

/* --- the system ------------------------------------------------------------------------------- */

static bool is_ones(const ranks_run *r)
{
    return !r->args.rhs || strcmp(r->args.rhs, "A*ones") == 0;
}

/* b as the option -b says. */
static int make_rhs(ranks_run *r)
{
    const bool constant = r->args.rhs && strcmp(r->args.rhs, "ones") == 0;
    const bool random = r->args.rhs && strcmp(r->args.rhs, "random") == 0;
    char *end = "";
    const long seed = r->args.seed ? strtol(r->args.seed, &end, 10) : 1;
    const gsolve_row_range rows = is_ones(r) ? r->csr.rows : r->given;
    gsolve_dense ones = {0};
    int code;

    if (*end || seed < 0 || seed > INT_MAX || (r->args.seed && !*r->args.seed)) {
        return ranks_fail(r, "--seed needs a whole number from 0 to %d, not '%s'", INT_MAX,
                          r->args.seed);
    }
    if (!is_ones(r) && !constant && !random) {
        return ranks_check(r, gsolve_read_dense_dist(&r->b, r->ctx, r->args.rhs, rows, NULL)) ||
               ranks_move(r, &r->b, false);
    }
    code = ranks_new_vector(r, &r->b, rows.count, 1) ||
           ranks_new_vector(r, &ones, r->csr.cols.count, 1);
    for (int32_t i = 0; !code && i < rows.count; i++) {
        const uint64_t place = (uint64_t)(rows.first + i);
        ((double *)r->b.value)[i] = constant ? 1
                                    : random ? gsolve_random((uint64_t)seed, place)
                                             : 0;
    }
    for (int32_t i = 0; !code && i < ones.nrows; i++) ((double *)ones.value)[i] = 1;
    if (is_ones(r)) {
        code = code || ranks_check(r, gsolve_matrix_apply(r->A, 1, ones, 0, r->b));
    } else {
        code = code || ranks_move(r, &r->b, false);
    }
    gsolve_dense_free(&ones, r->ctx);
    return code;
}

static int make_guess(ranks_run *r)
{
    if (r->args.guess) {
        const gsolve_row_range rows = r->R ? r->given : r->csr.cols;
        if (ranks_check(r, gsolve_read_dense_dist(&r->x, r->ctx, r->args.guess, rows, NULL)))
            return 1;
        if (r->x.ncols == r->b.ncols) return ranks_move(r, &r->x, false);
        return ranks_fail(r, "%s has %d columns and b %d; give as many", r->args.guess, r->x.ncols,
                          r->b.ncols);
    }
    return ranks_new_vector(r, &r->x, r->csr.cols.count, r->b.ncols);
}

/* *space = what `word` names: the constants, or the vectors of a file. */
static int read_space(ranks_run *r, const char *word, gsolve_null_space *space)
{
    space->constants = strcmp(word, "constants") == 0;
    if (space->constants) return 0;
    return ranks_check(r, gsolve_read_dense_dist(&space->vectors, r->ctx, word, r->given, NULL)) ||
           ranks_move(r, &space->vectors, false);
}

static int set_null_space(ranks_run *r)
{
    gsolve_null_space right = {0}, left = {0};
    const bool both = r->args.left_null_space;
    int code;

    if (!r->args.null_space && !both) return 0;
    code = r->args.null_space && read_space(r, r->args.null_space, &right);
    code = code || (both && read_space(r, r->args.left_null_space, &left));
    code = code ||
           ranks_check(r, gsolve_matrix_set_null_space(r->A, r->args.null_space ? &right : NULL,
                                                       both ? &left : NULL));
    gsolve_dense_free(&right.vectors, r->ctx);
    gsolve_dense_free(&left.vectors, r->ctx);
    return code;
}

static int read_matrix(ranks_run *r)
{
    const double begin = MPI_Wtime();
    const int code =
        ranks_check(r, gsolve_read_matrix_dist(&r->csr, r->ctx, r->args.matrix, NULL, &r->source));

    r->seconds.read = MPI_Wtime() - begin;
    return code;
}

static int prepare(ranks_run *r)
{
    const double begin = MPI_Wtime();
    const char *format = r->args.format ? r->args.format : "auto";

    if (ranks_partition(r)) return 1;
    if (r->args.info) return 0;
    if (ranks_check(r, gsolve_matrix_create_dist(&r->A, r->ctx, format, &r->csr))) return 1;
    if (ranks_check(r, gsolve_matrix_statistics(r->A, &r->statistics))) return 1;
    if (set_null_space(r) || make_rhs(r) || make_guess(r)) return 1;
    r->seconds.build = MPI_Wtime() - begin - r->seconds.partition;
    return 0;
}

/* --- the solve -------------------------------------------------------------------------------- */

/* *guess = x, if there will be a profile, which solves again from the guess. */
static int keep_guess(ranks_run *r, gsolve_dense *guess)
{
    const size_t count = (size_t)r->x.nrows * (size_t)r->x.ncols;

    if (!r->args.profile) return 0;
    if (ranks_new_vector(r, guess, r->x.nrows, r->x.ncols)) return 1;
    memcpy(guess->value, r->x.value, count * sizeof(double));
    return 0;
}

/* A gsolve_monitor. */
static bool keep_residual(int iteration, double residual, void *user)
{
    cli_keep_residual(user, iteration, residual);
    return true;
}

static void add_curve(ranks_run *r, cli_attempt *a)
{
    a->result = r->result;
    snprintf(a->solver, sizeof a->solver, "%s", r->method);
    snprintf(a->precond, sizeof a->precond, "%s", r->precond);
    ranks_add_curve(r, a);
}

/* One method with one preconditioner. *code: not 0 if the command ends with an error. */
static gsolve_status attempt(ranks_run *r, int *code)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_dense guess = {0};
    cli_attempt history = {.ran = false};
    const double begin = MPI_Wtime();
    gsolve_status status;

    r->profile.made = false;
    *code = keep_guess(r, &guess);
    if (*code) return GSOLVE_NO_MEMORY;
    r->diagnosis = (gsolve_diagnosis)GSOLVE_INIT(gsolve_diagnosis);
    status = gsolve_precond_create_from(&M, r->ctx, r->precond, r->A);

    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, r->ctx, r->method, r->A, M);
    r->seconds.setup += MPI_Wtime() - begin;
    if (S && r->args.html) gsolve_solver_set_monitor(S, keep_residual, &history);
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, r->b, r->x, &r->result);
    if (S) gsolve_solver_set_monitor(S, NULL, NULL);
    if (status == GSOLVE_OK && r->args.html) add_curve(r, &history);
    cli_free_attempt(&history);
    if (status == GSOLVE_OK) snprintf(r->note, sizeof r->note, "%s", gsolve_solver_note(S));
    if (status == GSOLVE_OK && !gsolve_outcome_is_success(r->result.outcome)) {
        status = gsolve_solver_diagnose(S, &r->diagnosis);
    }
    r->seconds.solve += status == GSOLVE_OK ? r->result.seconds : 0;
    if (status == GSOLVE_OK && r->args.profile) *code = ranks_profile(r, S, guess);
    gsolve_dense_free(&guess, r->ctx);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    return status;
}

/* Tries one choice after another. Each begins with the x of the one before. */
static int try_choices(ranks_run *r)
{
    gsolve_status status = GSOLVE_UNSUPPORTED;
    int code;

    for (int k = 0; ranks_choose(r, k); k++) {
        r->attempts = k + 1;
        status = attempt(r, &code);
        if (code) return code;
        if (status == GSOLVE_OK && gsolve_outcome_is_success(r->result.outcome)) return 0;
        if (status == GSOLVE_BAD_ARGUMENT || status == GSOLVE_BAD_SPEC ||
            status == GSOLVE_RANK_FAILED) {
            break;
        }
    }
    if (ranks_is_open(r->args.solver) && ranks_is_open(r->args.precond)) r->diagnosis.remedy[0] = 0;
    return r->attempts == 0 ? ranks_fail(r, "no method is known for this matrix over several ranks")
                            : ranks_check(r, status);
}

/* |x - 1| / |1| over all ranks, where 1 is a solution. */
static void measure_error(ranks_run *r)
{
    double sum = 0, all;

    r->error_of_x = NAN;
    if (!is_ones(r) || r->csr.cols.total == 0 || r->args.null_space) return;
    for (int32_t i = 0; i < r->x.nrows; i++) {
        const double e = ((double *)r->x.value)[i] - 1;
        sum += e * e;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, r->comm);
    r->error_of_x = sqrt(all / (double)r->csr.cols.total);
}

static int write_solution(ranks_run *r)
{
    const double begin = MPI_Wtime();
    const gsolve_row_range rows = r->R ? r->given : r->csr.cols;
    char comment[1200];

    if (!r->args.solution) return 0;
    if (ranks_move(r, &r->x, true)) return 1;
    snprintf(comment, sizeof comment, "gsolve %s: %s + %s, %s, |b - Ax| / |b| = %.3e",
             gsolve_version(), r->method, r->precond, gsolve_outcome_text(r->result.outcome),
             r->result.relative_residual);
    if (ranks_check(r, gsolve_write_dense_dist(r->ctx, r->args.solution, rows, &r->x, comment)))
        return 1;
    r->seconds.write = MPI_Wtime() - begin;
    return 0;
}

int ranks_solve(ranks_run *r)
{
    const double begin = MPI_Wtime();
    int code = r->idle ? 0 : ranks_open_context(r) || read_matrix(r) || ranks_reduce(r);

    if (r->idle) return code;
    code = code || prepare(r);
    if (!code && !r->args.info) {
        code = try_choices(r);
        if (!code) measure_error(r);
        code = code || ranks_prepare_page(r);
        code = code || write_solution(r);
    }
    r->seconds.total = MPI_Wtime() - begin - (r->profile.made ? r->profile.seconds : 0);
    return code;
}
