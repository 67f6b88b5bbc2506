/* interface_matrix.c: random calls about matrices, and their checks. */
#include "tests/fuzz/interface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pick_matrix(fuzz *f)
{
    const int from = (int)below(f, HANDLES);

    for (int k = 0; k < HANDLES; k++) {
        const int slot = (from + k) % HANDLES;
        if (f->matrix[slot].A) return slot;
    }
    return -1;
}

void drop_matrix(fuzz *f, int slot)
{
    matrix_handle *h = &f->matrix[slot];

    if (!h->A) return;
    trace(f, "gsolve_matrix_destroy(A%d)\n", slot);
    gsolve_matrix_destroy(&h->A);
    if (h->A) complain(f, "gsolve_matrix_destroy leaves the handle");
    drop_input(&h->given);
    for (int k = 0; k < HANDLES; k++) {
        if (f->solver[k].a == slot) f->solver[k].dead = true;
    }
}

static void destroy(fuzz *f)
{
    drop_matrix(f, (int)below(f, HANDLES));
}

/* --- making -------------------------------------------------------------------------------------
 */

/* What is well formed is refused for the spec or for want of memory only. */
static void check_refusal(fuzz *f, const char *call, gsolve_status status, const input *in,
                          const random_spec *s)
{
    if (status == GSOLVE_OK && in->malformed) complain(f, "%s takes a malformed matrix", call);
    if (status == GSOLVE_OK && s->invalid) complain(f, "%s takes the spec '%s'", call, s->text);
    if (status == GSOLVE_BAD_MATRIX && !in->malformed) {
        complain(f, "%s refuses a matrix that is well formed: %s", call, gsolve_error(f->ctx));
    }
}

static void create(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_input(f);
    const input *in = &f->given[from];
    matrix_handle *h = &f->matrix[slot];
    gsolve_csr csr;
    random_spec s;

    drop_matrix(f, slot);
    draw_spec(f, FORMAT, &s);
    trace(f, "gsolve_matrix_create(A%d, \"%s\", matrix %d)\n", slot, s.text, from);
    csr = lend(f, in);
    h->A = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_matrix_create(&h->A, f->ctx, s.text, &csr);
    const bool good = passed_handle(f, "gsolve_matrix_create", status, (void **)&h->A);
    check_refusal(f, "gsolve_matrix_create", status, in, &s);
    take_back(f, in, &csr);
    h->undefined = false;
    if (good) h->given = copy_input(in);
}

void draw_matrix(fuzz *f)
{
    create(f);
}

/* A matrix that owns the arrays, which the library made. */
static void take(fuzz *f)
{
    const int slot = (int)below(f, HANDLES), from = pick_input(f);
    const input *in = &f->given[from];
    matrix_handle *h = &f->matrix[slot];
    gsolve_csr csr;
    input copy;
    random_spec s;

    drop_matrix(f, slot);
    draw_spec(f, FORMAT, &s);
    if (in->malformed || !passed(f, "gsolve_csr_convert",
                                 gsolve_csr_convert(&csr, f->ctx, in->csr.type, &in->csr))) {
        return;
    }
    if (!fetch_csr(f, "gsolve_csr_convert", &csr, ANY_ORDER, &copy)) return;
    trace(f, "gsolve_matrix_create_owned(A%d, \"%s\", a copy of matrix %d)\n", slot, s.text, from);
    h->A = UNTOUCHED;
    deny_some(f);
    const gsolve_status status = gsolve_matrix_create_owned(&h->A, f->ctx, s.text, &csr);
    const bool good = passed_handle(f, "gsolve_matrix_create_owned", status, (void **)&h->A);
    check_refusal(f, "gsolve_matrix_create_owned", status, in, &s);
    h->undefined = false;
    if (good && (csr.start || csr.col || csr.value)) complain(f, "the matrix taken is not cleared");
    copy.duplicates = in->duplicates;
    if (good) {
        h->given = copy;
    } else {
        drop_input(&copy);
        gsolve_csr_free(&csr, f->ctx);
    }
}

/* --- new values ---------------------------------------------------------------------------------
 */

static bool same_pattern(const input *a, const input *b)
{
    const int32_t n = a->csr.nrows;

    if (n != b->csr.nrows || a->csr.ncols != b->csr.ncols || a->csr.type != b->csr.type) {
        return false;
    }
    for (int32_t i = 0; i <= n; i++) {
        if (offset_at(&a->csr, i) != offset_at(&b->csr, i)) return false;
    }
    return offset_at(&a->csr, n) == 0 ||
           memcmp(a->csr.col, b->csr.col, (size_t)offset_at(&a->csr, n) * 4) == 0;
}

/* The pattern of another matrix, which may be the same after duplicates are summed. */
static void update_wrongly(fuzz *f, matrix_handle *h, int slot)
{
    const int from = pick_input(f);
    const input *in = &f->given[from];
    gsolve_csr csr;

    if (in->malformed || in->duplicates || h->given.duplicates || same_pattern(in, &h->given) ||
        offset_at(&in->csr, in->csr.nrows) == offset_at(&h->given.csr, h->given.csr.nrows)) {
        return;
    }
    trace(f, "gsolve_matrix_update(A%d, matrix %d), another pattern\n", slot, from);
    csr = lend(f, in);
    const gsolve_status status = gsolve_matrix_update(h->A, &csr);
    if (passed(f, "gsolve_matrix_update", status)) {
        complain(f, "gsolve_matrix_update takes another pattern");
    }
    take_back(f, in, &csr);
}

static void update(fuzz *f)
{
    const int slot = pick_matrix(f);
    matrix_handle *h = &f->matrix[slot < 0 ? 0 : slot];
    input fresh;
    gsolve_csr csr;

    if (slot < 0) return;
    if (chance(f, 10)) {
        update_wrongly(f, h, slot);
        return;
    }
    fresh = copy_input(&h->given);
    draw_new_values(f, &fresh);
    trace(f, "gsolve_matrix_update(A%d, new values%s)\n", slot,
          fresh.malformed ? ", malformed" : "");
    csr = lend(f, &fresh);
    deny_some(f);
    const gsolve_status status = gsolve_matrix_update(h->A, &csr);
    const bool good = passed(f, "gsolve_matrix_update", status);
    if (good && fresh.malformed) complain(f, "gsolve_matrix_update takes a malformed matrix");
    if (status == GSOLVE_BAD_MATRIX && !fresh.malformed) {
        complain(f, "gsolve_matrix_update refuses its own pattern: %s", gsolve_error(f->ctx));
    }
    take_back(f, &fresh, &csr);
    if (!good && status != GSOLVE_BAD_MATRIX) h->undefined = true;
    if (!good) {
        drop_input(&fresh);
        return;
    }
    h->undefined = false;
    drop_input(&h->given);
    h->given = fresh;
}

/* --- products -----------------------------------------------------------------------------------
 */

static double draw_factor(fuzz *f)
{
    static const double factor[] = {1, 1, 1, -1, 0, 2, 0.5};

    return chance(f, 80) ? factor[below(f, 7)] : uniform(f);
}

static filling finite_filling(fuzz *f)
{
    const filling how = draw_filling(f);
    return how == NOT_FINITE ? RANDOM : how;
}

typedef struct operands {
    vectors x, y;
    double alpha, beta;
    bool transposed;
} operands;

static operands draw_operands(fuzz *f, const matrix_handle *h, bool transposed)
{
    const gsolve_csr *csr = &h->given.csr;
    const int32_t columns = chance(f, 60) ? 1 : (int32_t)below(f, 20);
    const gsolve_layout of_x =
        columns > 1 && chance(f, 40) ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR;
    const gsolve_layout of_y =
        columns > 1 && chance(f, 40) ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR;
    operands o;

    o.transposed = transposed;
    o.alpha = draw_factor(f);
    o.beta = draw_factor(f);
    if (chance(f, 50)) o.beta = 0;
    o.x = make_vectors(f, transposed ? csr->nrows : csr->ncols, columns, csr->type, of_x,
                       finite_filling(f));
    o.y = make_vectors(f, transposed ? csr->ncols : csr->nrows, columns, csr->type, of_y,
                       o.beta == 0 ? draw_filling(f) : finite_filling(f));
    return o;
}

static void check_operands(fuzz *f, const char *call, const matrix_handle *h, operands *o,
                           gsolve_status status)
{
    fetch_vectors(f, &o->x);
    fetch_vectors(f, &o->y);
    if (!unchanged(&o->x)) complain(f, "%s changes x", call);
    check_gaps(f, call, &o->y);
    if (status == GSOLVE_OK && !h->undefined) {
        check_product(f, call, &h->given, o->transposed, o->alpha, &o->x, o->beta, &o->y);
        hash_vectors(f, &o->y);
    }
    if (status == GSOLVE_BAD_ARGUMENT) complain(f, "%s: %s", call, gsolve_error(f->ctx));
}

static void apply(fuzz *f)
{
    const int slot = pick_matrix(f);
    const bool transposed = chance(f, 30);
    const char *name = transposed ? "gsolve_matrix_apply_transpose" : "gsolve_matrix_apply";
    gsolve_status status;

    if (slot < 0) return;
    operands o = draw_operands(f, &f->matrix[slot], transposed);
    trace(f, "%s(A%d, %g, x of %d columns%s, %g, y%s)\n", name, slot, o.alpha, o.x.d.ncols,
          o.x.d.layout == GSOLVE_ROW_MAJOR ? " by rows" : "", o.beta,
          o.y.d.layout == GSOLVE_ROW_MAJOR ? " by rows" : "");
    deny_some(f);
    if (transposed) {
        status = gsolve_matrix_apply_transpose(f->matrix[slot].A, o.alpha, o.x.d, o.beta, o.y.d);
    } else {
        status = gsolve_matrix_apply(f->matrix[slot].A, o.alpha, o.x.d, o.beta, o.y.d);
    }
    passed(f, name, status);
    check_operands(f, name, &f->matrix[slot], &o, status);
    drop_vectors(f, &o.x);
    drop_vectors(f, &o.y);
}

/* The dot products w'y and y'y, where x and y lie. */
static void check_dots(fuzz *f, const char *call, const vectors *w, const vectors *y,
                       const double *wy)
{
    const long double eps = (long double)unit_roundoff(y->d.type);

    for (int32_t c = 0; c < y->d.ncols; c++) {
        long double sum = 0, size = 0;
        for (int32_t i = 0; i < y->d.nrows; i++) {
            const long double term =
                (long double)number_at(w, i, c) * (long double)number_at(y, i, c);
            sum += term;
            size += fabsl(term);
        }
        if (!(size < 1e300L)) continue;
        if (fabsl(sum - (long double)wy[c]) <= eps * (y->d.nrows + 8) * (size + 1e-290L)) continue;
        complain(f, "%s: the dot product of column %d is %g; it should be %Lg", call, c, wy[c],
                 sum);
        return;
    }
}

/* columns numbers on the device, where it has memory of its own. */
static double *new_numbers(fuzz *f, int32_t columns)
{
    return gsolve_alloc(f->ctx, GSOLVE_DEVICE, (size_t)columns, sizeof(double));
}

static void fetch_numbers(fuzz *f, double *to, const double *from, int32_t columns)
{
    if (gsolve_copy(f->ctx, to, GSOLVE_HOST, from, GSOLVE_DEVICE,
                    (size_t)columns * sizeof(double)) != GSOLVE_OK) {
        complain(f, "dot products cannot be copied: %s", gsolve_error(f->ctx));
    }
}

/* w, x and y where kernels of the device reach them. */
static vectors device_vectors(fuzz *f, int32_t n, int32_t columns, gsolve_type type)
{
    vectors v;

    do {
        v = make_vectors(f, n, columns, type, GSOLVE_COLUMN_MAJOR, finite_filling(f));
        if (f->has_gpu == (v.d.location == GSOLVE_DEVICE)) return v;
        drop_vectors(f, &v);
    } while (true);
}

static void apply_dot(fuzz *f)
{
    const int slot = pick_matrix(f);
    const int32_t columns = 1 + (int32_t)below(f, 6);
    const bool squares = chance(f, 50);
    double wy[8], yy[8];
    gsolve_status status;

    if (slot < 0) return;
    matrix_handle *h = &f->matrix[slot];
    const gsolve_csr *csr = &h->given.csr;
    operands o = {.alpha = 1, .beta = 0};
    o.x = device_vectors(f, csr->ncols, columns, csr->type);
    o.y = device_vectors(f, csr->nrows, columns, csr->type);
    vectors w = device_vectors(f, csr->nrows, columns, csr->type);
    double *wy_there = new_numbers(f, columns), *yy_there = new_numbers(f, columns);
    trace(f, "gsolve_matrix_apply_dot(A%d, x of %d columns%s)\n", slot, columns,
          squares ? ", with squares" : "");
    deny_some(f);
    status = gsolve_matrix_apply_dot(h->A, o.x.d, o.y.d, w.d, wy_there, squares ? yy_there : NULL);
    passed(f, "gsolve_matrix_apply_dot", status);
    fetch_vectors(f, &w);
    check_operands(f, "gsolve_matrix_apply_dot", h, &o, status);
    if (status == GSOLVE_OK && !h->undefined) {
        fetch_numbers(f, wy, wy_there, columns);
        check_dots(f, "gsolve_matrix_apply_dot", &w, &o.y, wy);
        add_to_hash(f, wy, (size_t)columns * sizeof *wy);
        if (squares) {
            fetch_numbers(f, yy, yy_there, columns);
            check_dots(f, "gsolve_matrix_apply_dot, y'y", &o.y, &o.y, yy);
        }
    }
    gsolve_free(f->ctx, GSOLVE_DEVICE, wy_there);
    gsolve_free(f->ctx, GSOLVE_DEVICE, yy_there);
    drop_vectors(f, &o.x);
    drop_vectors(f, &o.y);
    drop_vectors(f, &w);
}

static gsolve_stream_options draw_stream(fuzz *f)
{
    gsolve_stream_options options = {0};

    if (chance(f, 30)) options.columns = 1 + (int32_t)below(f, 8);
    if (chance(f, 30)) options.memory = (size_t)(100000 + below(f, 10000000));
    options.sequential = chance(f, 20);
    return options;
}

static void stream(fuzz *f)
{
    const int slot = pick_matrix(f);
    const gsolve_stream_options options = draw_stream(f);
    gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);

    if (slot < 0) return;
    operands o = draw_operands(f, &f->matrix[slot], false);
    trace(f, "gsolve_matrix_stream(A%d, %g, x of %d columns, %g, y)\n", slot, o.alpha, o.x.d.ncols,
          o.beta);
    deny_some(f);
    const gsolve_status status =
        gsolve_matrix_stream(f->matrix[slot].A, o.alpha, o.x.d, o.beta, o.y.d,
                             chance(f, 50) ? &options : NULL, chance(f, 50) ? &info : NULL);
    if (status == GSOLVE_NO_MEMORY) f->denied = true; /* options.memory may be too little */
    passed(f, "gsolve_matrix_stream", status);
    check_operands(f, "gsolve_matrix_stream", &f->matrix[slot], &o, status);
    drop_vectors(f, &o.x);
    drop_vectors(f, &o.y);
}

static void stream_rows(fuzz *f)
{
    const int from = pick_input(f);
    gsolve_stream_options options = draw_stream(f);
    matrix_handle h = {.given = f->given[from]};
    gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);
    random_spec s;

    draw_spec(f, FORMAT, &s);
    options.format = s.text;
    operands o = draw_operands(f, &h, false);
    while (o.x.d.location != GSOLVE_HOST || o.y.d.location != GSOLVE_HOST) {
        drop_vectors(f, &o.x);
        drop_vectors(f, &o.y);
        o = draw_operands(f, &h, false);
    }
    trace(f, "gsolve_csr_stream(\"%s\", matrix %d, %g, x of %d columns, %g, y)\n", s.text, from,
          o.alpha, o.x.d.ncols, o.beta);
    deny_some(f);
    const gsolve_status status = gsolve_csr_stream(f->ctx, &h.given.csr, o.alpha, o.x.d, o.beta,
                                                   o.y.d, &options, chance(f, 50) ? &info : NULL);
    if (status == GSOLVE_NO_MEMORY) f->denied = true;
    passed(f, "gsolve_csr_stream", status);
    check_refusal(f, "gsolve_csr_stream", status, &h.given, &s);
    if (!h.given.malformed) check_operands(f, "gsolve_csr_stream", &h, &o, status);
    drop_vectors(f, &o.x);
    drop_vectors(f, &o.y);
}

/* --- the residual ----------------------------------------------------------------------------- */

static void check_relative(fuzz *f, const matrix_handle *h, const vectors *b, const vectors *x,
                           const double *relative)
{
    for (int32_t c = 0; c < b->d.ncols; c++) {
        const reference r = true_residual(&h->given, b, x, c);
        const long double norm = r.norm > 0 ? r.norm : 1;
        const long double said = (long double)relative[c] * norm;
        if (r.residual > 1e300L || r.residual / norm > 1e300L) continue;
        if (fabsl(said - r.residual) <= 1e-6L * r.residual + r.slack) continue;
        complain(f, "gsolve_matrix_residual: column %d has %g; it should be %Lg", c, relative[c],
                 r.residual / norm);
        return;
    }
}

static void residual(fuzz *f)
{
    const int slot = pick_matrix(f);
    const int32_t columns = (int32_t)below(f, 4);
    double relative[4] = {-1, -1, -1, -1};

    if (slot < 0) return;
    matrix_handle *h = &f->matrix[slot];
    const gsolve_csr *csr = &h->given.csr;
    const gsolve_type of_b = draw_type(f), of_x = draw_type(f);
    vectors b = make_vectors(f, csr->nrows, columns, of_b, GSOLVE_COLUMN_MAJOR, draw_filling(f));
    vectors x = make_vectors(f, csr->ncols, columns, of_x, GSOLVE_COLUMN_MAJOR, draw_filling(f));
    trace(f, "gsolve_matrix_residual(A%d, b and x of %d columns)\n", slot, columns);
    deny_some(f);
    const gsolve_status status = gsolve_matrix_residual(h->A, b.d, x.d, relative);
    if (passed(f, "gsolve_matrix_residual", status)) {
        add_to_hash(f, relative, sizeof relative);
        if (!h->undefined && all_finite(&b) && all_finite(&x)) {
            check_relative(f, h, &b, &x, relative);
        }
    } else if (columns > 0 && relative[0] != -1 && status != GSOLVE_NO_MEMORY) {
        complain(f, "gsolve_matrix_residual fails and writes a result");
    }
    drop_vectors(f, &b);
    drop_vectors(f, &x);
}

/* --- questions ----------------------------------------------------------------------------------
 */

static void turn(fuzz *f)
{
    const int slot = pick_matrix(f);
    gsolve_adaptation told = {false, false};
    gsolve_run_estimate outlook;

    if (slot < 0) return;
    outlook.made = below(f, chance(f, 50) ? 5 : 3000);
    outlook.remaining = chance(f, 20) ? -1 : (double)below(f, 100000);
    outlook.most = (double)below(f, 1000000);
    outlook.columns = 1 + (int32_t)below(f, 8);
    outlook.ended = chance(f, 20);
    trace(f, "gsolve_matrix_adapt(A%d, made %lld)\n", slot, (long long)outlook.made);
    deny_some(f);
    passed(f, "gsolve_matrix_adapt",
           gsolve_matrix_adapt(f->matrix[slot].A, &outlook, chance(f, 80) ? &told : NULL));
}

static void rows(fuzz *f)
{
    const int slot = pick_matrix(f);
    gsolve_csr csr;
    input found;

    if (slot < 0) return;
    trace(f, "gsolve_matrix_csr(A%d)\n", slot);
    if (chance(f, 30)) {
        gsolve_matrix_device_csr(f->matrix[slot].A, &csr);
    } else {
        deny_some(f);
        if (!passed(f, "gsolve_matrix_csr", gsolve_matrix_csr(f->matrix[slot].A, &csr))) return;
    }
    if (!fetch_csr(f, "gsolve_matrix_csr", &csr, ASCENDING, &found)) return;
    if (!f->matrix[slot].undefined) {
        check_same_matrix(f, "gsolve_matrix_csr", &f->matrix[slot].given, &found.csr);
    }
    drop_input(&found);
}

static void describe(fuzz *f)
{
    const int slot = pick_matrix(f), from = pick_input(f);
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_statistics traits = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    size_t bytes;
    random_spec s;

    draw_spec(f, FORMAT, &s);
    trace(f, "gsolve_matrix_memory(\"%s\", matrix %d) and others\n", s.text, from);
    deny_some(f);
    passed(f, "gsolve_matrix_memory",
           gsolve_matrix_memory(f->ctx, s.text, &f->given[from].csr, &bytes));
    deny_some(f);
    const gsolve_status status = gsolve_csr_statistics(f->ctx, &f->given[from].csr, &traits);
    if (passed(f, "gsolve_csr_statistics", status)) {
        if (f->given[from].malformed) complain(f, "gsolve_csr_statistics takes a malformed matrix");
        for (int k = 0; gsolve_auto_choose(f->ctx, &traits, k, &choice); k++) {
            add_to_hash(f, choice.method, strlen(choice.method));
        }
    }
    if (slot < 0) return;
    gsolve_matrix_describe(f->matrix[slot].A, &info);
    if (info.nrows != f->matrix[slot].given.csr.nrows || !memchr(info.note, 0, sizeof info.note)) {
        complain(f, "gsolve_matrix_describe tells %d rows, note '%.200s'", info.nrows, info.note);
    }
}

const api_call matrix_calls[] = {{"matrix_create", 10, create},
                                 {"matrix_take", 3, take},
                                 {"matrix_update", 7, update},
                                 {"matrix_apply", 10, apply},
                                 {"matrix_apply_dot", 4, apply_dot},
                                 {"matrix_stream", 2, stream},
                                 {"csr_stream", 2, stream_rows},
                                 {"matrix_residual", 4, residual},
                                 {"matrix_turn", 3, turn},
                                 {"matrix_csr", 3, rows},
                                 {"matrix_describe", 3, describe},
                                 {"matrix_destroy", 2, destroy},
                                 {NULL, 0, NULL}};
