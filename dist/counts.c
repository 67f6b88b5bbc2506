/* counts.c: an all-to-all exchange of one number for each pair of ranks, by the algorithm of Bruck
 * et al. (1997). The number from rank r for rank r + i travels i ranks on: in round k by 2^k ranks,
 * if bit k of i is set. */
#include "dist/counts.h"

#include "core/try.h"

/* The numbers that travel in a round, in the order of i. Returns how many there are. */
static int collect(int ranks, int bit, const int64_t *number, int64_t *out)
{
    int count = 0;

    for (int i = 0; i < ranks; i++) {
        if (i & bit) out[count++] = number[i];
    }
    return count;
}

static void store(int ranks, int bit, const int64_t *in, int64_t *number)
{
    for (int i = 0, k = 0; i < ranks; i++) {
        if (i & bit) number[i] = in[k++];
    }
}

/* number[i] = that for rank + i; then that from rank - i. out and in: ranks numbers each. */
static gsolve_status rounds(gs_comm *comm, int64_t *number, int64_t *out, int64_t *in)
{
    const int ranks = comm->ranks;
    gsolve_status status = GSOLVE_OK;

    for (int bit = 1; bit < ranks; bit *= 2) {
        const int to = (comm->rank + bit) % ranks, from = (comm->rank + ranks - bit) % ranks;
        const size_t offset[] = {0, (size_t)collect(ranks, bit, number, out) * sizeof *out};
        const gsolve_messages sent = {1, &to, offset, out}, received = {1, &from, offset, in};
        TRY(gs_comm_exchange(comm, &sent, &received));
        store(ranks, bit, in, number);
    }
done:
    return status;
}

gsolve_status gs_comm_exchange_counts(gs_comm *comm, int64_t *number)
{
    const int ranks = gs_comm_ranks(comm);
    int64_t *rotated = NULL;
    gsolve_status status;

    if (!comm) return GSOLVE_OK;
    rotated = gsolve_alloc(comm->ctx, GSOLVE_HOST, 3 * (size_t)ranks, sizeof *rotated);
    TRY(gs_comm_check(comm, rotated ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int i = 0; i < ranks; i++) rotated[i] = number[(comm->rank + i) % ranks];
    TRY(rounds(comm, rotated, rotated + ranks, rotated + 2 * (int64_t)ranks));
    for (int i = 0; i < ranks; i++) number[(comm->rank + ranks - i) % ranks] = rotated[i];
done:
    gsolve_free(comm->ctx, GSOLVE_HOST, rotated);
    return status;
}
