/* auto_transform.c: the transformed matrix B = P R A C P' of an automatic solver with scale or
 * order (factor/transform.h), on which its choices iterate. */
#include "solver/choose/auto_transform.h"

#include <string.h>

#include "core/try.h"
#include "matrix/operator.h"

static uint64_t version_of(const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(A, &info);
    return info.version;
}

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

/* The options that are in use. */
static const char *words_of(const gs_transform_options *o)
{
    if (o->order == GS_ORDER_NONE) return "scale";
    return o->scale == GS_SCALE_NONE ? "order" : "scale and order";
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
    TRY(gsolve_matrix_csr(S->original, &rows));
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
    t->version = version_of(S->original);
done:
    gs_transform_destroy(&fresh, S->ctx);
    gsolve_csr_free(&B, S->ctx);
    return status;
}

void gs_auto_transform_describe(const gsolve_auto *S, char *text, size_t size)
{
    text[0] = 0;
    if (S->transform) gs_transform_describe(&S->transform->t, text, size);
}

gsolve_status gs_auto_transform_begin(gsolve_auto *S)
{
    char text[80];
    gsolve_status status = GSOLVE_OK;

    if (!S->transform) return GSOLVE_OK;
    if (gs_null_dimension(&gs_matrix_null_spaces(S->original)->right) > 0) {
        return gsolve_fail(S->ctx, GSOLVE_UNSUPPORTED,
                           "%s cannot be combined with a null space; leave one of them out",
                           words_of(&S->transform->t.used));
    }
    if (S->transform->version != version_of(S->original)) TRY(renew_matrix(S->transform, S));
    gs_transform_describe(&S->transform->t, text, sizeof text);
    gs_auto_add_event(S, "The choices iterate on a transformed system (%s). ", text);
done:
    return status;
}

bool gs_auto_has_order(const gsolve_auto *S)
{
    return S->transform && S->transform->t.used.order != GS_ORDER_NONE;
}

static bool is_symmetric_method(const char *spec)
{
    for (int k = 0; gs_methods[k]; k++) {
        const gs_method *method = (const gs_method *)gs_methods[k]; /* the plug-in comes first */
        if (gs_spec_is(spec, method->plugin.name)) return method->symmetric;
    }
    return false;
}

gsolve_status gs_auto_transform_check(const gsolve_auto *S, const char *method, const char *precond)
{
    const bool by_ic = precond && gs_spec_is(precond, "ic");

    if (!S->transform || S->transform->t.used.scale != GS_SCALE_ROWS) return GSOLVE_OK;
    if (!is_symmetric_method(method) && !by_ic) return GSOLVE_OK;
    return gsolve_fail(S->ctx, GSOLVE_UNSUPPORTED,
                       "%.60s needs a symmetric matrix, and scaled rows are not symmetric: use "
                       "scale=symmetric, or a method such as gmres with ilu",
                       is_symmetric_method(method) ? method : precond);
}
