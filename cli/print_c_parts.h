/* print_c_parts.h: the parts of the program of --print-c that depend on no argument. */
#ifndef GS_CLI_PRINT_C_PARTS_H
#define GS_CLI_PRINT_C_PARTS_H

static const char head[] = "#include <gsolve_io.h>\n"
                           "#include <stdio.h>\n"
                           "#include <stdlib.h>\n"
                           "\n"
                           "/* Ends the program if a call of the library failed. */\n"
                           "static void check(gsolve_status status, gsolve_context *ctx)\n"
                           "{\n"
                           "    if (status == GSOLVE_OK) return;\n"
                           "    fprintf(stderr, \"%s\\n\", gsolve_error(ctx));\n"
                           "    exit(1);\n"
                           "}\n";

static const char zeros[] =
    "\n"
    "/* A dense matrix of zeros on the host; gsolve_dense_free frees it. */\n"
    "static gsolve_dense zeros(gsolve_context *ctx, int32_t nrows, int32_t ncols)\n"
    "{\n"
    "    const int64_t count = (int64_t)nrows * ncols;\n"
    "    double *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof *value);\n"
    "\n"
    "    check(value ? GSOLVE_OK : GSOLVE_NO_MEMORY, ctx);\n"
    "    for (int64_t i = 0; i < count; i++) value[i] = 0;\n"
    "    return (gsolve_dense){nrows, ncols, nrows, value, GSOLVE_F64, GSOLVE_HOST,\n"
    "                          GSOLVE_COLUMN_MAJOR};\n"
    "}\n";

/* %s: the type of the values */
static const char row_sums[] =
    "\n"
    "/* b = A (1, 1, ..., 1)' */\n"
    "static void sum_rows(const gsolve_matrix *A, double *b, gsolve_context *ctx)\n"
    "{\n"
    "    gsolve_csr rows;\n"
    "\n"
    "    check(gsolve_matrix_csr(A, &rows), ctx);\n"
    "    for (int64_t i = 0, k = 0; i < rows.nrows; i++) {\n"
    "        const int64_t end = rows.offset == GSOLVE_O64 ? ((const int64_t *)rows.start)[i + 1]\n"
    "                                                      : ((const int32_t *)rows.start)[i + "
    "1];\n"
    "        for (b[i] = 0; k < end; k++) b[i] += ((const %s *)rows.value)[k];\n"
    "    }\n"
    "}\n";

static const char tail[] =
    "    check(gsolve_auto_run(S, b, x, &result), ctx);\n"
    "    gsolve_auto_describe(S, &info);\n"
    "    printf(\"%s + %s: %s after %d iterations, |b - Ax| / |b| = %.3e\\n\", info.method,\n"
    "           info.precond, gsolve_outcome_text(result.outcome), result.iterations,\n"
    "           result.relative_residual);\n";

#endif
