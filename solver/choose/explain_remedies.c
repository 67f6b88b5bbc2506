/* explain_remedies.c: the table of remedies. A row has the condition under which the remedy
 * applies, the specs that it proposes, and the sentence. A remedy that proposes what has failed in
 * this run does not apply. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/choose/explain.h"

/* What conditions read and set. */
typedef struct proposal {
    const gsolve_context *ctx;
    const gs_facts *f;
    int count;
    const gs_tried *tried;
    gsolve_choice choice; /* set where the remedy has no specs of its own */
    bool automatic;       /* "auto" stands for it */
    bool goes_on;         /* "auto" begins with what was tried, and goes on to the choice */
    double number;        /* for the sentence and the options */
} proposal;

typedef struct remedy {
    bool (*applies)(proposal *p);
    const char *method, *precond; /* "": those of the run; NULL: those of p->choice */
    const char *options;          /* with %g for p->number */
    const char *sentence;         /* with %g for p->number, without a full stop */
} remedy;

/* --- what has been tried ---------------------------------------------------------------------- */

/* The value of an option of a spec, or `otherwise`. */
static double option_of(const char *spec, const char *key, double otherwise)
{
    const char *at = strstr(spec, key);
    return at ? atof(at + strlen(key)) : otherwise;
}

static bool same_name(const char *a, const char *b)
{
    const size_t length = strcspn(a, ",");
    return length == strcspn(b, ",") && strncmp(a, b, length) == 0;
}

/* Whether a run of `tried` shows that the method with this preconditioner fails, too. */
static bool covers(const gs_tried *tried, const char *method, const char *precond)
{
    return same_name(tried->method, method) && same_name(tried->precond, precond) &&
           !strstr(tried->precond, "abs=1") == !strstr(precond, "abs=1") &&
           !strstr(tried->method, "factor=qr") == !strstr(method, "factor=qr") &&
           option_of(tried->method, "restart=", 30) >= option_of(method, "restart=", 30);
}

/* Whether a limit ended the run long before the default one would have. */
static bool was_cut_short(const gs_facts *f)
{
    return f->ran && f->outcome == GSOLVE_ITERATION_LIMIT && f->maxit < 1000;
}

static bool is_tried(const proposal *p, const char *method, const char *precond)
{
    const gs_tried own = {p->f->method, p->f->precond};

    if (was_cut_short(p->f)) return false;
    if (covers(&own, method, precond)) return true;
    for (int k = 0; k < p->count; k++) {
        if (covers(&p->tried[k], method, precond)) return true;
    }
    return false;
}

/* Whether the run has shown that A is not positive definite. */
static bool excludes_definite(const gs_facts *f)
{
    return f->ran && f->outcome == GSOLVE_INDEFINITE && !gs_spec_is(f->method, "minres");
}

/* --- conditions ------------------------------------------------------------------------------- */

/* Whether the run ended early, so that auto may try it once more: a later choice alone may fail, as
 * a factorisation of a singular matrix does, and auto then goes on to the next. */
static bool ended_early(const proposal *p)
{
    return p->f->ran && p->f->outcome != GSOLVE_ITERATION_LIMIT && p->count < 2;
}

/* Choice k of the automatic solver. */
static bool choose(proposal *p, int k)
{
    return p->f->over_ranks ? gsolve_dist_choose(p->ctx, &p->f->t, k, &p->choice)
                            : gsolve_auto_choose(p->ctx, &p->f->t, k, &p->choice);
}

static bool may_choose(proposal *p)
{
    if (!p->f->has_statistics) return false;
    for (int k = 0; choose(p, k); k++) {
        if (is_tried(p, p->choice.method, p->choice.precond)) continue;
        if (excludes_definite(p->f) && gs_spec_is(p->choice.method, "cg")) continue;
        p->goes_on = k > 0 && ended_early(p);
        p->automatic = k == 0 || p->goes_on;
        return true;
    }
    return false;
}

/* The constants are the null space, and that of A', of a symmetric matrix in one part. */
static bool has_null_space(proposal *p)
{
    return p->f->parts == 1 && p->f->t.symmetric && !p->f->transformed;
}

static bool may_lsmr(proposal *p)
{
    return !is_tried(p, "lsmr", "jacobi,normal=1") && p->f->t.largest > 0;
}

/* Whether a least-squares solution was found, and not accepted. */
static bool may_accept(proposal *p)
{
    return p->f->ran && p->f->outcome == GSOLVE_NOT_SOLVED;
}

static bool may_qr(proposal *p)
{
    return !is_tried(p, "direct,factor=qr", "none") && p->f->t.nrows <= 100000;
}

static bool may_direct(proposal *p)
{
    return !is_tried(p, "direct", "none");
}

static bool may_scale(proposal *p)
{
    return !p->f->transformed && !p->f->projects && p->f->t.nrows == p->f->t.ncols;
}

/* Whether ic or ilu may get another order. */
static bool may_order(proposal *p)
{
    return (gs_spec_is(p->f->precond, "ic") || gs_spec_is(p->f->precond, "ilu")) &&
           !strchr(p->f->precond, ',');
}

static bool is_transformed(proposal *p)
{
    return p->f->transformed;
}

static bool may_restart(proposal *p)
{
    const double n = p->f->t.nrows, most = gs_spec_is(p->f->method, "block_gmres") ? 300 : 1000;

    p->number = fmin(fmax(10 * option_of(p->f->method, "restart=", 30), 100), fmin(n, most));
    return p->number > option_of(p->f->method, "restart=", 30);
}

/* number: a limit that the iterations still needed do not reach, as far as that can be estimated.
 */
static bool may_go_on(proposal *p)
{
    double more[2];

    if (!gs_estimate_iterations(p->f, more)) return false;
    p->number = 10 * ceil((p->f->iterations + more[1]) / 10);
    return true;
}

/* Whether the tolerance lies below what the run has reached, and that is small. */
static bool may_loosen(proposal *p)
{
    const double twice = 2 * p->f->residual, unit = pow(10, floor(log10(twice)));

    p->number = unit * ceil(twice / unit); /* one digit */
    return p->f->ran && p->f->residual > 0 && p->f->residual < 1e-6 && p->f->rtol < p->number;
}

static bool is_always(proposal *p)
{
    (void)p;
    return true;
}

/* --- the table -------------------------------------------------------------------------------- */

static const remedy remedies[GS_MOST_REMEDIES] = {
    [GS_USE_CHOICE] = {may_choose, NULL, NULL, "maxit=default", ""},
    [GS_USE_NULL_SPACE] = {has_null_space, "auto", "auto", "null_space=constants",
                           "Name the null space: --null-space constants, in C "
                           "gsolve_matrix_set_null_space"},
    [GS_USE_LSMR] =
        {may_lsmr, "lsmr", "jacobi,normal=1", "maxit=default",
         "lsmr finds a least-squares solution: use --solver lsmr --precond jacobi,normal=1"},
    [GS_USE_ACCEPT] = {may_accept, "lsmr", "jacobi,normal=1", "",
                       "If you want a least-squares solution, accept it: use --solver lsmr"},
    [GS_USE_QR] = {may_qr, "direct,factor=qr", "none", "maxit=default",
                   "A sparse QR factorisation finds a least-squares solution: use --solver "
                   "direct,factor=qr"},
    [GS_USE_SCALE] = {may_scale, "auto", "auto", "scale=auto,maxit=default",
                      "Solve the scaled system: --scale auto"},
    [GS_USE_ORDER] = {may_order, "", "order", "maxit=default",
                      "Another order may suit the preconditioner better: order=rcm"},
    [GS_USE_UNSCALED] = {is_transformed, "auto", "auto", "scale=none,order=none,maxit=default",
                         "Leave --scale and --order out"},
    [GS_USE_RESTART] = {may_restart, "restart", "", "restart=%g",
                        "Use a longer restart: restart=%g"},
    [GS_USE_MORE_ITERATIONS] = {may_go_on, "", "", "maxit=%.0f",
                                "Use a larger limit: --maxit %.0f"},
    [GS_USE_DIRECT] = {may_direct, "direct", "none", "maxit=default", "Factor A: --solver direct"},
    [GS_USE_DOUBLE] = {is_always, "", "", "type=f64", "Use double precision: --type f64"},
    [GS_USE_TOLERANCE] = {may_loosen, "", "", "rtol=%.0e", "Use a larger --rtol, such as %.0e"},
};

/* Sets the remedy of *d to the choice. */
static void set_choice(const proposal *p, gsolve_diagnosis *d)
{
    const gsolve_choice *c = &p->choice;

    snprintf(d->method, sizeof d->method, "%s", p->automatic ? "auto" : c->method);
    snprintf(d->precond, sizeof d->precond, "%s", p->automatic ? "auto" : c->precond);
    snprintf(d->remedy, sizeof d->remedy, "%s %.*s%s%s (%.*s).",
             p->goes_on     ? "Let gsolve choose the method (auto); it goes on to"
             : p->automatic ? "Let gsolve choose the method (auto); it begins with"
                            : "Try",
             p->automatic ? (int)strcspn(c->method, ",") : (int)strlen(c->method), c->method,
             gs_spec_is(c->precond, "none") ? "" : " + ",
             gs_spec_is(c->precond, "none") ? "" : c->precond, (int)strcspn(c->why, ";"), c->why);
}

static void set_restart(const proposal *p, gsolve_diagnosis *d)
{
    snprintf(d->method, sizeof d->method, "%.*s,restart=%g", (int)strcspn(p->f->method, ","),
             p->f->method, p->number);
    d->options[0] = 0;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void set_remedy(const remedy *r, const proposal *p, gsolve_diagnosis *d)
{
    snprintf(d->options, sizeof d->options, r->options, p->number);
    if (!r->method) {
        set_choice(p, d);
        return;
    }
    snprintf(d->method, sizeof d->method, "%s", r->method);
    snprintf(d->precond, sizeof d->precond, "%s", r->precond);
    snprintf(d->remedy, sizeof d->remedy, r->sentence, p->number);
    strcat(d->remedy, ".");
    if (r == &remedies[GS_USE_RESTART]) set_restart(p, d);
    if (r == &remedies[GS_USE_ORDER]) {
        snprintf(d->precond, sizeof d->precond, "%.100s,order=rcm", p->f->precond);
    }
}

/* Whether a remedy keeps to what a matrix that is distributed over ranks can be solved with. */
static bool works_over_ranks(gs_remedy_id id)
{
    return id == GS_USE_CHOICE || id == GS_USE_RESTART || id == GS_USE_MORE_ITERATIONS ||
           id == GS_USE_DOUBLE || id == GS_USE_TOLERANCE;
}

void gs_find_remedy(const gsolve_context *ctx, const gs_facts *f, int count, const gs_tried *tried,
                    gsolve_diagnosis *d)
{
    proposal p = {.ctx = ctx, .f = f, .count = count, .tried = tried};
    const gs_remedy_id *id = gs_remedies_of(f->cause);

    p.choice.size = sizeof p.choice;
    d->method[0] = d->precond[0] = d->options[0] = d->remedy[0] = 0;
    for (; *id != GS_NO_REMEDY; id++) {
        if ((f->over_ranks && !works_over_ranks(*id)) || !remedies[*id].applies(&p)) continue;
        set_remedy(&remedies[*id], &p, d);
        return;
    }
}
