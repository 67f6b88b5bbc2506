/* columns.c: columns that have ended make room. All that a column has on the device trades places
 * with what the last active one has, so that products are made of the first k->wide columns alone;
 * b and x stay where they are. A move costs twice the traffic of the column's vectors, once, and so
 * no more than one or two steps; where steps are recorded they are recorded anew, and a quarter of
 * the columns moves at a time. */
#include "core/try.h"
#include "solver/method.h"

void gs_columns_begin(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols; c++) k->order[c] = c;
    k->wide = k->ncols;
}

#define SWAP(type, a, b)     \
    do {                     \
        const type kept = a; \
        a = b;               \
        b = kept;            \
    } while (0)

static void swap_on_host(gs_krylov *k, int32_t c, int32_t d)
{
    SWAP(int32_t, k->order[c], k->order[d]);
    SWAP(gs_progress, k->seen[c], k->seen[d]);
    SWAP(gs_column, k->column[c], k->column[d]);
    SWAP(bool, k->active[c], k->active[d]);
    SWAP(bool, k->round[c], k->round[d]);
}

static gsolve_status swap(gs_krylov *k, int32_t c, int32_t d)
{
    gsolve_status status;

    for (int i = 0; i < k->nmoving; i++) {
        const struct gs_moving *m = &k->moving[i];
        uint32_t *first = m->first;
        TRY(k->columns->swap(k->ctx->queue, m->words, first + c * m->words, first + d * m->words));
    }
    swap_on_host(k, c, d);
done:
    return k->nmoving ? status : GSOLVE_OK;
}

/* Not where a method has state on the host, runs on a chip, or is to keep its directions for
 * another run. */
static bool can_move(const gs_krylov *k)
{
    return !k->on_chip && !k->within && gs_period(k) > 0;
}

gsolve_status gs_columns_move_up(gs_krylov *k)
{
    int32_t first = 0, last = k->ncols - 1;
    gsolve_status status = GSOLVE_OK;

    k->wide = k->ncols;
    if (!can_move(k)) return GSOLVE_OK;
    while (true) {
        while (first < k->ncols && k->active[first]) first++;
        while (last >= 0 && !k->active[last]) last--;
        if (first > last) break;
        gs_forget_graph(k);
        TRY(swap(k, first, last));
    }
    k->wide = first > 0 ? first : 1;
done:
    return status;
}

bool gs_columns_due(const gs_krylov *k, int64_t j)
{
    const gs_method *method = k->method;
    const bool can = method->settled ? method->settled(k, j) : !method->whole;
    const int32_t least = k->ctx->device->record ? k->wide / 4 : 1;
    int32_t ended = 0;

    for (int32_t c = 0; c < k->wide; c++) ended += !k->active[c];
    return ended > 0 && ended >= least && ended < k->wide && can && can_move(k);
}

void gs_columns_end(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->order[c] != c) gs_forget_graph(k); /* it moves columns of x in this order */
        while (k->order[c] != c) swap_on_host(k, c, k->order[c]);
    }
    k->wide = k->ncols;
}

gsolve_status gs_columns_test_ended(gs_krylov *k)
{
    if (!k->all_ended || k->wide == 1) return GSOLVE_OK;
    return k->columns->all_ended(k->ctx->queue, k->wide, k->ended, k->all_ended);
}

gsolve_dense gs_place_of(const gs_krylov *k, gsolve_dense v, int32_t c)
{
    const bool stays = v.value == k->x.value || v.value == k->b.value;

    return gs_column_of(v, stays ? k->order[c] : c);
}
