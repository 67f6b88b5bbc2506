/* partition.c: the option --partition, and the command info over several ranks. */
#include <mpi.h>

#include "cli/ranks/ranks.h"
#include "cli/streams.h"

int ranks_partition(ranks_run *r)
{
    const double begin = MPI_Wtime();
    gsolve_dist_csr moved;

    r->given = r->csr.rows;
    if (r->args.partition) {
        if (r->csr.cols.total != 0 && r->csr.cols.total != r->csr.rows.total) {
            return ranks_fail(
                r, "--partition needs a square matrix; %s is %lld x %lld, so leave --partition out",
                cli_input_words(r->args.matrix), (long long)r->csr.rows.total,
                (long long)r->csr.cols.total);
        }
        if (ranks_check(r, gsolve_redistribution_create(&r->R, r->ctx, r->args.partition, &r->csr,
                                                        &moved))) {
            return 1;
        }
        gsolve_dist_csr_free(&r->csr, r->whole ? r->whole : r->ctx);
        r->csr = moved;
        r->seconds.partition = MPI_Wtime() - begin;
    }
    if (!r->args.partition && !r->args.info) return 0;
    return ranks_check(r, gsolve_dist_csr_division(r->ctx, &r->csr, &r->division));
}

int ranks_move(ranks_run *r, gsolve_dense *v, bool back)
{
    gsolve_dense moved;
    int code;

    if (!r->R) return 0;
    code = ranks_new_vector(r, &moved, back ? r->given.count : r->csr.rows.count, v->ncols);
    code = code || ranks_check(r, gsolve_redistribution_apply(r->R, back, *v, moved));
    gsolve_dense_free(v, r->ctx);
    *v = moved;
    return code;
}

/* --- info ------------------------------------------------------------------------------------- */

/* a / b, or 0. */
static double ratio(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

void ranks_print_info(const ranks_run *r, FILE *to)
{
    gsolve_context_info ctx = GSOLVE_INIT(gsolve_context_info);
    const gsolve_division_info *d = &r->division;

    gsolve_context_describe(r->ctx, &ctx);
    fprintf(to, "matrix      %s, %lld x %lld, %lld entries\n", cli_input_words(r->args.matrix),
            (long long)d->rows, (long long)r->csr.cols.total, (long long)d->entries);
    fprintf(to, "ranks       %d", r->ranks);
    if (r->ranks < r->started) fprintf(to, " of %d", r->started);
    fprintf(to, " by %s\n", ctx.transport);
    if (r->R) fprintf(to, "partition   %s\n", gsolve_redistribution_name(r->R));
    fprintf(to, "rows        at most %lld on a rank, %.2f of the mean\n", (long long)d->most_rows,
            ratio(d->most_rows * r->ranks, d->rows));
    fprintf(to, "entries     at most %lld on a rank, %.2f of the mean\n",
            (long long)d->most_entries, ratio(d->most_entries * r->ranks, d->entries));
    fprintf(to, "ghosts      %lld = %.1f %% of the rows; at most %lld on a rank\n",
            (long long)d->ghosts, 100 * ratio(d->ghosts, d->rows), (long long)d->most_ghosts);
    fprintf(to, "edge cut    %lld entries = %.1f %%, in columns of other ranks\n",
            (long long)d->cut, 100 * ratio(d->cut, d->entries));
    fprintf(to, "neighbours  at most %d of a rank\n", d->most_neighbours);
}
