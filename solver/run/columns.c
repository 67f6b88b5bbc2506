/* columns.c: columns that have ended are moved behind the active ones.
 *
 * A move swaps all arrays that two columns have on the device, so that products and preconditioners
 * work on the first k->wide columns alone. b and x stay where they are. A move costs twice the
 * traffic of the column's vectors, which is at most that of two steps. Where steps are recorded as
 * a graph, a move makes a new recording necessary; then columns move only once a quarter of them
 * has ended. */
#include "solver/run/run.h"

#include "core/try.h"

/* --- work space ------------------------------------------------------------------------------- */

gsolve_status gs_columns_reserve(gs_krylov *k)
{
    gs_columns *columns = &k->run->columns;
    const gs_columns_kernels *kernels = columns->kernels;
    void *queue, *space, *all_ended;
    gsolve_status status;

    if (k->width == 1 || !kernels->open) return GSOLVE_OK;
    TRY(gs_new_work(k, GSOLVE_HOST, 1, kernels->queue_size, &queue));
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, kernels->space_size, &space));
    TRY(gs_new_work(k, GSOLVE_DEVICE, 1, sizeof *columns->all_ended, &all_ended));
    if (gs_is_counting(k)) return GSOLVE_OK;
    TRY(kernels->open(k->ctx->queue, queue, space));
    columns->batch = queue;
    columns->all_ended = all_ended;
done:
    return status;
}

/* --- the recording of steps ------------------------------------------------------------------- */

void gs_forget_graph(gs_krylov *k)
{
    gs_recording *r = &k->run->recording;

    if (r->graph) k->ctx->device->forget(r->graph);
    r->graph = NULL;
}

/* --- places ----------------------------------------------------------------------------------- */

void gs_columns_widen(gs_krylov *k)
{
    k->wide = k->ncols;
}

void gs_columns_begin(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols; c++) k->run->order[c] = c;
    k->wide = k->ncols;
}

int32_t gs_rhs_of_column(const gs_krylov *k, int32_t c)
{
    return k->run->order[c];
}

gsolve_dense gs_operand_column(const gs_krylov *k, gsolve_dense v, int32_t c)
{
    const bool stays = v.value == k->x.value || v.value == k->b.value;

    return gs_column_of(v, stays ? k->run->order[c] : c);
}

#define SWAP(type, a, b)     \
    do {                     \
        const type kept = a; \
        a = b;               \
        b = kept;            \
    } while (0)

static void swap_on_host(gs_krylov *k, int32_t c, int32_t d)
{
    struct gs_run *run = k->run;

    SWAP(int32_t, run->order[c], run->order[d]);
    SWAP(gs_progress, run->fetched[c], run->fetched[d]);
    SWAP(gs_column, run->column[c], run->column[d]);
    SWAP(bool, k->active[c], k->active[d]);
    SWAP(bool, run->in_round[c], run->in_round[d]);
}

static gsolve_status swap(gs_krylov *k, int32_t c, int32_t d)
{
    const gs_work *work = &k->run->work;
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < work->nmoving; i++) {
        const gs_moving *m = &work->moving[i];
        uint32_t *first = m->first;
        TRY(k->run->columns.kernels->swap(k->ctx->queue, m->words, first + c * m->words,
                                          first + d * m->words));
    }
    swap_on_host(k, c, d);
done:
    return status;
}

/* False where the method has state on the host, the run is resident, or a method runs this solver
 * and may continue with its search directions. */
static bool can_move(const gs_krylov *k)
{
    return !k->run->resident.on && !k->inner && k->period > 0;
}

gsolve_status gs_columns_compact(gs_krylov *k)
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

bool gs_columns_should_compact(const gs_krylov *k, int64_t j)
{
    const gs_method *method = k->method;
    const bool may = method->may_move ? method->may_move(k, j) : !method->couples_columns;
    const int32_t least = k->ctx->device->record ? k->wide / 4 : 1;
    int32_t ended = 0;

    for (int32_t c = 0; c < k->wide; c++) ended += !k->active[c];
    return ended > 0 && ended >= least && ended < k->wide && may && can_move(k);
}

void gs_columns_end(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->run->order[c] != c) gs_forget_graph(k); /* it uses columns of x in this order */
        while (k->run->order[c] != c) swap_on_host(k, c, k->run->order[c]);
    }
    k->wide = k->ncols;
}

gsolve_status gs_columns_test_ended(gs_krylov *k)
{
    const gs_columns *columns = &k->run->columns;

    if (!columns->all_ended || k->wide == 1) return GSOLVE_OK;
    return columns->kernels->all_ended(k->ctx->queue, k->wide, k->ended, columns->all_ended);
}
