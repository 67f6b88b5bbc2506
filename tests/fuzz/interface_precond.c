/* interface_precond.c: random calls about preconditioners, and their checks. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pick_precond(fuzz *f)
{
    const int from = (int)below(f, HANDLES);

    for (int k = 0; k < HANDLES; k++) {
        const int slot = (from + k) % HANDLES;
        if (f->precond[slot].M) return slot;
    }
    return -1;
}

void drop_precond(fuzz *f, int slot)
{
    precond_handle *h = &f->precond[slot];

    if (!h->M) return;
    trace(f, "gsolve_precond_destroy(M%d)\n", slot);
    gsolve_precond_destroy(&h->M);
    if (h->M) complain(f, "gsolve_precond_destroy leaves the handle");
    drop_input(&h->given);
    for (int k = 0; k < HANDLES; k++) {
        if (f->solver[k].m == slot) f->solver[k].dead = true;
    }
}

static void destroy(fuzz *f)
{
    drop_precond(f, (int)below(f, HANDLES));
}

/* --- making -------------------------------------------------------------------------------------
 */

static gsolve_status create_from_input(fuzz *f, precond_handle *h, int slot, const random_spec *s,
                                       input *used)
{
    const int from = pick_input(f);
    gsolve_csr csr;
    gsolve_status status;

    *used = f->given[from];
    trace(f, "gsolve_precond_create(M%d, \"%s\", matrix %d)\n", slot, s->text, from);
    csr = lend(f, used);
    deny_some(f);
    status = gsolve_precond_create(&h->M, f->ctx, s->text, &csr);
    passed_handle(f, "gsolve_precond_create", status, (void **)&h->M);
    take_back(f, used, &csr);
    if (status == GSOLVE_OK && used->malformed) {
        complain(f, "gsolve_precond_create takes a malformed matrix");
    }
    return status;
}

static gsolve_status create_from_matrix(fuzz *f, precond_handle *h, int slot, const random_spec *s,
                                        int from)
{
    gsolve_status status;

    trace(f, "gsolve_precond_create_from(M%d, \"%s\", A%d)\n", slot, s->text, from);
    deny_some(f);
    status = gsolve_precond_create_from(&h->M, f->ctx, s->text, f->matrix[from].A);
    passed_handle(f, "gsolve_precond_create_from", status, (void **)&h->M);
    return status;
}

static void create(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_matrix(f);
    precond_handle *h = &f->precond[slot];
    const bool use_matrix = from >= 0 && chance(f, 65);
    gsolve_status status;
    input used;
    random_spec s;

    drop_precond(f, slot);
    draw_spec(f, PRECOND, &s);
    h->M = UNTOUCHED;
    if (use_matrix) {
        used = f->matrix[from].given;
        status = create_from_matrix(f, h, slot, &s, from);
    } else {
        status = create_from_input(f, h, slot, &s, &used);
    }
    if (status != GSOLVE_OK) return;
    if (s.invalid) complain(f, "gsolve_precond_create takes the spec '%s'", s.text);
    h->given = copy_input(&used);
    h->undefined = use_matrix && f->matrix[from].undefined;
    h->is_none = strcmp(s.text, "none") == 0;
}

static void update(fuzz *f)
{
    const int slot = pick_precond(f);
    precond_handle *h = &f->precond[slot < 0 ? 0 : slot];
    input fresh;
    gsolve_csr csr;

    if (slot < 0) return;
    fresh = copy_input(&h->given);
    draw_new_values(f, &fresh);
    trace(f, "gsolve_precond_update(M%d, new values%s)\n", slot,
          fresh.malformed ? ", malformed" : "");
    csr = lend(f, &fresh);
    deny_some(f);
    const gsolve_status status = gsolve_precond_update(h->M, &csr);
    const bool good = passed(f, "gsolve_precond_update", status);
    if (good && fresh.malformed) complain(f, "gsolve_precond_update takes a malformed matrix");
    take_back(f, &fresh, &csr);
    if (!good && status != GSOLVE_BAD_MATRIX && status != GSOLVE_ZERO_PIVOT) h->undefined = true;
    if (good) {
        drop_input(&h->given);
        h->given = fresh;
        h->undefined = false;
    } else {
        drop_input(&fresh);
    }
}

/* --- applications -------------------------------------------------------------------------------
 */

/* r and z where kernels of the device reach them. */
static vectors device_vectors(fuzz *f, int32_t n, int32_t columns, gsolve_type type, filling how)
{
    do {
        vectors v = make_vectors(f, n, columns, type, GSOLVE_COLUMN_MAJOR, how);
        if (f->has_gpu == (v.d.location == GSOLVE_DEVICE)) return v;
        drop_vectors(f, &v);
    } while (true);
}

static void check_applied(fuzz *f, const char *call, const precond_handle *h, vectors *r,
                          vectors *z, gsolve_status status)
{
    fetch_vectors(f, r);
    fetch_vectors(f, z);
    if (!unchanged(r)) complain(f, "%s changes r", call);
    check_gaps(f, call, z);
    if (status != GSOLVE_OK || h->undefined) return;
    for (int32_t c = 0; h->is_none && c < r->d.ncols; c++) {
        for (int32_t i = 0; i < r->d.nrows; i++) {
            if (number_at(r, i, c) != number_at(z, i, c) && isfinite(number_at(r, i, c))) {
                complain(f, "%s with none changes the vector", call);
            }
        }
    }
    hash_vectors(f, z);
}

/* rz[c] = r_c'z_c */
static void check_dots(fuzz *f, const vectors *r, const vectors *z, const double *rz)
{
    const long double eps = (long double)unit_roundoff(r->d.type);

    for (int32_t c = 0; c < r->d.ncols; c++) {
        long double sum = 0, size = 0;
        for (int32_t i = 0; i < r->d.nrows; i++) {
            const long double term =
                (long double)number_at(r, i, c) * (long double)number_at(z, i, c);
            sum += term;
            size += fabsl(term);
        }
        if (!(size < 1e300L)) continue;
        if (fabsl(sum - (long double)rz[c]) <= eps * (r->d.nrows + 8) * (size + 1e-290L)) continue;
        complain(f, "gsolve_precond_apply_dot: column %d has %g; it should be %Lg", c, rz[c], sum);
        return;
    }
}

static gsolve_status apply_dot(fuzz *f, const precond_handle *h, vectors *r, vectors *z)
{
    const int32_t columns = r->d.ncols;
    double *there = gsolve_alloc(f->ctx, GSOLVE_DEVICE, (size_t)columns, sizeof *there);
    double rz[8];
    gsolve_status status;

    deny_some(f);
    status = gsolve_precond_apply_dot(h->M, r->d, z->d, there);
    if (passed(f, "gsolve_precond_apply_dot", status) && !h->undefined) {
        fetch_vectors(f, z);
        if (gsolve_copy(f->ctx, rz, GSOLVE_HOST, there, GSOLVE_DEVICE,
                        (size_t)columns * sizeof *rz) == GSOLVE_OK) {
            check_dots(f, r, z, rz);
        }
    }
    gsolve_free(f->ctx, GSOLVE_DEVICE, there);
    return status;
}

static void apply(fuzz *f)
{
    static const char *const name[] = {"gsolve_precond_apply", "gsolve_precond_apply_transpose",
                                       "gsolve_precond_apply_dot"};
    const int slot = pick_precond(f), which = chance(f, 50) ? 0 : (int)below(f, 3);
    const int32_t columns = chance(f, 60) ? 1 : 1 + (int32_t)below(f, 8);
    gsolve_status status;

    if (slot < 0) return;
    precond_handle *h = &f->precond[slot];
    const gsolve_csr *csr = &h->given.csr;
    if (csr->nrows != csr->ncols) return; /* none takes any shape */
    vectors r = device_vectors(f, csr->nrows, columns, csr->type, draw_filling(f));
    vectors z = device_vectors(f, csr->nrows, columns, csr->type, draw_filling(f));
    trace(f, "%s(M%d, r of %d columns)\n", name[which], slot, columns);
    if (which == 2) {
        status = apply_dot(f, h, &r, &z);
    } else {
        deny_some(f);
        status = which ? gsolve_precond_apply_transpose(h->M, r.d, z.d)
                       : gsolve_precond_apply(h->M, r.d, z.d);
        passed(f, name[which], status);
    }
    check_applied(f, name[which], h, &r, &z, status);
    drop_vectors(f, &r);
    drop_vectors(f, &z);
}

/* --- near-null vectors ------------------------------------------------------------------------ */

static void near_null(fuzz *f)
{
    const int slot = pick_precond(f);
    const bool places = chance(f, 30);
    gsolve_status status;

    if (slot < 0) return;
    precond_handle *h = &f->precond[slot];
    const int32_t dimensions = 2 + (int32_t)below(f, 2);
    const int32_t columns = places ? dimensions : 1 + (int32_t)below(f, 6);
    const int32_t n = places ? h->given.csr.nrows / dimensions : h->given.csr.nrows;
    const gsolve_type type = draw_type(f);
    vectors B = make_vectors(f, n, columns, type, GSOLVE_COLUMN_MAJOR, draw_filling(f));
    trace(f, "gsolve_precond_set_%s(M%d, %d x %d)\n", places ? "coordinates" : "near_null", slot, n,
          columns);
    deny_some(f);
    status = places ? gsolve_precond_set_coordinates(h->M, B.d)
                    : gsolve_precond_set_near_null(h->M, B.d);
    passed(f, "gsolve_precond_set_near_null", status);
    drop_vectors(f, &B);
}

static void describe(fuzz *f)
{
    const int slot = pick_precond(f);
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    gsolve_level_info level = GSOLVE_INIT(gsolve_level_info);

    if (slot < 0) return;
    const gsolve_precond *M = f->precond[slot].M;
    trace(f, "gsolve_precond_describe(M%d) and others\n", slot);
    gsolve_precond_describe(M, &info);
    if (!info.kind || !info.spec || !memchr(info.note, 0, sizeof info.note)) {
        complain(f, "gsolve_precond_describe tells no name");
    }
    for (int k = 0; gsolve_precond_level(M, k, &level) && k < 100; k++) add_number(f, level.rows);
    add_number(f, gsolve_precond_is_variable(M));
    add_number(f, gsolve_precond_diagonal(M) != NULL);
    if (chance(f, 30)) gsolve_precond_begin_solve(M, 1 + (int32_t)below(f, 5));
}

const api_call precond_calls[] = {{"precond_create", 10, create},
                                  {"precond_update", 6, update},
                                  {"precond_apply", 8, apply},
                                  {"precond_near_null", 3, near_null},
                                  {"precond_describe", 2, describe},
                                  {"precond_destroy", 2, destroy},
                                  {NULL, 0, NULL}};
