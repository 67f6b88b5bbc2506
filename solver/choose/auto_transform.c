/* auto_transform.c: the transformed matrix B = P R A C P' of an automatic solver with scale or
 * order (factor/transform.h), on which its choices iterate. */
#include "solver/choose/auto_transform.h"

#include <string.h>

#include "core/try.h"
#include "matrix/operator.h"
#include "solver/run/least_squares.h"

static gsolve_status make_matrix(gs_auto_transform *t, gsolve_auto *S, const gsolve_csr *rows)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr B = {0};
    gsolve_status status;

    gsolve_matrix_describe(S->original, &info);
    TRY(gs_transform_prepare(&t->t, S->ctx));
    TRY(gs_transform_rows(&t->t, S->ctx, &B, rows));
    TRY(gsolve_matrix_create_owned(&t->B, S->ctx, info.format, &B));
    t->version = info.version;
done:
    gsolve_csr_free(&B, S->ctx);
    return status;
}

static gsolve_status check_null_space(const gsolve_auto *S)
{
    if (gs_null_dimension(&gs_matrix_null_spaces(S->original)->right) == 0) return GSOLVE_OK;
    return gsolve_fail(S->ctx, GSOLVE_UNSUPPORTED,
                       "scale and order cannot be combined with a null space; leave one out");
}

gsolve_status gs_auto_transform_create(gsolve_auto *S, const gs_transform_options *options)
{
    gs_auto_transform *t;
    gsolve_csr rows;
    gsolve_status status;

    if (gs_matrix_is_operator(S->original)) {
        return gsolve_fail(
            S->ctx, GSOLVE_UNSUPPORTED,
            "scale and order need the rows of A, and this matrix is an operator; leave them out");
    }
    S->asks_transform = true;
    TRY(check_null_space(S));
    TRY(gsolve_matrix_csr(S->original, &rows));
    S->not_square = rows.nrows != rows.ncols && options->scale == GS_SCALE_AUTO &&
                    options->order == GS_ORDER_NONE;
    if (S->not_square) return GSOLVE_OK;
    ALLOC(S->ctx, GSOLVE_HOST, t, 1);
    memset(t, 0, sizeof *t);
    S->transform = t;
    TRY(gs_transform_create(&t->t, S->ctx, options, false, "", &rows));
    if (gs_transform_wanted(&t->t.used)) {
        TRY(make_matrix(t, S, &rows));
        S->A = t->B;
    } else { /* scale=auto found nothing to scale */
        gs_auto_transform_destroy(S);
    }
done:
    return status;
}

void gs_auto_transform_destroy(gsolve_auto *S)
{
    if (!S->transform) return;
    gs_auto_free_vectors(S->transform, S->ctx);
    gsolve_matrix_destroy(&S->transform->B);
    gs_transform_destroy(&S->transform->t, S->ctx);
    gsolve_free(S->ctx, GSOLVE_HOST, S->transform);
    S->transform = NULL;
}

static gsolve_status renew_matrix(gs_auto_transform *t, gsolve_auto *S)
{
    gs_transform fresh = {0};
    gsolve_csr rows, B = {0};
    gsolve_status status;

    TRY(gsolve_matrix_csr(S->original, &rows));
    TRY(gs_transform_rescale(&fresh, S->ctx, &t->t, &rows));
    TRY(gs_transform_replace(&t->t, S->ctx, &fresh));
    TRY(gs_transform_rows(&t->t, S->ctx, &B, &rows));
    TRY(gsolve_matrix_update(t->B, &B));
    t->version = gs_auto_version(S->original);
done:
    gs_transform_destroy(&fresh, S->ctx);
    gsolve_csr_free(&B, S->ctx);
    return status;
}

void gs_auto_transform_describe(const gsolve_auto *S, char *text, size_t size)
{
    text[0] = 0;
    if (!S->transform || (S->current >= 0 && S->list[S->current].untransformed)) return;
    gs_transform_describe(&S->transform->t, text, size);
}

gsolve_status gs_auto_transform_begin(gsolve_auto *S)
{
    char text[80];
    gsolve_status status = GSOLVE_OK;

    if (S->asks_transform) TRY(check_null_space(S));
    if (S->not_square) {
        gs_auto_add_event(S, "A is not square, so scale=auto does not scale it. ");
    }
    if (!S->transform) return GSOLVE_OK;
    if (S->transform->version != gs_auto_version(S->original)) TRY(renew_matrix(S->transform, S));
    gs_transform_describe(&S->transform->t, text, sizeof text);
    gs_auto_add_event(S, "The choices iterate on a transformed system (%s). ", text);
done:
    return status;
}

bool gs_auto_has_order(const gsolve_auto *S)
{
    return S->transform && S->transform->t.used.order != GS_ORDER_NONE;
}

/* --- choices ---------------------------------------------------------------------------------- */

/* The method of the library that the spec names, or NULL. */
static const gs_method *method_of(const char *spec)
{
    for (int k = 0; gs_methods[k]; k++) {
        const gs_method *method = (const gs_method *)gs_methods[k]; /* the plug-in comes first */
        if (gs_spec_is(spec, method->plugin.name)) return method;
    }
    return NULL;
}

/* Whether the spec "name,...,key=value,..." has this name, and `pair`, "key=value", is the last
 * value of the key. */
static bool sets(const char *spec, const char *name, const char *pair)
{
    const size_t key = strcspn(pair, "=") + 1, length = strlen(pair);
    bool is = false;

    if (!gs_spec_is(spec, name)) return false;
    for (const char *at = strchr(spec, ','); at; at = strchr(at + 1, ',')) {
        if (strncmp(at + 1, pair, key) != 0) continue;
        is = strncmp(at + 1, pair, length) == 0 && strcspn(at + 1, ",") == length;
    }
    return is;
}

static bool is_for_symmetric(const gs_method *method, const char *spec)
{
    return (method && method->symmetric) || sets(spec, "direct", "factor=cholesky");
}

gsolve_status gs_auto_transform_check(const gsolve_auto *S, gs_auto_choice *c)
{
    const gs_method *method = method_of(c->method);
    const bool by_method = is_for_symmetric(method, c->method);
    const bool by_precond = gs_spec_is(c->precond, "ic") || sets(c->precond, "isai", "factors=ic");

    if (!S->transform) return GSOLVE_OK;
    c->untransformed = (method && method->normal) || sets(c->method, "direct", "factor=qr");
    if (c->untransformed || S->transform->t.used.scale != GS_SCALE_ROWS ||
        !(by_method || by_precond)) {
        return GSOLVE_OK;
    }
    return gsolve_fail(S->ctx, GSOLVE_UNSUPPORTED,
                       "%.60s needs a symmetric matrix, and scaled rows are not symmetric: use "
                       "scale=symmetric, or a method such as gmres with ilu",
                       by_method ? c->method : c->precond);
}

bool gs_auto_transform_misused(const gsolve_auto *S, gs_auto_choice *c)
{
    if (!S->transform || c->untransformed) return false;
    c->untransformed = gs_may_be_least_squares(S->S);
    return c->untransformed;
}
