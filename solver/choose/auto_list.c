/* auto_list.c: the list of choices of an automatic solver, and the decision to leave a choice whose
 * iterations have grown. */
#include "solver/choose/auto_solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/choose/auto_method.h"
#include "solver/choose/dist_choose.h"
#include "solver/choose/ranking.h"

/* --- the list --------------------------------------------------------------------------------- */

static int find(const gs_auto_choice *list, int count, const gs_auto_choice *choice)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(list[k].method, choice->method) == 0 &&
            strcmp(list[k].precond, choice->precond) == 0) {
            return k;
        }
    }
    return -1;
}

static int count_choices(const gsolve_auto *S)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    int count = 0;

    while (gs_choose_for(S->ctx, S->A, &S->statistics, count, &choice)) count++;
    return count;
}

/* Direct would permute the transformed matrix by an order of its own. */
void gs_auto_name_method(const gsolve_auto *S, gs_auto_choice *c)
{
    const bool keep = gs_auto_has_order(S) && gs_spec_is(c->base, "direct") &&
                      !strstr(c->base, ",order=") && !strstr(c->base, ",factor=qr");

    snprintf(c->method, sizeof c->method, "%s%s%s", c->base, keep ? ",order=none" : "",
             S->spec + strcspn(S->spec, ","));
}

static void set_choice(const gsolve_auto *S, const gsolve_choice *choice, gs_auto_choice *c)
{
    snprintf(c->base, sizeof c->base, "%s", choice->method);
    snprintf(c->precond, sizeof c->precond, "%s", choice->precond);
    snprintf(c->why, sizeof c->why, "%s", choice->why);
    gs_auto_name_method(S, c);
}

/* The choices for the present values. An operator has no statistics, and one choice. *list has
 * space for one more. */
static gsolve_status list_choices(gsolve_auto *S, gs_auto_choice **list, int *count)
{
    const bool is_operator = gs_matrix_is_operator(S->A);
    gsolve_choice choice = {.size = sizeof choice,
                            .method = "auto",
                            .precond = "none",
                            .why = "an operator, whose flags decide on the method"};
    gsolve_status status;

    if (!is_operator) TRY(gsolve_matrix_statistics(S->A, &S->statistics));
    if (S->transform) { /* scales hide that A is singular */
        gsolve_statistics original = GSOLVE_INIT(gsolve_statistics);
        TRY(gsolve_matrix_statistics(S->original, &original));
        S->statistics.zero_sum_rows = original.zero_sum_rows;
    }
    *count = is_operator ? 1 : count_choices(S);
    ALLOC(S->ctx, GSOLVE_HOST, *list, *count + 1);
    memset(*list, 0, ((size_t)*count + 1) * sizeof **list);
    for (int k = 0; k < *count; k++) {
        if (!is_operator) gs_choose_for(S->ctx, S->A, &S->statistics, k, &choice);
        set_choice(S, &choice, &(*list)[k]);
    }
done:
    return status;
}

/* Moves to the new list what is known of the old one: which choices were tried and failed, and the
 * positions of those in use. A choice that is set up but not in the new list is appended. */
static void carry_over(gsolve_auto *S, gs_auto_choice *list, int *count)
{
    int *const position[] = {&S->set, &S->current, &S->begun, &S->leading};
    int moved[] = {-1, -1, -1, -1};

    for (int k = 0; k < S->count; k++) {
        int at = find(list, *count, &S->list[k]);
        if (at < 0 && k == S->set) {
            at = (*count)++;
            list[at] = S->list[k];
        }
        if (at < 0) continue;
        list[at].tried = S->list[k].tried;
        list[at].failed = S->list[k].failed;
        list[at].untransformed = S->list[k].untransformed;
        for (int p = 0; p < 4; p++) {
            if (*position[p] == k) moved[p] = at;
        }
    }
    for (int p = 0; p < 4; p++) *position[p] = moved[p];
}

gsolve_status gs_auto_need_first_list(gsolve_auto *S)
{
    return S->list ? GSOLVE_OK : gs_auto_need_list(S);
}

gsolve_status gs_auto_need_list(gsolve_auto *S)
{
    const uint64_t version = gs_auto_version(S->A);
    gs_auto_choice *list = NULL;
    int count;
    gsolve_status status;

    if (S->list && (S->given || S->listed == version)) return GSOLVE_OK;
    TRY(gs_comm_check(gs_matrix_comm(S->A), list_choices(S, &list, &count)));
    carry_over(S, list, &count);
    gsolve_free(S->ctx, GSOLVE_HOST, S->list);
    S->list = list;
    S->count = count;
    S->listed = version;
    list = NULL;
done:
    gsolve_free(S->ctx, GSOLVE_HOST, list);
    return status;
}

/* Fails if no choice of the list can solve a system whose rows are scaled. */
static gsolve_status check_choices(const gsolve_auto *S, gs_auto_choice *list, int count)
{
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < count; k++) {
        status = gs_auto_transform_check(S, &list[k]);
        if (status == GSOLVE_OK) return status;
    }
    return status;
}

gsolve_status gsolve_auto_set_choices(gsolve_auto *S, int count, const char *const *methods,
                                      const char *const *preconds)
{
    gs_auto_choice *list = NULL;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (count < 1 || !methods || !preconds) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_auto_set_choices: an argument is NULL, or count is below 1");
    }
    ALLOC(S->ctx, GSOLVE_HOST, list, count);
    memset(list, 0, (size_t)count * sizeof *list);
    for (int k = 0; k < count; k++) {
        gs_auto_choice *c = &list[k];
        const char *precond = preconds[k] ? preconds[k] : "none";
        if (!methods[k] || strlen(methods[k]) >= sizeof c->base ||
            strlen(precond) >= sizeof c->precond) {
            status = gsolve_fail(S->ctx, GSOLVE_BAD_SPEC,
                                 "choice %d has no method, or a spec of more than %zu characters",
                                 k, sizeof c->precond - 1);
            goto done;
        }
        snprintf(c->base, sizeof c->base, "%s", methods[k]);
        snprintf(c->precond, sizeof c->precond, "%s", precond);
        gsolve_tidy_spec(c->base);
        gsolve_tidy_spec(c->precond);
        snprintf(c->why, sizeof c->why, "choice %d of the caller", k + 1);
        gs_auto_name_method(S, c);
    }
    TRY(check_choices(S, list, count));
    gs_auto_drop(S);
    gsolve_free(S->ctx, GSOLVE_HOST, S->list);
    S->list = list;
    S->count = count;
    S->given = true;
    S->current = S->begun = S->leading = -1;
    list = NULL;
done:
    gsolve_free(S->ctx, GSOLVE_HOST, list);
    return status;
}

/* --- the decision to leave a choice ----------------------------------------------------------- */

#define SLOWER 1.25 /* the iterations have grown if a run takes this many times the first ones, */
#define MORE   8    /* and this many more */
#define GAIN   0.8  /* another choice must take less than this share of the time */

/* The kind of the choice in the cost model, or -1. */
static int ranked_kind(const gs_auto_choice *c)
{
    for (int kind = 0; kind < GS_RANKED_COUNT; kind++) {
        if (gs_spec_is(c->method, "cg") && strcmp(c->precond, gs_ranked_precond_name[kind]) == 0) {
            return kind;
        }
    }
    return -1;
}

/* The estimated time of an iteration in ns. */
static double step_of(const gs_cost_estimate *e, int kind)
{
    return (e->ns[kind] - e->setup_ns[kind]) / e->iterations[kind];
}

/* The estimates are for the tolerance 1e-8; the iterations are in proportion to its logarithm. */
static double tolerance_factor(const gsolve_auto *S)
{
    const double rtol = gs_run_options_of(S->S)->rtol;

    return rtol > 0 && rtol < 1 ? log(rtol) / log(1e-8) : 1;
}

/* The choice with the least estimated time, of those that have not failed; S->set if none takes
 * clearly less than the present one, whose iterations are those of the last run. */
static int fastest(const gsolve_auto *S, const gs_cost_estimate *e, int present)
{
    const double own = S->last * step_of(e, present), factor = tolerance_factor(S);
    double least = GAIN * own;
    int best = S->set;

    for (int k = 0; k < S->count; k++) {
        const int kind = ranked_kind(&S->list[k]);
        if (kind < 0 || kind == present || S->list[k].failed) continue;
        const double time = e->setup_ns[kind] + factor * e->iterations[kind] * step_of(e, kind);
        if (time >= least) continue;
        least = time;
        best = k;
    }
    return best;
}

gsolve_status gs_auto_reconsider(gsolve_auto *S)
{
    gs_cost_estimate e;
    int present, best;
    gsolve_status status;

    if (S->given || S->set < 0 || S->set != S->current || S->first <= 0) return GSOLVE_OK;
    if (gs_auto_version(gs_auto_matrix_of(S, &S->list[S->set])) == S->version) return GSOLVE_OK;
    if (S->last <= SLOWER * S->compared || S->last <= S->compared + MORE) return GSOLVE_OK;
    present = ranked_kind(&S->list[S->set]);
    if (present < 0) return GSOLVE_OK;
    TRY(gs_auto_need_list(S));
    S->compared = S->last; /* until they grow again */
    if (!S->statistics.symmetric || !gs_estimate_cost(&S->statistics, gs_on_gpu(S->ctx), &e)) {
        return GSOLVE_OK;
    }
    best = fastest(S, &e, present);
    if (best != S->set) {
        gs_auto_add_event(S,
                          "%s + %s took %d iterations, and %d after its set-up; %s + %s replaces "
                          "it, because it is estimated to be faster. ",
                          S->list[S->set].method, S->list[S->set].precond, S->last, S->first,
                          S->list[best].method, S->list[best].precond);
        gs_log(S->ctx, "%s", S->events);
        S->current = best;
        S->rebuilds++;
    }
done:
    return status;
}
