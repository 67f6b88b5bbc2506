/* interface_other.c: plug-ins of the caller's own, files, assemblies, and calls with bad arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults.h"
#include "tests/fuzz/interface.h"

/* --- a format and a preconditioner that fail now and then ---------------------------------------
 */

void register_plugins(fuzz *f)
{
    failure = fail_plainly;
    if (gsolve_register_format(f->ctx, &brittle_format) != GSOLVE_OK ||
        gsolve_register_precond(f->ctx, &shaky_precond) != GSOLVE_OK) {
        complain(f, "plug-ins cannot be registered: %s", gsolve_error(f->ctx));
    }
}

void begin_without_faults(void)
{
    successes = -1;
}

static void draw_faults(fuzz *f)
{
    successes = chance(f, 50) ? -1 : (int)below(f, 30);
    trace(f, "the test's own plug-ins succeed %d times\n", successes);
}

static void register_again(fuzz *f)
{
    trace(f, "gsolve_register_format, twice\n");
    if (passed(f, "gsolve_register_format", gsolve_register_format(f->ctx, &brittle_format))) {
        complain(f, "gsolve_register_format takes the same name twice");
    }
}

/* --- files --------------------------------------------------------------------------------------
 */

static void temporary_name(char *name, size_t size, const char *ending)
{
    const char *folder = getenv("TMPDIR");

    snprintf(name, size, "%s/gsolve_fuzz_%ld.mtx%s", folder ? folder : "/tmp", (long)getpid(),
             ending);
}

/* Writes a matrix and reads it again: the same bits. */
static void write_and_read(fuzz *f)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    char name[300];
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_csr csr;
    input found;

    temporary_name(name, sizeof name, chance(f, 30) ? ".gz" : "");
    trace(f, "gsolve_write_matrix(matrix %d)\n", from);
    deny_some(f);
    const gsolve_status status =
        gsolve_write_matrix(f->ctx, name, &in->csr, GSOLVE_GENERAL, chance(f, 20) ? "a\nb" : NULL);
    const bool good = passed(f, "gsolve_write_matrix", status);
    if (good && in->malformed) complain(f, "gsolve_write_matrix takes a malformed matrix");
    if (!good && access(name, F_OK) == 0) complain(f, "a file is there though its writing failed");
    if (!good) return;
    trace(f, "gsolve_read_matrix\n");
    deny_some(f);
    if (passed(f, "gsolve_read_matrix", gsolve_read_matrix(&csr, f->ctx, name, NULL, &source))) {
        if (fetch_csr(f, "gsolve_read_matrix", &csr, ASCENDING, &found)) {
            check_same_matrix(f, "gsolve_read_matrix", in, &found.csr);
            drop_input(&found);
        }
        gsolve_csr_free(&csr, f->ctx);
    }
    unlink(name);
}

static void write_and_read_dense(fuzz *f)
{
    char name[300];
    gsolve_dense read;
    vectors v = make_vectors(f, (int32_t)below(f, 30), (int32_t)below(f, 4), draw_type(f),
                             GSOLVE_COLUMN_MAJOR, chance(f, 50) ? EXTREME : RANDOM);

    temporary_name(name, sizeof name, "");
    trace(f, "gsolve_write_dense(%d x %d)\n", v.d.nrows, v.d.ncols);
    if (v.d.location == GSOLVE_HOST &&
        passed(f, "gsolve_write_dense", gsolve_write_dense(f->ctx, name, &v.d, NULL))) {
        deny_some(f);
        if (passed(f, "gsolve_read_dense", gsolve_read_dense(&read, f->ctx, name, NULL, NULL))) {
            for (int32_t c = 0; c < v.d.ncols && !f->failed; c++) {
                for (int32_t i = 0; i < v.d.nrows && !f->failed; i++) {
                    const double got = ((double *)read.value)[c * read.stride + i];
                    if (got == number_at(&v, i, c)) continue;
                    complain(f, "%g is written and %g is read", number_at(&v, i, c), got);
                }
            }
            gsolve_dense_free(&read, f->ctx);
        }
        unlink(name);
    }
    drop_vectors(f, &v);
}

/* --- bad arguments
 * --------------------------------------------------------------------------------- */

static void must_fail(fuzz *f, const char *call, gsolve_status status)
{
    if (passed(f, call, status)) complain(f, "%s accepts a bad argument", call);
}

static void bad_matrix(fuzz *f)
{
    const int which = (int)below(f, 6);
    gsolve_csr csr = f->given[pick_input(f)].csr;
    gsolve_matrix *A = UNTOUCHED;

    trace(f, "gsolve_matrix_create with bad argument %d\n", which);
    if (which == 0) csr.nrows = -1;
    if (which == 1) csr.ncols = -5;
    if (which == 2) csr.start = NULL;
    if (which == 3) csr.type = (gsolve_type)7;
    if (which == 4) csr.offset = (gsolve_offset)9;
    must_fail(f, "gsolve_matrix_create",
              gsolve_matrix_create(&A, f->ctx, which == 5 ? NULL : "csr", &csr));
    if (A != UNTOUCHED) complain(f, "gsolve_matrix_create changes its output though it fails");
}

static void bad_product(fuzz *f)
{
    const int slot = pick_matrix(f), which = (int)below(f, 5);

    if (slot < 0) return;
    const gsolve_csr *csr = &f->matrix[slot].given.csr;
    vectors x = make_vectors(f, csr->ncols, 2, csr->type, GSOLVE_COLUMN_MAJOR, ONES);
    vectors y = make_vectors(f, csr->nrows, 2, csr->type, GSOLVE_COLUMN_MAJOR, ONES);
    gsolve_dense bad = x.d;
    trace(f, "gsolve_matrix_apply(A%d) with bad argument %d\n", slot, which);
    if (which == 0) bad.nrows++;
    if (which == 1) bad.ncols = -1;
    if (which == 2) bad.type = bad.type == GSOLVE_F32 ? GSOLVE_F64 : GSOLVE_F32;
    if (which == 3) bad.layout = (gsolve_layout)3;
    if (which == 4) bad.ncols = 1;
    must_fail(f, "gsolve_matrix_apply", gsolve_matrix_apply(f->matrix[slot].A, 1, bad, 0, y.d));
    fetch_vectors(f, &y);
    if (!unchanged(&y)) complain(f, "gsolve_matrix_apply refuses x and changes y");
    drop_vectors(f, &x);
    drop_vectors(f, &y);
}

static void bad_solve(fuzz *f)
{
    const int which = (int)below(f, 7), from = pick_input(f);
    const gsolve_csr *csr = &f->given[from].csr;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    vectors b = make_vectors(f, csr->nrows, 1, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, ONES);
    vectors x = make_vectors(f, csr->ncols, 1, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, ZEROS);
    gsolve_dense bad = b.d;
    trace(f, "gsolve_solve(matrix %d) with bad argument %d\n", from, which);
    if (which == 0) bad.nrows++;
    if (which == 1) bad.ncols = -1;
    if (which == 2) bad.layout = (gsolve_layout)3;
    if (which == 3) bad.type = (gsolve_type)5;
    if (which == 6) result.size = chance(f, 50) ? (size_t)below(f, 40) : SIZE_MAX;
    must_fail(f, "gsolve_solve",
              gsolve_solve(f->ctx, which == 4 ? NULL : csr, bad, x.d, which == 5 ? NULL : &result));
    drop_vectors(f, &b);
    drop_vectors(f, &x);
}

static void bad_precond(fuzz *f)
{
    const int slot = pick_precond(f), which = (int)below(f, 4);

    if (slot < 0) return;
    const gsolve_csr *csr = &f->precond[slot].given.csr;
    if (csr->nrows != csr->ncols) return;
    vectors r = make_vectors(f, csr->nrows, 1, csr->type, GSOLVE_COLUMN_MAJOR, ONES);
    vectors z = make_vectors(f, csr->nrows, 1, csr->type, GSOLVE_COLUMN_MAJOR, ONES);
    gsolve_dense bad = r.d;
    trace(f, "gsolve_precond_apply(M%d) with bad argument %d\n", slot, which);
    if (which == 0) bad.nrows++;
    if (which == 1) bad.ncols = -1;
    if (which == 2) bad.type = bad.type == GSOLVE_F32 ? GSOLVE_F64 : GSOLVE_F32;
    if (which == 3) bad.ncols = 2;
    must_fail(f, "gsolve_precond_apply", gsolve_precond_apply(f->precond[slot].M, bad, z.d));
    drop_vectors(f, &r);
    drop_vectors(f, &z);
}

static void new_input(fuzz *f)
{
    const int slot = pick_input(f);

    drop_input(&f->given[slot]);
    draw_input(f, &f->given[slot]);
}

/* --- assemblies ---------------------------------------------------------------------------------
 */

/* The row of each entry, counted from base. */
static int64_t *rows_from(const gsolve_csr *csr, int base)
{
    int64_t *row = must_alloc((size_t)offset_at(csr, csr->nrows) * sizeof *row);

    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = offset_at(csr, i); k < offset_at(csr, i + 1); k++) row[k] = i + base;
    }
    return row;
}

static int64_t *columns_from(const gsolve_csr *csr, int base)
{
    const int64_t count = offset_at(csr, csr->nrows);
    int64_t *col = must_alloc((size_t)count * sizeof *col);

    for (int64_t k = 0; k < count; k++) col[k] = (int64_t)csr->col[k] + base;
    return col;
}

static void check_assembled(fuzz *f, const char *call, const input *in, const gsolve_csr *csr)
{
    input found;

    if (f->failed || !fetch_csr(f, call, csr, ASCENDING, &found)) return;
    check_same_matrix(f, call, in, &found.csr);
    drop_input(&found);
}

/* The sums of the entries of `in`, in the matrix of the plan and in a matrix handle. */
static void sum_entries(fuzz *f, gsolve_assembly *plan, const input *in)
{
    gsolve_csr csr, lent = lend(f, in);
    gsolve_matrix *A = NULL;

    deny_some(f);
    bool good = passed(f, "gsolve_assembly_set_values",
                       gsolve_assembly_set_values(plan, lent.value, lent.location));
    good = good && passed(f, "gsolve_assembly_csr", gsolve_assembly_csr(plan, &csr));
    if (good) check_assembled(f, "gsolve_assembly_set_values", in, &csr);
    if (good && passed(f, "gsolve_matrix_create", gsolve_matrix_create(&A, f->ctx, "csr", &csr))) {
        deny_some(f);
        if (passed(f, "gsolve_matrix_update_assembled",
                   gsolve_matrix_update_assembled(A, plan, lent.value, lent.location))) {
            gsolve_matrix_device_csr(A, &csr);
            check_assembled(f, "gsolve_matrix_update_assembled", in, &csr);
        }
    }
    gsolve_matrix_destroy(&A);
    take_back(f, in, &lent);
}

/* An assembly whose triplets are the entries of a matrix. */
static void assemble(fuzz *f)
{
    const int from = pick_input(f), base = (int)below(f, 2);
    const input *in = &f->given[from];
    gsolve_assembly *plan = UNTOUCHED;

    trace(f, "gsolve_assembly_create(matrix %d, base=%d)\n", from, base);
    if (in->malformed) return;
    const int64_t *row = rows_from(&in->csr, base), *col = columns_from(&in->csr, base);
    const gsolve_triplets t = {.nrows = in->csr.nrows,
                               .ncols = in->csr.ncols,
                               .count = offset_at(&in->csr, in->csr.nrows),
                               .row = row,
                               .col = col,
                               .index_type = GSOLVE_I64,
                               .base = base};
    deny_some(f);
    const gsolve_status status = gsolve_assembly_create(&plan, f->ctx, in->csr.type, &t);
    if (passed_handle(f, "gsolve_assembly_create", status, (void **)&plan)) {
        sum_entries(f, plan, in);
        gsolve_assembly_destroy(&plan);
    }
    free((void *)(uintptr_t)row);
    free((void *)(uintptr_t)col);
}

const api_call other_calls[] = {{"assembly", 3, assemble},
                                {"new_input", 6, new_input},
                                {"draw_faults", 1, draw_faults},
                                {"register_again", 1, register_again},
                                {"write_matrix", 1, write_and_read},
                                {"write_dense", 1, write_and_read_dense},
                                {"bad_matrix", 1, bad_matrix},
                                {"bad_product", 1, bad_product},
                                {"bad_solve", 1, bad_solve},
                                {"bad_precond", 1, bad_precond},
                                {NULL, 0, NULL}};
