/* dist_triplets.c: sends the entries of a file to the ranks of their rows. The ranks first count
 * entries in ranges of rows of equal size, the buckets, and divide the buckets so that each rank
 * gets about equally many entries. Entries stay in the order of the file. */
#include <omp.h>
#include <string.h>

#include "core/try.h"
#include "dist/pieces.h"
#include "io/dist.h"
#include "matrix/csr.h"
#include "vector/blocks.h"

#define MAX_BUCKETS 4096
#define MAX_ROWS    ((int64_t)1 << 18) /* that are counted one by one */

typedef struct sending {
    const gs_triplets *t;
    int64_t count;  /* triplets of this rank */
    double mirror;  /* the factor of mirrored values; 0: no entry is mirrored */
    bool sorted;    /* no entry is mirrored, and rows ascend: the triplets are sent as they are */
    int chunks;     /* of the triplets, for threads */
    int ranks, own; /* own: the number of this rank */
    int shift;      /* row i is in the bucket i >> shift */
    int buckets;
    int64_t *counts;   /* chunks x buckets: entries */
    double *total;     /* entries in each bucket, of all ranks */
    int *cut;          /* the number of each bucket among those that are cut, or -1 */
    double *fine;      /* entries in each row of the buckets that are cut */
    int *owner;        /* the rank of the first row of each bucket */
    int64_t *row;      /* ranks + 1: the first row of each rank */
    int64_t *next;     /* chunks x ranks: the position of the chunk's next entry for a rank */
    gs_triplets to[2]; /* the entries for other ranks; those of this rank */
} sending;

static int64_t first_of_chunk(const sending *s, int chunk)
{
    return s->count / s->chunks * chunk + s->count % s->chunks * chunk / s->chunks;
}

/* --- who gets which rows ---------------------------------------------------------------------- */

static void count_chunk(const sending *s, int chunk)
{
    int64_t *counts = s->counts + (int64_t)chunk * s->buckets;
    const int64_t end = first_of_chunk(s, chunk + 1);

    memset(counts, 0, (size_t)s->buckets * sizeof *counts);
    for (int64_t k = first_of_chunk(s, chunk); k < end; k++) counts[s->t->i[k] >> s->shift]++;
    if (s->mirror == 0) return;
    for (int64_t k = first_of_chunk(s, chunk); k < end; k++) {
        counts[s->t->j[k] >> s->shift] += s->t->i[k] != s->t->j[k];
    }
}

/* s->total = the entries of all ranks in each bucket. */
static gsolve_status count_buckets(sending *s, gsolve_context *ctx)
{
#pragma omp parallel for schedule(static, 1) num_threads(s->chunks)
    for (int c = 0; c < s->chunks; c++) count_chunk(s, c);
    for (int b = 0; b < s->buckets; b++) {
        s->total[b] = 0;
        for (int c = 0; c < s->chunks; c++) {
            s->total[b] += (double)s->counts[(int64_t)c * s->buckets + b];
        }
    }
    return gs_comm_sum_on_host(ctx->comm, s->total, s->buckets);
}

static inline void count_fine(const sending *s, int32_t i)
{
    const int cut = s->cut[i >> s->shift];

    if (cut < 0) return;
#pragma omp atomic
    s->fine[((int64_t)cut << s->shift) + (i & ((1 << s->shift) - 1))]++;
}

/* s->fine = the entries of all ranks in each row of the buckets that are cut. */
static gsolve_status count_rows(sending *s, gsolve_context *ctx, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) s->fine[i] = 0;
#pragma omp parallel for schedule(static) num_threads(s->chunks)
    for (int64_t k = 0; k < s->count; k++) {
        count_fine(s, s->t->i[k]);
        if (s->mirror != 0 && s->t->i[k] != s->t->j[k]) count_fine(s, s->t->j[k]);
    }
    return gs_comm_sum_on_host(ctx->comm, s->fine, (int)rows);
}

/* The first row of bucket b that begins at entry `first` or later, or the row after the bucket.
 * before: entries before the bucket. */
static int64_t row_in_bucket(const sending *s, int b, double before, int64_t first)
{
    const double *count = s->fine + ((int64_t)s->cut[b] << s->shift);
    int64_t i = 0;

    while (i < (int64_t)1 << s->shift && (int64_t)before < first) before += count[i++];
    return ((int64_t)b << s->shift) + i;
}

/* s->row = the first row of each rank, which begins at its share of the entries or later. fine:
 * else a row after it that begins a bucket; s->cut are then the buckets in which these rows are.
 * Returns the number of such buckets. */
static int divide(sending *s, int64_t nrows, bool fine)
{
    double all = 0, before = 0;
    int rank = 1, cuts = 0;

    s->row[0] = 0;
    for (int b = 0; b < s->buckets; b++) all += s->total[b];
    for (int b = 0; b < s->buckets; b++) {
        const double end = before + s->total[b];
        bool is_cut = false;
        for (; rank < s->ranks; rank++) {
            const int64_t first = gs_first_entry((int64_t)all, rank, s->ranks);
            if ((int64_t)end < first) break;
            is_cut = is_cut || (int64_t)before < first;
            s->row[rank] = ((int64_t)b + ((int64_t)before < first)) << s->shift;
            if (fine) s->row[rank] = row_in_bucket(s, b, before, first);
            if (s->row[rank] > nrows) s->row[rank] = nrows;
        }
        if (!fine) s->cut[b] = is_cut ? cuts++ : -1;
        before = end;
    }
    while (rank <= s->ranks) s->row[rank++] = nrows;
    return cuts;
}

/* Divides the rows by the numbers of their entries, duplicates included: exactly, unless the rows
 * of the buckets that are cut are too many to be counted one by one. */
static gsolve_status assign_rows(sending *s, gsolve_context *ctx, int64_t nrows)
{
    int64_t rows;
    gsolve_status status;

    TRY(count_buckets(s, ctx));
    rows = (int64_t)divide(s, nrows, false) << s->shift;
    if (rows > 0 && rows <= MAX_ROWS) {
        s->fine = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)rows, sizeof *s->fine);
        TRY(gs_comm_check(ctx->comm, s->fine ? GSOLVE_OK : GSOLVE_NO_MEMORY));
        TRY(count_rows(s, ctx, rows));
        divide(s, nrows, true);
    }
done:
    return status;
}

static void assign_buckets(sending *s)
{
    int rank = 0;

    for (int b = 0; b < s->buckets; b++) {
        while (s->row[rank + 1] <= (int64_t)b << s->shift) rank++;
        s->owner[b] = rank;
    }
}

/* --- the entries ------------------------------------------------------------------------------ */

static inline int owner_of(const sending *s, int32_t i)
{
    int rank = s->owner[i >> s->shift];

    while (i >= s->row[rank + 1]) rank++;
    return rank;
}

/* s->next = the entries of a chunk for each rank. */
static void count_for_ranks(const sending *s, int chunk)
{
    int64_t *next = s->next + (int64_t)chunk * s->ranks;
    const int64_t end = first_of_chunk(s, chunk + 1);

    memset(next, 0, (size_t)s->ranks * sizeof *next);
    for (int64_t k = first_of_chunk(s, chunk); k < end; k++) {
        next[owner_of(s, s->t->i[k])]++;
        if (s->mirror != 0 && s->t->i[k] != s->t->j[k]) next[owner_of(s, s->t->j[k])]++;
    }
}

/* s->next: from numbers of entries to positions, by rank and then by chunk. */
static void count_to_positions(sending *s, const gs_pieces *p)
{
    for (int r = 0; r < s->ranks; r++) {
        int64_t at = r == s->own ? p->in[r] : p->out[r];
        for (int c = 0; c < s->chunks; c++) {
            int64_t *next = &s->next[(int64_t)c * s->ranks + r];
            const int64_t count = *next;
            *next = at;
            at += count;
        }
    }
}

/* The first triplet of this row or a later one. */
static int64_t first_of_row(const sending *s, int64_t row)
{
    int64_t low = 0, high = s->count;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->t->i[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static gsolve_status assign_positions(sending *s, gs_pieces *p, gsolve_context *ctx)
{
    int64_t own;
    gsolve_status status;

    if (s->sorted) {
        for (int r = 0; r <= s->ranks; r++) p->out[r] = first_of_row(s, s->row[r]);
        return gs_pieces_count(p, ctx);
    }
#pragma omp parallel for schedule(static, 1) num_threads(s->chunks)
    for (int c = 0; c < s->chunks; c++) count_for_ranks(s, c);
    p->out[0] = 0;
    for (int r = 0; r < s->ranks; r++) {
        p->out[r + 1] = p->out[r];
        for (int c = 0; c < s->chunks; c++) p->out[r + 1] += s->next[(int64_t)c * s->ranks + r];
    }
    TRY(gs_pieces_count(p, ctx));
    own = p->out[s->own + 1] - p->out[s->own]; /* they stay here */
    for (int r = s->own + 1; r <= s->ranks; r++) p->out[r] -= own;
    count_to_positions(s, p);
done:
    return status;
}

static inline void place(const sending *s, int64_t *next, int32_t i, int32_t j, double v)
{
    const int rank = owner_of(s, i);
    const gs_triplets *to = &s->to[rank == s->own];
    const int64_t at = next[rank]++;

    to->i[at] = i;
    to->j[at] = j;
    if (to->v) to->v[at] = v;
}

static void place_chunk(const sending *s, int chunk)
{
    int64_t *next = s->next + (int64_t)chunk * s->ranks;
    const int64_t end = first_of_chunk(s, chunk + 1);
    const gs_triplets *t = s->t;

    for (int64_t k = first_of_chunk(s, chunk); k < end; k++) {
        const double v = t->v ? t->v[k] : 1;
        place(s, next, t->i[k], t->j[k], v);
        if (s->mirror != 0 && t->i[k] != t->j[k]) {
            place(s, next, t->j[k], t->i[k], s->mirror * v);
        }
    }
}

static gsolve_status new_triplets(gs_triplets *t, gsolve_context *ctx, int64_t count, bool values)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t->i, count);
    ALLOC(ctx, GSOLVE_HOST, t->j, count);
    if (values) ALLOC(ctx, GSOLVE_HOST, t->v, count);
done:
    return status;
}

/* s->to[1] = the entries of this rank's rows, of all ranks; the rows are counted from its first
 * one. Frees t. */
static gsolve_status exchange(sending *s, gs_pieces *p, gsolve_context *ctx, gs_triplets *t)
{
    const bool values = t->v != NULL;
    const int32_t first = (int32_t)s->row[s->own];
    gs_triplets *out = s->sorted ? t : &s->to[0], *in = &s->to[1];
    gsolve_status status = new_triplets(in, ctx, p->in[s->ranks], values);

    if (status == GSOLVE_OK && !s->sorted) {
        status = new_triplets(out, ctx, p->out[s->ranks], values);
    }
    TRY(gs_comm_check(ctx->comm, status));
    if (!s->sorted) {
#pragma omp parallel for schedule(static, 1) num_threads(s->chunks)
        for (int c = 0; c < s->chunks; c++) place_chunk(s, c);
        gs_triplets_free(t, ctx);
    }
    TRY(gs_pieces_move(p, ctx->comm, sizeof *in->i, out->i, in->i));
    TRY(gs_pieces_move(p, ctx->comm, sizeof *in->j, out->j, in->j));
    if (values) TRY(gs_pieces_move(p, ctx->comm, sizeof *in->v, out->v, in->v));
#pragma omp parallel for simd schedule(static) num_threads(s->chunks)
    for (int64_t k = 0; k < p->in[s->ranks]; k++) in->i[k] -= first;
done:
    gs_triplets_free(out, ctx);
    return status;
}

static bool rows_ascend(const sending *s)
{
    int descents = 0;

#pragma omp parallel for simd schedule(static) num_threads(s->chunks) reduction(| : descents)
    for (int64_t k = 1; k < s->count; k++) descents |= s->t->i[k] < s->t->i[k - 1];
    return !descents;
}

static gsolve_status new_sending(sending *s, gsolve_context *ctx, const gs_market *m,
                                 const gs_triplets *t, int64_t count)
{
    gsolve_status status;

    *s = (sending){.t = t, .count = count, .own = ctx->comm ? ctx->comm->rank : 0};
    s->ranks = gs_comm_ranks(ctx->comm);
    s->mirror = m->symmetry == GSOLVE_GENERAL ? 0 : m->symmetry == GSOLVE_SKEW ? -1 : 1;
    s->chunks = gs_threads_for(count, gsolve_threads(ctx));
    s->sorted = s->mirror == 0 && rows_ascend(s);
    while ((m->nrows - 1) >> s->shift >= MAX_BUCKETS) s->shift++;
    s->buckets = m->nrows > 0 ? ((m->nrows - 1) >> s->shift) + 1 : 0;
    ALLOC(ctx, GSOLVE_HOST, s->counts, s->chunks * s->buckets);
    ALLOC(ctx, GSOLVE_HOST, s->total, s->buckets);
    ALLOC(ctx, GSOLVE_HOST, s->cut, s->buckets);
    ALLOC(ctx, GSOLVE_HOST, s->owner, s->buckets);
    ALLOC(ctx, GSOLVE_HOST, s->row, s->ranks + 1);
    ALLOC(ctx, GSOLVE_HOST, s->next, s->chunks * s->ranks);
done:
    return status;
}

static void drop_sending(sending *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, s->counts);
    gsolve_free(ctx, GSOLVE_HOST, s->total);
    gsolve_free(ctx, GSOLVE_HOST, s->cut);
    gsolve_free(ctx, GSOLVE_HOST, s->fine);
    gsolve_free(ctx, GSOLVE_HOST, s->owner);
    gsolve_free(ctx, GSOLVE_HOST, s->row);
    gsolve_free(ctx, GSOLVE_HOST, s->next);
    gs_triplets_free(&s->to[0], ctx);
    gs_triplets_free(&s->to[1], ctx);
}

/* *duplicates: over all ranks. own: the entries of this rank that were added to another one, after
 * mirroring. row: the number of A's first row. */
static gsolve_status count_duplicates(int64_t *duplicates, gsolve_context *ctx, const gs_market *m,
                                      const gsolve_csr *A, int64_t row, int64_t own)
{
    int64_t before, stored;
    gsolve_status status;

    TRY(gs_comm_place(ctx->comm, own, &before, duplicates));
    if (*duplicates == 0 || m->symmetry == GSOLVE_GENERAL) return GSOLVE_OK;
    stored = gs_count_stored(ctx, A, row, m->symmetry);
    TRY(gs_comm_place(ctx->comm, stored, &before, &stored));
    *duplicates = m->entries - stored;
done:
    return status;
}

gsolve_status gs_assemble_dist(gsolve_csr *A, gsolve_context *ctx, const gs_market *m,
                               gs_triplets *t, int64_t count, const int64_t *first,
                               int64_t *duplicates)
{
    sending s;
    gs_pieces p = {0};
    int64_t own = 0;
    gsolve_status status = new_sending(&s, ctx, m, t, count);

    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_pieces_new(&p, ctx));
    if (first) {
        memcpy(s.row, first, ((size_t)s.ranks + 1) * sizeof *first);
    } else {
        TRY(assign_rows(&s, ctx, m->nrows));
    }
    assign_buckets(&s);
    TRY(assign_positions(&s, &p, ctx));
    TRY(exchange(&s, &p, ctx, t));
    TRY(gs_comm_check(ctx->comm,
                      gs_assemble(A, ctx, (int32_t)(s.row[s.own + 1] - s.row[s.own]), m->ncols,
                                  p.in[s.ranks], &s.to[1], GSOLVE_GENERAL, &own)));
    TRY(count_duplicates(duplicates, ctx, m, A, s.row[s.own], own));
done:
    gs_pieces_drop(&p, ctx);
    drop_sending(&s, ctx);
    gs_triplets_free(t, ctx);
    return status;
}
