/* interface_solver.c: random calls about solvers. What is called converged is measured again. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void drop_solver(fuzz *f, int slot)
{
    solver_handle *h = &f->solver[slot];

    if (!h->S) return;
    trace(f, "gsolve_solver_destroy(S%d)\n", slot);
    gsolve_solver_destroy(&h->S);
    if (h->S) complain(f, "gsolve_solver_destroy leaves the handle");
}

static void destroy(fuzz *f)
{
    drop_solver(f, (int)below(f, HANDLES));
}

static int pick_solver(fuzz *f)
{
    const int from = (int)below(f, HANDLES);

    for (int k = 0; k < HANDLES; k++) {
        const int slot = (from + k) % HANDLES;
        if (f->solver[slot].S && !f->solver[slot].dead) return slot;
    }
    return -1;
}

/* Mostly a preconditioner that fits; -1: none. */
static int fitting_precond(fuzz *f, int a)
{
    const gsolve_csr *A = &f->matrix[a].given.csr;
    const int from = (int)below(f, HANDLES);

    if (chance(f, 20)) return -1;
    if (chance(f, 5)) return pick_precond(f);
    for (int k = 0; k < HANDLES; k++) {
        const int slot = (from + k) % HANDLES;
        const gsolve_csr *M = &f->precond[slot].given.csr;
        if (f->precond[slot].M && M->nrows == A->nrows && M->type == A->type) return slot;
    }
    return -1;
}

static void create(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), a = pick_matrix(f);
    solver_handle *h = &f->solver[slot];
    const gsolve_precond *M;
    random_spec s;

    if (a < 0) return;
    drop_solver(f, slot);
    draw_spec(f, METHOD, &s);
    h->a = a;
    h->m = fitting_precond(f, a);
    h->dead = false;
    h->rtol = s.rtol;
    h->atol = s.atol;
    h->maxit = s.maxit;
    h->columns = 0;
    M = h->m < 0 ? NULL : f->precond[h->m].M;
    trace(f, "gsolve_solver_create(S%d, \"%s\", A%d, M%d)\n", slot, s.text, a, h->m);
    h->S = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_solver_create(&h->S, f->ctx, s.text, f->matrix[a].A, M);
    if (!passed_handle(f, "gsolve_solver_create", status, (void **)&h->S)) return;
    if (s.invalid) complain(f, "gsolve_solver_create takes the spec '%s'", s.text);
    if (!strlen(gsolve_solver_name(h->S))) complain(f, "a solver has no name");
}

/* --- systems ------------------------------------------------------------------------------------
 */

typedef struct problem {
    vectors b, x;
} problem;

/* b = A times something, so that also a singular system has a solution. */
static void make_consistent(fuzz *f, const input *A, vectors *b)
{
    for (int32_t c = 0; c < b->d.ncols; c++) {
        for (int32_t i = 0; i < A->csr.nrows; i++) {
            double sum = 0;
            for (int64_t k = offset_at(&A->csr, i); k < offset_at(&A->csr, i + 1); k++) {
                sum += value_at(&A->csr, k) * (double)(1 + A->csr.col[k] % 3);
            }
            if (!isfinite(sum)) continue;
            if (b->d.type == GSOLVE_F32) {
                if (fabs(sum) < 1e37) ((float *)b->host)[c * b->d.stride + i] = (float)sum;
            } else {
                ((double *)b->host)[c * b->d.stride + i] = sum;
            }
        }
    }
    keep_copy(b);
    if (b->d.location == GSOLVE_DEVICE &&
        gsolve_copy(f->ctx, b->d.value, GSOLVE_DEVICE, b->host, GSOLVE_HOST, b->bytes)) {
        complain(f, "b cannot be copied to the device");
    }
}

/* Mostly column-major, as make_consistent needs it. */
static gsolve_layout draw_layout(fuzz *f, bool any)
{
    return any && chance(f, 20) ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR;
}

static problem draw_problem(fuzz *f, const input *A, int32_t columns, bool any_layout)
{
    const bool mixed = chance(f, 20) && !skips(f, "mixed");
    const gsolve_type of_b = mixed ? draw_type(f) : A->csr.type;
    const gsolve_type of_x = mixed ? draw_type(f) : A->csr.type;
    const filling first = chance(f, 70) ? ZEROS : draw_filling(f);
    const gsolve_layout b = draw_layout(f, any_layout), x = draw_layout(f, any_layout);
    problem p;

    p.b = make_vectors(f, A->csr.nrows, columns, of_b, b, draw_filling(f));
    p.x = make_vectors(f, A->csr.ncols, columns, of_x, x, first);
    if (!A->malformed && b == GSOLVE_COLUMN_MAJOR && chance(f, 25)) make_consistent(f, A, &p.b);
    return p;
}

static void drop_problem(fuzz *f, problem *p)
{
    drop_vectors(f, &p->b);
    drop_vectors(f, &p->x);
}

/* --- what is checked of a result
 * ------------------------------------------------------------------ */

static void check_converged(fuzz *f, const char *call, const reference *r, int32_t column,
                            double rtol, double atol, double reported)
{
    const long double bound = fmaxl((long double)rtol * r->norm, (long double)atol);

    if (r->residual <= bound * (1 + 1e-6L) + r->slack) return;
    complain(f,
             "%s calls column %d converged with a residual of %g; it is %Lg of |b| = %Lg, "
             "rtol %g, atol %g",
             call, column, reported, r->residual / (r->norm > 0 ? r->norm : 1), r->norm, rtol,
             atol);
}

/* The residual that is reported is that of x as the caller has it. */
static void check_reported(fuzz *f, const char *call, const reference *r, int32_t column,
                           const gsolve_result *result)
{
    const long double norm = r->norm > 0 ? r->norm : 1;
    const long double said = (long double)result->relative_residual * norm;

    if (!(r->residual < 1e300L) || !(r->residual / norm < 1e300L) || !(r->slack < 1e300L)) return;
    if (fabsl(said - r->residual) <= 1e-6L * r->residual + r->slack) return;
    complain(f, "%s reports a residual of %g in column %d (%s); it is %Lg, |b| is %Lg", call,
             result->relative_residual, column, gsolve_outcome_text(result->outcome),
             r->residual / norm, r->norm);
}

/* x is no worse than the first guess. */
static void check_best(fuzz *f, const char *call, const input *A, const problem *p, int32_t column,
                       const reference *r, const gsolve_result *result)
{
    vectors guess = p->x;
    reference first;

    guess.host = p->x.before;
    first = true_residual(A, &p->b, &guess, column);
    if (result->outcome == GSOLVE_CONVERGED || skips(f, "best")) return;
    if (r->residual <= first.residual * (1 + 1e-6L) + r->slack + first.slack) return;
    complain(f, "%s returns x worse than the first guess in column %d (%s): %Lg, and %Lg at first",
             call, column, gsolve_outcome_text(result->outcome), r->residual, first.residual);
}

static void check_column(fuzz *f, const char *call, const input *A, const problem *p,
                         int32_t column, const gsolve_result *result, double rtol, double atol)
{
    const reference r = true_residual(A, &p->b, &p->x, column);

    if ((unsigned)result->outcome >= GSOLVE_OUTCOME_COUNT) complain(f, "%s: no such outcome", call);
    if (result->iterations < 0 || result->products < 0) {
        complain(f, "%s: %d iterations, %d products", call, result->iterations, result->products);
    }
    if (result->outcome == GSOLVE_CONVERGED) {
        check_converged(f, call, &r, column, rtol, atol, result->relative_residual);
    }
    check_reported(f, call, &r, column, result);
    check_best(f, call, A, p, column, &r, result);
}

static void hash_result(fuzz *f, const gsolve_result *result)
{
    add_number(f, result->outcome);
    add_number(f, result->iterations);
    add_number(f, result->products);
    add_to_hash(f, &result->relative_residual, sizeof result->relative_residual);
}

/* After a call that failed or not: b as it was, nothing written between the columns of x. */
static void check_arrays(fuzz *f, const char *call, problem *p)
{
    fetch_vectors(f, &p->b);
    fetch_vectors(f, &p->x);
    if (!unchanged(&p->b)) complain(f, "%s changes b", call);
    check_gaps(f, call, &p->x);
}

static bool untouched(const gsolve_result *result)
{
    const unsigned char *byte = (const unsigned char *)result;

    for (size_t k = sizeof result->size; k < sizeof *result; k++) {
        if (byte[k] != 0xa5) return false;
    }
    return true;
}

/* --- runs ---------------------------------------------------------------------------------------
 */

typedef struct watch {
    int limit, last; /* iterations to stop after; the last that was shown */
    bool refused, disordered;
} watch;

static bool monitor(int iteration, double residual, void *user)
{
    watch *w = user;

    (void)residual;
    if (iteration < 0 || (w->last < 0 && iteration != 0)) w->disordered = true;
    w->last = iteration;
    w->refused = w->refused || iteration >= w->limit;
    return iteration < w->limit;
}

static void check_run(fuzz *f, const solver_handle *h, problem *p, const gsolve_result *result,
                      const watch *w)
{
    const matrix_handle *A = &f->matrix[h->a];
    const char *call = "gsolve_solver_run";
    bool all = true;

    hash_result(f, result);
    hash_vectors(f, &p->x);
    if (w->disordered) complain(f, "the monitor did not see the iterations from 0 on");
    if (result->outcome == GSOLVE_STOPPED && !w->refused) {
        complain(f, "a run is stopped though the monitor did not ask for it");
    }
    if (result->iterations > h->maxit) {
        complain(f, "%d iterations though maxit is %d", result->iterations, h->maxit);
    }
    for (int32_t c = 0; c < p->b.d.ncols; c++) {
        gsolve_result column = GSOLVE_INIT(gsolve_result);
        if (!passed(f, "gsolve_solver_column", gsolve_solver_column(h->S, c, &column))) return;
        all = all && column.outcome == GSOLVE_CONVERGED;
        if (!A->undefined) check_column(f, call, &A->given, p, c, &column, h->rtol, h->atol);
    }
    if (p->b.d.ncols > 0 && all != (result->outcome == GSOLVE_CONVERGED)) {
        complain(f, "the outcome of all is '%s', and columns differ",
                 gsolve_outcome_text(result->outcome));
    }
    if (p->b.d.ncols > 0 && !all_finite(&p->b)) {
        complain(f, "gsolve_solver_run takes a b with nan or inf");
    }
}

static void run(fuzz *f)
{
    const int slot = pick_solver(f);
    const int32_t columns = chance(f, 60) ? 1 : (int32_t)below(f, 6);
    watch w = {chance(f, 15) ? (int)below(f, 10) : 1000000, -1, false, false};
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    if (slot < 0) return;
    solver_handle *h = &f->solver[slot];
    problem p = draw_problem(f, &f->matrix[h->a].given, columns, true);
    const bool aliased = chance(f, 1) && !skips(f, "aliased") && p.b.bytes == p.x.bytes &&
                         columns > 0 && p.b.bytes > 0;
    const bool watched = chance(f, 30);
    const gsolve_dense x = aliased ? p.b.d : p.x.d;
    trace(f, "gsolve_solver_run(S%d, A is %s, b of %d columns %s%s, x %s%s%s)\n", slot,
          f->matrix[h->a].given.csr.type == GSOLVE_F32 ? "f32" : "f64", columns,
          p.b.d.type == GSOLVE_F32 ? "f32" : "f64",
          p.b.d.layout == GSOLVE_ROW_MAJOR ? " by rows" : "", x.type == GSOLVE_F32 ? "f32" : "f64",
          x.layout == GSOLVE_ROW_MAJOR ? " by rows" : "", aliased ? ", the same array" : "");
    memset(&result, 0xa5, sizeof result);
    result.size = sizeof result;
    gsolve_solver_set_monitor(h->S, watched ? monitor : NULL, &w);
    deny_some(f);
    const gsolve_status status = gsolve_solver_run(h->S, p.b.d, x, &result);
    const bool good = passed(f, "gsolve_solver_run", status);
    h->columns = good ? columns : 0;
    gsolve_solver_set_monitor(h->S, NULL, NULL);
    if (aliased && good) complain(f, "gsolve_solver_run takes b and x in one array");
    if (!aliased) check_arrays(f, "gsolve_solver_run", &p);
    if (!good && !untouched(&result)) complain(f, "gsolve_solver_run fails and writes a result");
    if (good && !aliased) check_run(f, h, &p, &result, &w);
    drop_problem(f, &p);
}

/* New tolerances, which a failed call leaves as they were; and estimates of the spectrum. */
static void set(fuzz *f)
{
    static const char *const texts[] = {"rtol=1e-3", "rtol=1e-9,maxit=60",
                                        "maxit=7",   "atol=1e-2,stall=9",
                                        "rtol=2",    "maxit=5,restart=3"};
    const int slot = pick_solver(f), k = (int)below(f, 6);
    gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum);

    if (slot < 0) return;
    solver_handle *h = &f->solver[slot];
    trace(f, "gsolve_solver_set(S%d, \"%s\")\n", slot, texts[k]);
    gsolve_context_limit_allocations(f->ctx, 0);
    const gsolve_status status = gsolve_solver_set(h->S, texts[k]);
    gsolve_context_limit_allocations(f->ctx, -1);
    if (passed(f, "gsolve_solver_set", status) != (k < 4)) {
        complain(f, "gsolve_solver_set of \"%s\": %s", texts[k], gsolve_status_text(status));
    }
    if (k == 0 || k == 1) h->rtol = k == 0 ? 1e-3 : 1e-9;
    if (k == 1 || k == 2) h->maxit = k == 1 ? 60 : 7;
    if (k == 3) h->atol = 1e-2;
    deny_some(f);
    if (passed(f, "gsolve_solver_spectrum", gsolve_solver_spectrum(h->S, &e)) &&
        !(e.smallest <= e.largest)) {
        complain(f, "a spectrum from %g to %g", e.smallest, e.largest);
    }
}

static void explain(fuzz *f)
{
    const int slot = pick_solver(f);
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);
    const char *said;

    if (slot < 0) return;
    gsolve_solver *S = f->solver[slot].S;
    trace(f, "gsolve_solver_explain(S%d) and others\n", slot);
    deny_some(f);
    said = gsolve_solver_explain(S);
    if (f->denied) gsolve_context_limit_allocations(f->ctx, -1);
    f->denied = false;
    if (!said || !gsolve_solver_note(S)) complain(f, "gsolve_solver_explain returns NULL");
    if (f->solver[slot].columns > 0 && said && strlen(said) < 5) {
        complain(f, "gsolve_solver_explain says '%s'", said);
    }
    gsolve_solver_get_profile(S, &profile);
    for (int k = 0; gsolve_solver_profile_at(S, k, &line); k++) {
        if (!line.name || line.calls < 0) complain(f, "a line of a profile has no name");
    }
    if (chance(f, 50)) {
        deny_some(f);
        passed(f, "gsolve_solver_profile", gsolve_solver_profile(S, chance(f, 70)));
    }
}

static void forecast(fuzz *f)
{
    const int from = pick_input(f);
    size_t bytes = 77;
    random_spec s;

    draw_spec(f, METHOD, &s);
    trace(f, "gsolve_solver_memory(\"%s\", matrix %d)\n", s.text, from);
    deny_some(f);
    if (!passed(f, "gsolve_solver_memory",
                gsolve_solver_memory(f->ctx, s.text, &f->given[from].csr, (int32_t)below(f, 9),
                                     &bytes)) &&
        bytes != 77) {
        complain(f, "gsolve_solver_memory fails and writes a number");
    }
}

/* --- all in one call
 * ------------------------------------------------------------------------------ */

static void count_lines(const char *line, void *user)
{
    *(int *)user += line && line[0];
}

static void solve(fuzz *f)
{
    const int from = pick_input(f);
    const int32_t columns = chance(f, 60) ? 1 : (int32_t)below(f, 4);
    const input *in = &f->given[from];
    int lines = 0;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    problem p = draw_problem(f, in, columns, false);
    gsolve_csr csr = lend(f, in);
    trace(f, "gsolve_solve(matrix %d, b of %d columns %s, x %s)\n", from, columns,
          p.b.d.type == GSOLVE_F32 ? "f32" : "f64", p.x.d.type == GSOLVE_F32 ? "f32" : "f64");
    memset(&result, 0xa5, sizeof result);
    result.size = sizeof result;
    deny_some(f);
    if (chance(f, 50)) gsolve_context_set_log(f->ctx, count_lines, &lines);
    const gsolve_status status = gsolve_solve(f->ctx, &csr, p.b.d, p.x.d, &result);
    gsolve_context_set_log(f->ctx, NULL, NULL);
    const bool good = passed(f, "gsolve_solve", status);
    check_arrays(f, "gsolve_solve", &p);
    if (!good && !untouched(&result)) complain(f, "gsolve_solve fails and writes a result");
    if (good && in->malformed) complain(f, "gsolve_solve takes a malformed matrix");
    if (good && columns > 0) {
        for (int32_t c = 0; c < columns && result.outcome == GSOLVE_CONVERGED; c++) {
            const reference r = true_residual(in, &p.b, &p.x, c);
            check_converged(f, "gsolve_solve", &r, c, 1e-8, 0, result.relative_residual);
        }
        if (columns == 1) check_column(f, "gsolve_solve", in, &p, 0, &result, 1e-8, 0);
    }
    take_back(f, in, &csr);
    drop_problem(f, &p);
}

/* --- an automatic solver from its creation to its end --------------------------------------- */

/* Runs S on a new b, and checks what it calls converged. Returns whether the run succeeded. */
static bool run_auto(fuzz *f, gsolve_auto *S, const input *in)
{
    const int32_t columns = (int32_t)below(f, 4);
    problem p = draw_problem(f, in, columns, false);
    gsolve_result result;

    memset(&result, 0xa5, sizeof result);
    result.size = sizeof result;
    trace(f, "gsolve_auto_run(b of %d columns)\n", columns);
    deny_some(f);
    const bool good = passed(f, "gsolve_auto_run", gsolve_auto_run(S, p.b.d, p.x.d, &result));
    check_arrays(f, "gsolve_auto_run", &p);
    for (int32_t c = 0; good && c < columns && result.outcome == GSOLVE_CONVERGED; c++) {
        const reference r = true_residual(in, &p.b, &p.x, c);
        check_converged(f, "gsolve_auto_run", &r, c, 1e-8, 0, result.relative_residual);
    }
    if (!gsolve_auto_explain(S)[0]) complain(f, "gsolve_auto_explain returns nothing");
    drop_problem(f, &p);
    return good;
}

static void solve_steps(fuzz *f)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_auto *S = NULL;
    int64_t runs = 0;

    gsolve_csr csr = lend(f, in);
    trace(f, "gsolve_auto_create(matrix %d)\n", from);
    deny_some(f);
    const bool good = passed(f, "gsolve_auto_create", gsolve_auto_create(&S, f->ctx, "", &csr));
    if (good && in->malformed) complain(f, "gsolve_auto_create takes a malformed matrix");
    for (int step = 0; good && step < 3; step++) {
        runs += run_auto(f, S, in);
        if (!passed(f, "gsolve_auto_update", gsolve_auto_update(S, &csr))) break;
        gsolve_auto_describe(S, &info);
        if (info.runs != runs || info.updates != step + 1) {
            complain(f, "gsolve_auto_describe counts wrongly");
        }
    }
    gsolve_auto_destroy(&S);
    take_back(f, in, &csr);
}

const api_call solver_calls[] = {{"solver_create", 12, create},
                                 {"solver_run", 16, run},
                                 {"solver_explain", 3, explain},
                                 {"solver_forecast", 1, forecast},
                                 {"solver_set", 2, set},
                                 {"solve", 4, solve},
                                 {"auto", 4, solve_steps},
                                 {"solver_destroy", 2, destroy},
                                 {NULL, 0, NULL}};
