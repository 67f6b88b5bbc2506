/* multiply.c: gsolve_csr_multiply. */
#include <string.h>

#include "core/try.h"
#include "spgemm/operand.h"
#include "spgemm/spgemm.h"

gsolve_status gsolve_csr_multiply(gsolve_csr *out, gsolve_context *ctx, const char *spec,
                                  const gsolve_csr *A, const gsolve_csr *B)
{
    gs_operand a = {0}, b = {0};
    gsolve_csr C = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !A || !B) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_csr_multiply: an argument is NULL");
    }
    gs_range_push(ctx, "product of matrices");
    TRY(gs_operand_prepare(&a, ctx, "A", A));
    if (B != A) TRY(gs_operand_prepare(&b, ctx, "B", B));
    TRY(gs_operands_check(ctx, "A B", A, B));
    TRY(gs_csr_multiply(&C, ctx, spec, &a.used, B == A ? &a.used : &b.used));
    if (C.location != A->location) {
        TRY(gs_csr_move(out, ctx, A->location, &C));
    } else {
        *out = C;
        memset(&C, 0, sizeof C);
    }
done:
    gs_range_pop(ctx);
    gsolve_csr_free(&C, ctx);
    gs_operand_free(&a, ctx);
    gs_operand_free(&b, ctx);
    return status;
}
