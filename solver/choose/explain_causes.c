/* explain_causes.c: finds the cause of a failure. A cause is a row of a table: the evidence that
 * its test needs, the test, the sentences, and the remedies in order of preference. The first row
 * whose test holds is the cause, so what the caller did comes before what the matrix shows, and
 * certain causes come before suspicions and the bare outcome of the run. */
#include <stdarg.h>

#include "solver/choose/explain_cause.h"

void gs_add_sentence(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

const gs_method *gs_method_of_case(const gs_case *c)
{
    const char *inner = strstr(c->f->method, ",inner=");
    const char *name = inner ? inner + strlen(",inner=") : c->f->method;
    const size_t length = strcspn(name, ",");

    for (int k = 0; gs_methods[k]; k++) {
        if (strlen(gs_methods[k]->name) == length && !strncmp(gs_methods[k]->name, name, length)) {
            return (const gs_method *)(const void *)gs_methods[k];
        }
    }
    return NULL;
}

/* --- the caller, and the shape ---------------------------------------------------------------- */

static bool is_stopped(gs_case *c)
{
    return ended(c, GSOLVE_STOPPED) || ended(c, GSOLVE_ACCEPTED) || ended(c, GSOLVE_TIME_LIMIT);
}

static void say_stopped(gs_case *c)
{
    if (ended(c, GSOLVE_ACCEPTED)) {
        GS_SAY(c,
               "The caller's stopping test accepted x at |b - Ax| / |b| = %.1e, which does not "
               "meet rtol and atol. ",
               c->f->residual);
    } else if (ended(c, GSOLVE_TIME_LIMIT)) {
        GS_SAY(c, "The time limit was reached at |b - Ax| / |b| = %.1e. ", c->f->residual);
    } else {
        GS_SAY(c, "%s stopped the run at |b - Ax| / |b| = %.1e. ",
               c->k->run->monitor.test   ? "The monitor or the stopping test"
               : c->k->run->monitor.call ? "The monitor"
                                         : "An interrupt",
               c->f->residual);
    }
}

static bool is_function(gs_case *c)
{
    const size_t used = strlen(c->f->text);

    return gs_explain_function(c->k, c->worst, c->f->text + used, sizeof c->f->text - used);
}

/* clang-format off */
static const gs_cause of_caller[] = {
    {"stopped", OF_RUN, is_stopped, say_stopped, {0}},
    {"function of the caller", OF_RUN, is_function, NULL, {0}},
    {0},
};
/* clang-format on */

static int evidence_of(const gs_case *c)
{
    return (c->f->has_statistics ? OF_A : 0) | (c->has_rows ? OF_ROWS : 0) |
           (c->f->ran ? OF_RUN : 0) | (c->f->ran && c->has_rows && c->r.value ? OF_RESIDUAL : 0) |
           (c->f->failed ? OF_FAILURE : 0);
}

static bool find(gs_case *c, const gs_cause *cause, int only)
{
    const int evidence = evidence_of(c);

    for (; cause->name; cause++) {
        const int needs = cause->needs & ~BEFORE;
        if ((cause->needs & only) != only || (needs & evidence) != needs) continue;
        if (!cause->test(c)) continue;
        c->f->cause = cause;
        if (cause->say) cause->say(c);
        return true;
    }
    return false;
}

void gs_find_cause(gs_case *c)
{
    if (find(c, of_caller, 0) || find(c, gs_matrix_causes, 0)) return;
    find(c, gs_run_causes, 0);
}

bool gs_find_cause_before(gs_case *c)
{
    return find(c, gs_matrix_causes, BEFORE);
}

const char *gs_cause_name(const gs_cause *cause)
{
    return cause->name;
}

const gs_remedy_id *gs_remedies_of(const gs_cause *cause)
{
    return cause->remedies;
}
