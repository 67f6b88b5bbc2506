/* fewer.c: the option --ranks: how many of the processes solve. The others wait for the end. */
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/ranks.h"

/* The ranks from `used` on become idle; the others get a communicator of their own. */
static void split(ranks_run *r, int used)
{
    r->idle = r->rank >= used;
    MPI_Comm_split(MPI_COMM_WORLD, r->idle ? MPI_UNDEFINED : 0, r->rank, &r->comm);
    r->ranks = used;
}

int ranks_split(ranks_run *r)
{
    const char *word = r->args.ranks;
    char *end = "";
    long number;

    r->may_reduce =
        !r->args.info && (word ? strcmp(word, "auto") == 0 : ranks_is_open(r->args.solver));
    if (!word || strcmp(word, "auto") == 0 || strcmp(word, "all") == 0) return 0;
    number = strtol(word, &end, 10);
    if (!*word || *end || number < 1 || number > r->ranks) {
        return ranks_fail(r, "--ranks needs auto, all or a number from 1 to %d, not '%s'", r->ranks,
                          word);
    }
    if (number < r->ranks) split(r, (int)number);
    return 0;
}

/* The first entry of row i. */
static int64_t start_of(const gsolve_dist_csr *csr, int32_t i)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[i]
                                     : ((const int32_t *)csr->start)[i];
}

/* The rows of all entries; NULL: no memory. */
static int64_t *rows_of(const gsolve_dist_csr *csr, gsolve_context *ctx)
{
    int64_t *row;

    row = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)start_of(csr, csr->rows.count), sizeof *row);
    for (int32_t i = 0; row && i < csr->rows.count; i++) {
        for (int64_t k = start_of(csr, i); k < start_of(csr, i + 1); k++) {
            row[k] = csr->rows.first + i;
        }
    }
    return row;
}

/* Moves the rows of A to the first `used` ranks. */
static int move_rows(ranks_run *r, int used)
{
    const int64_t total = r->csr.rows.total;
    const gsolve_row_range rows = r->rank < used ? gsolve_row_range_even(total, r->rank, used)
                                                 : (gsolve_row_range){total, total, 0};
    int64_t *row = rows_of(&r->csr, r->ctx);
    gsolve_dist_csr moved = {0};
    int code = ranks_agree(r, row ? 0 : ranks_fail(r, "out of memory"));

    code = code || ranks_check(r, gsolve_dist_csr_assemble(&moved, r->ctx, rows,
                                                           start_of(&r->csr, r->csr.rows.count),
                                                           row, r->csr.col, r->csr.value));
    gsolve_free(r->ctx, GSOLVE_HOST, row);
    if (code) return code;
    gsolve_dist_csr_free(&r->csr, r->ctx);
    r->csr = moved;
    return 0;
}

/* Rank 0 decides: on another kind of processor an estimate could differ in its last bit. */
int ranks_reduce(ranks_run *r)
{
    const double begin = MPI_Wtime();
    int used = r->ranks;

    if (!r->may_reduce || r->ranks == 1 || r->csr.type != GSOLVE_F64 ||
        (r->csr.cols.total != 0 && r->csr.cols.total != r->csr.rows.total)) {
        return 0;
    }
    if (ranks_check(r, gsolve_dist_csr_statistics(r->ctx, &r->csr, &r->statistics))) return 1;
    if (!ranks_choose(r, 0)) return 0;
    used =
        gsolve_dist_ranks(r->ctx, &r->statistics, r->method, r->precond, r->fewer, sizeof r->fewer);
    MPI_Bcast(&used, 1, MPI_INT, 0, r->comm);
    if (used == r->ranks) return 0;
    if (move_rows(r, used)) return 1;
    r->whole = r->ctx;
    r->ctx = NULL;
    split(r, used);
    r->seconds.move = MPI_Wtime() - begin;
    return r->idle ? 0 : ranks_open_context(r);
}
