/* interface_product.c: random calls about products of matrices, blocks, transposes, conversions. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_inputs(product_handle *h)
{
    drop_input(&h->left);
    drop_input(&h->middle);
    drop_input(&h->right);
}

void drop_product(fuzz *f, int slot)
{
    product_handle *h = &f->product[slot];

    if (!h->P && !h->G) return;
    trace(f, "gsolve_%s_destroy(P%d)\n", h->P ? "product" : "galerkin", slot);
    gsolve_product_destroy(&h->P);
    gsolve_galerkin_destroy(&h->G);
    if (h->P || h->G) complain(f, "the destruction of a product leaves the handle");
    drop_inputs(h);
}

static void destroy(fuzz *f)
{
    drop_product(f, (int)below(f, HANDLES));
}

/* --- operands that fit ---------------------------------------------------------------------------
 */

/* A random matrix of so many rows, of A's type. */
static input random_factor(fuzz *f, const input *A, int32_t nrows, int32_t ncols)
{
    input in = {{nrows, ncols, NULL, NULL, NULL, A->csr.offset, A->csr.type, GSOLVE_HOST}, 0, 0};
    const int64_t most = ncols < 4 ? ncols : 4;
    int32_t *start = must_alloc(((size_t)nrows + 1) * sizeof *start);
    int32_t *col = must_alloc((size_t)nrows * (size_t)most * sizeof *col);
    double *value = must_alloc((size_t)nrows * (size_t)most * sizeof *value);
    input out;

    start[0] = 0;
    for (int32_t i = 0; i < nrows; i++) {
        const int64_t count = below(f, most + 1), first = below(f, ncols - count + 1);
        start[i + 1] = start[i] + (int32_t)count;
        for (int32_t k = 0; k < count; k++) {
            col[start[i] + k] = (int32_t)first + k;
            value[start[i] + k] = uniform(f);
        }
    }
    in.csr.start = start;
    in.csr.col = col;
    in.csr.value = value;
    in.csr.offset = GSOLVE_O32;
    in.csr.type = GSOLVE_F64;
    out = convert_input(&in, A->csr.type);
    drop_input(&in);
    return out;
}

/* One of the matrices that fits behind left, or a random one. */
static input right_factor(fuzz *f, const input *left)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];

    if (!in->malformed && in->csr.nrows == left->csr.ncols && in->csr.type == left->csr.type) {
        return copy_input(in);
    }
    return random_factor(f, left, left->csr.ncols, (int32_t)below(f, 30));
}

/* --- C, compared
 * ---------------------------------------------------------------------------------- */

static void check_c(fuzz *f, const char *call, const gsolve_csr *C, const input *left,
                    const input *middle, const input *right, bool exact)
{
    input found;

    if (!fetch_csr(f, call, C, ASCENDING, &found)) return;
    check_multiplied(f, call, left, middle, right, &found.csr, exact);
    add_to_hash(f, found.csr.value,
                (size_t)offset_at(&found.csr, found.csr.nrows) *
                    (found.csr.type == GSOLVE_F32 ? 4 : 8));
    drop_input(&found);
}

static void check_product_status(fuzz *f, const char *call, gsolve_status status,
                                 const random_spec *s)
{
    if (status == GSOLVE_OK && s->invalid) complain(f, "%s takes the spec '%s'", call, s->text);
    if (status == GSOLVE_BAD_MATRIX || status == GSOLVE_BAD_ARGUMENT) {
        complain(f, "%s refuses matrices that fit: %s", call, gsolve_error(f->ctx));
    }
}

/* All operands on the host or all on the device. */
static void lend_all(fuzz *f, const input *in[], gsolve_csr *csr, int count)
{
    do {
        for (int k = 0; k < count; k++) csr[k] = lend(f, in[k]);
        bool alike = true;
        for (int k = 1; k < count; k++) alike = alike && csr[k].location == csr[0].location;
        if (alike) return;
        for (int k = 0; k < count; k++) take_back(f, in[k], &csr[k]);
    } while (true);
}

static void multiply(fuzz *f)
{
    const int from = pick_input(f);
    const input *left = &f->given[from];
    gsolve_csr csr[2], C;
    random_spec s;

    if (left->malformed) return;
    input right = right_factor(f, left);
    const input *in[] = {left, &right};
    draw_spec(f, MULTIPLIER, &s);
    trace(f, "gsolve_csr_multiply(\"%s\", matrix %d, %d x %d)\n", s.text, from, right.csr.nrows,
          right.csr.ncols);
    lend_all(f, in, csr, 2);
    memset(&C, 0xa5, sizeof C);
    deny_some(f);
    const gsolve_status status = gsolve_csr_multiply(&C, f->ctx, s.text, &csr[0], &csr[1]);
    if (passed(f, "gsolve_csr_multiply", status)) {
        check_c(f, "gsolve_csr_multiply", &C, left, NULL, &right, true);
        gsolve_csr_free(&C, f->ctx);
    }
    check_product_status(f, "gsolve_csr_multiply", status, &s);
    for (int k = 0; k < 2; k++) take_back(f, in[k], &csr[k]);
    drop_input(&right);
}

/* --- kept products
 * ---------------------------------------------------------------------------------- */

static void check_plan(fuzz *f, product_handle *h)
{
    const char *call = h->P ? "gsolve_product_csr" : "gsolve_galerkin_csr";
    gsolve_product_info info = GSOLVE_INIT(gsolve_product_info);
    gsolve_csr C;

    deny_some(f);
    if (!passed(f, call, h->P ? gsolve_product_csr(h->P, &C) : gsolve_galerkin_csr(h->G, &C))) {
        return;
    }
    if (h->P) {
        gsolve_product_describe(h->P, &info);
    } else {
        gsolve_galerkin_describe(h->G, &info);
    }
    if (info.nrows != C.nrows || info.ncols != C.ncols || !info.method) {
        complain(f, "%s: the description is of %d x %d", call, info.nrows, info.ncols);
    }
    if (!h->undefined) {
        check_c(f, call, &C, &h->left, h->P ? NULL : &h->middle, &h->right, true);
    }
}

static void product_create(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_input(f);
    const input *left = &f->given[from];
    product_handle *h = &f->product[slot];
    gsolve_csr csr[2];
    random_spec s;

    drop_product(f, slot);
    if (left->malformed) return;
    input right = right_factor(f, left);
    const input *in[] = {left, &right};
    draw_spec(f, MULTIPLIER, &s);
    trace(f, "gsolve_product_create(P%d, \"%s\", matrix %d, %d x %d)\n", slot, s.text, from,
          right.csr.nrows, right.csr.ncols);
    lend_all(f, in, csr, 2);
    h->P = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_product_create(&h->P, f->ctx, s.text, &csr[0], &csr[1]);
    const bool good = passed_handle(f, "gsolve_product_create", status, (void **)&h->P);
    check_product_status(f, "gsolve_product_create", status, &s);
    for (int k = 0; k < 2; k++) take_back(f, in[k], &csr[k]);
    h->undefined = false;
    if (!good) {
        drop_input(&right);
        return;
    }
    h->left = copy_input(left);
    h->right = right;
    check_plan(f, h);
}

static void galerkin_create(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_input(f);
    const input *A = &f->given[from];
    product_handle *h = &f->product[slot];
    gsolve_csr csr[3];
    random_spec s;

    drop_product(f, slot);
    if (A->malformed || A->csr.nrows != A->csr.ncols) return;
    const int32_t m = (int32_t)below(f, A->csr.nrows + 1);
    input P = random_factor(f, A, A->csr.nrows, m);
    h->left_given = chance(f, 50);
    input R = h->left_given
                  ? random_factor(f, A, chance(f, 70) ? m : (int32_t)below(f, 9), A->csr.nrows)
                  : transpose_input(&P);
    const input *in[] = {A, &P, &R};
    draw_spec(f, MULTIPLIER, &s);
    trace(f, "gsolve_galerkin_create(P%d, \"%s\", %s, matrix %d, P of %d columns)\n", slot, s.text,
          h->left_given ? "R" : "NULL", from, m);
    lend_all(f, in, csr, h->left_given ? 3 : 2);
    h->G = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_galerkin_create(
        &h->G, f->ctx, s.text, h->left_given ? &csr[2] : NULL, &csr[0], &csr[1]);
    const bool good = passed_handle(f, "gsolve_galerkin_create", status, (void **)&h->G);
    check_product_status(f, "gsolve_galerkin_create", status, &s);
    for (int k = 0; k < (h->left_given ? 3 : 2); k++) take_back(f, in[k], &csr[k]);
    h->undefined = false;
    if (!good) {
        drop_input(&P);
        drop_input(&R);
        return;
    }
    h->left = R;
    h->middle = copy_input(A);
    h->right = P;
    check_plan(f, h);
}

static input fresh_values(fuzz *f, const input *in)
{
    input fresh = copy_input(in);

    draw_new_values(f, &fresh);
    return fresh;
}

static gsolve_status update_product(fuzz *f, product_handle *h, input *left, input *right)
{
    const input *in[] = {left, right};
    gsolve_csr csr[2];
    gsolve_status status;

    lend_all(f, in, csr, 2);
    deny_some(f);
    status = gsolve_product_update(h->P, &csr[0], &csr[1]);
    passed(f, "gsolve_product_update", status);
    for (int k = 0; k < 2; k++) take_back(f, in[k], &csr[k]);
    return status;
}

/* A new A, with the old R and P. */
static gsolve_status update_galerkin(fuzz *f, product_handle *h, input *A)
{
    gsolve_csr csr = lend(f, A);
    gsolve_status status;

    deny_some(f);
    status = gsolve_galerkin_update(h->G, NULL, &csr, NULL);
    passed(f, "gsolve_galerkin_update", status);
    take_back(f, A, &csr);
    return status;
}

static void keep_or_drop(input *held, input *fresh, bool keeps)
{
    if (!keeps) {
        drop_input(fresh);
        return;
    }
    drop_input(held);
    *held = *fresh;
}

static void update(fuzz *f)
{
    const int slot = (int)below(f, HANDLES);
    product_handle *h = &f->product[slot];
    gsolve_status status;

    if (!h->P && !h->G) return;
    input first = fresh_values(f, h->P ? &h->left : &h->middle);
    input second = h->P ? fresh_values(f, &h->right) : (input){0};
    trace(f, "gsolve_%s_update(P%d%s)\n", h->P ? "product" : "galerkin", slot,
          first.malformed || second.malformed ? ", malformed" : "");
    status = h->P ? update_product(f, h, &first, &second) : update_galerkin(f, h, &first);
    if (status == GSOLVE_OK && (first.malformed || second.malformed)) {
        complain(f, "the update of a product takes a malformed matrix");
    }
    /* an operand that lies elsewhere than at first may be refused */
    if (status == GSOLVE_BAD_MATRIX && !first.malformed && !second.malformed && !f->has_gpu) {
        complain(f, "the update of a product refuses its own pattern: %s", gsolve_error(f->ctx));
    }
    if (status == GSOLVE_OK) h->undefined = false;
    if (status == GSOLVE_NO_MEMORY) h->undefined = true;
    keep_or_drop(h->P ? &h->left : &h->middle, &first, status == GSOLVE_OK);
    if (h->P) keep_or_drop(&h->right, &second, status == GSOLVE_OK);
    if (status == GSOLVE_OK) check_plan(f, h);
}

static void look(fuzz *f)
{
    product_handle *h = &f->product[below(f, HANDLES)];

    if (!h->P && !h->G) return;
    trace(f, "gsolve_%s_csr\n", h->P ? "product" : "galerkin");
    check_plan(f, h);
}

/* --- other forms of a matrix
 * ------------------------------------------------------------------------ */

static void transpose(fuzz *f)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    gsolve_csr C, csr = lend(f, in);
    input found;

    trace(f, "gsolve_csr_transpose(matrix %d)\n", from);
    memset(&C, 0xa5, sizeof C);
    deny_some(f);
    const gsolve_status status = gsolve_csr_transpose(&C, f->ctx, &csr);
    const bool good = passed(f, "gsolve_csr_transpose", status);
    take_back(f, in, &csr);
    if (good && in->malformed) complain(f, "gsolve_csr_transpose takes a malformed matrix");
    if (!good) return;
    if (!f->failed && fetch_csr(f, "gsolve_csr_transpose", &C,
                                in->duplicates ? WITH_DUPLICATES : ASCENDING, &found)) {
        input turned = transpose_input(in);
        check_same_matrix(f, "gsolve_csr_transpose", &turned, &found.csr);
        drop_input(&turned);
        drop_input(&found);
    }
    gsolve_csr_free(&C, f->ctx);
}

/* The same entries in the same order, each rounded once; one that would become 0 is refused. */
static void check_converted(fuzz *f, const input *in, const gsolve_csr *C)
{
    input found;

    if (!fetch_csr(f, "gsolve_csr_convert", C, ANY_ORDER, &found)) return;
    for (int64_t k = 0; k < offset_at(&in->csr, in->csr.nrows) && !f->failed; k++) {
        const double given = value_at(&in->csr, k), got = value_at(&found.csr, k);
        const double rounded = C->type == GSOLVE_F32 ? (double)(float)given : given;
        if (got == rounded && found.csr.col[k] == in->csr.col[k] && (got != 0 || given == 0)) {
            continue;
        }
        complain(f, "gsolve_csr_convert: entry %lld is %g instead of %g", (long long)k, got, given);
    }
    drop_input(&found);
}

static void convert(fuzz *f)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    const gsolve_type type = draw_type(f);
    gsolve_csr C;

    trace(f, "gsolve_csr_convert(matrix %d, %s)\n", from, type == GSOLVE_F32 ? "f32" : "f64");
    memset(&C, 0xa5, sizeof C);
    deny_some(f);
    const gsolve_status status = gsolve_csr_convert(&C, f->ctx, type, &in->csr);
    if (!passed(f, "gsolve_csr_convert", status)) return;
    if (in->malformed) complain(f, "gsolve_csr_convert takes a malformed matrix");
    if (!in->malformed) check_converted(f, in, &C);
    gsolve_csr_free(&C, f->ctx);
}

/* --- blocks
 * ----------------------------------------------------------------------------------------- */

/* The entries of in, and zeros that fill the blocks. */
static void check_filled(fuzz *f, const input *in, const gsolve_csr *C)
{
    input found;

    if (!fetch_csr(f, "gsolve_blocked_to_csr", C, ASCENDING, &found)) return;
    if (found.csr.nrows != in->csr.nrows || found.csr.ncols != in->csr.ncols) {
        complain(f, "gsolve_blocked_to_csr returns %d x %d", found.csr.nrows, found.csr.ncols);
    }
    for (int32_t i = 0; i < in->csr.nrows && !f->failed && !in->duplicates; i++) {
        double sum = 0, size = 0;
        for (int64_t k = offset_at(&found.csr, i); k < offset_at(&found.csr, i + 1); k++) {
            sum += (double)(found.csr.col[k] % 7 + 1) * value_at(&found.csr, k);
        }
        for (int64_t k = offset_at(&in->csr, i); k < offset_at(&in->csr, i + 1); k++) {
            const double term = (double)(in->csr.col[k] % 7 + 1) * value_at(&in->csr, k);
            sum -= term;
            size += fabs(term);
        }
        if (fabs(sum) > 1e-12 * size) complain(f, "blocks: row %d differs from the matrix", i);
    }
    drop_input(&found);
}

/* A block matrix of random form; false: refused. */
static bool make_blocked(fuzz *f, gsolve_blocked *B, const input *in, int32_t height, int32_t width,
                         gsolve_location *location)
{
    const bool fits = in->csr.nrows % height == 0 && in->csr.ncols % width == 0;
    gsolve_csr csr = lend(f, in);
    gsolve_status status;

    trace(f, "gsolve_blocked_from_csr(%d x %d of a matrix of %d x %d)\n", height, width,
          in->csr.nrows, in->csr.ncols);
    *location = csr.location;
    deny_some(f);
    status = gsolve_blocked_from_csr(B, f->ctx, height, width, &csr);
    take_back(f, in, &csr);
    if (!passed(f, "gsolve_blocked_from_csr", status)) {
        if (fits && !in->malformed && status != GSOLVE_NO_MEMORY) {
            complain(f, "gsolve_blocked_from_csr refuses: %s", gsolve_error(f->ctx));
        }
        return false;
    }
    if (!fits || in->malformed) complain(f, "gsolve_blocked_from_csr takes what does not fit");
    return true;
}

static void multiply_blocks(fuzz *f, const gsolve_blocked *A, gsolve_location location,
                            const input *in, int32_t between)
{
    const int32_t width = 1 + (int32_t)below(f, 8);
    gsolve_location of_b;
    gsolve_blocked B, C;
    gsolve_csr rows;
    random_spec s;
    input right = random_factor(f, in, in->csr.ncols, width * (int32_t)below(f, 6));
    const bool good = make_blocked(f, &B, &right, between, width, &of_b);

    draw_spec(f, MULTIPLIER, &s);
    trace(f, "gsolve_blocked_multiply(\"%s\")\n", s.text);
    if (good && of_b == location) {
        deny_some(f);
        const gsolve_status status = gsolve_blocked_multiply(&C, f->ctx, s.text, A, &B);
        if (passed(f, "gsolve_blocked_multiply", status)) {
            if (passed(f, "gsolve_blocked_to_csr", gsolve_blocked_to_csr(&rows, f->ctx, &C))) {
                check_c(f, "gsolve_blocked_multiply", &rows, in, NULL, &right, false);
                gsolve_csr_free(&rows, f->ctx);
            }
            gsolve_blocked_free(&C, f->ctx);
        }
    }
    if (good) gsolve_blocked_free(&B, f->ctx);
    drop_input(&right);
}

static void blocked(fuzz *f)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    int32_t height = 1 + (int32_t)below(f, 8), width = 1 + (int32_t)below(f, 8);
    gsolve_location location;
    gsolve_blocked B;
    gsolve_csr rows;

    for (int k = 0; k < 20 && in->csr.nrows % height; k++) height = 1 + (int32_t)below(f, 8);
    for (int k = 0; k < 20 && in->csr.ncols % width; k++) width = 1 + (int32_t)below(f, 8);
    if (!make_blocked(f, &B, in, height, width, &location)) return;
    deny_some(f);
    if (passed(f, "gsolve_blocked_to_csr", gsolve_blocked_to_csr(&rows, f->ctx, &B))) {
        check_filled(f, in, &rows);
        gsolve_csr_free(&rows, f->ctx);
    }
    if (!in->malformed && chance(f, 60)) multiply_blocks(f, &B, location, in, width);
    gsolve_blocked_free(&B, f->ctx);
}

/* A matrix from square blocks, in any format. */
static void matrix_from_blocks(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_input(f);
    const input *in = &f->given[from];
    matrix_handle *h = &f->matrix[slot];
    int32_t b = 1 + (int32_t)below(f, 8);
    gsolve_location location;
    gsolve_blocked B;
    gsolve_csr rows;
    random_spec s;
    input filled;

    for (int k = 0; k < 20 && (in->csr.nrows % b || in->csr.ncols % b); k++)
        b = 1 + (int32_t)below(f, 8);
    if (!make_blocked(f, &B, in, b, b, &location)) return;
    drop_matrix(f, slot);
    draw_spec(f, FORMAT, &s);
    trace(f, "gsolve_matrix_create_blocks(A%d, \"%s\")\n", slot, s.text);
    h->A = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_matrix_create_blocks(&h->A, f->ctx, s.text, &B);
    bool good = passed_handle(f, "gsolve_matrix_create_blocks", status, (void **)&h->A);
    if (good && s.invalid) complain(f, "gsolve_matrix_create_blocks takes the spec '%s'", s.text);
    if (status == GSOLVE_BAD_MATRIX && !in->malformed) {
        complain(f, "gsolve_matrix_create_blocks refuses: %s", gsolve_error(f->ctx));
    }
    h->undefined = false;
    if (good && passed(f, "gsolve_blocked_to_csr", gsolve_blocked_to_csr(&rows, f->ctx, &B))) {
        good = fetch_csr(f, "gsolve_blocked_to_csr", &rows, ASCENDING, &filled);
        gsolve_csr_free(&rows, f->ctx);
        if (good) h->given = filled;
    }
    gsolve_blocked_free(&B, f->ctx);
}

const api_call product_calls[] = {{"csr_multiply", 4, multiply},
                                  {"product_create", 3, product_create},
                                  {"galerkin_create", 3, galerkin_create},
                                  {"product_update", 5, update},
                                  {"product_csr", 2, look},
                                  {"csr_transpose", 3, transpose},
                                  {"csr_convert", 3, convert},
                                  {"blocked", 3, blocked},
                                  {"matrix_create_blocks", 5, matrix_from_blocks},
                                  {"product_destroy", 2, destroy},
                                  {NULL, 0, NULL}};
