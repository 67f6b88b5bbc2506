/* dist_agree.c: what all ranks must know of a file and of its errors. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "io/dist.h"
#include "matrix/csr.h"

/* Whether the file or its name is at fault, not the rank. */
static bool is_of_file(gsolve_status status)
{
    return status == GSOLVE_BAD_FILE || status == GSOLVE_BAD_MATRIX || status == GSOLVE_UNSUPPORTED;
}

/* What a rank says about the file. It is sent by memory of the communicator. */
typedef struct verdict {
    int status;
    char sentence[GS_COMM_SENTENCE - sizeof(int)];
} verdict;

/* All ranks fail as the lowest rank for which the file is at fault. */
static gsolve_status fail_as_one(gs_comm *comm, gsolve_status local)
{
    verdict own = {(int)local, ""};
    const verdict *all = (const verdict *)comm->recv;
    gsolve_status status;

    snprintf(own.sentence, sizeof own.sentence, "%.*s", (int)sizeof own.sentence - 1,
             comm->ctx->error);
    memcpy(comm->send, &own, sizeof own);
    TRY(gs_comm_allgather(comm, comm->send, sizeof own, comm->recv));
    while (all->status == GSOLVE_OK) all++;
    status = gsolve_fail(comm->ctx, (gsolve_status)all->status, "%s", all->sentence);
    comm->ctx->agreed = status;
done:
    return status;
}

gsolve_status gs_check_file(gs_comm *comm, gsolve_status local)
{
    bool at_fault = is_of_file(local);
    int64_t before, faults;
    gsolve_status status;

    if (!comm || comm->broken || (local != GSOLVE_OK && local == comm->ctx->agreed)) return local;
    TRY(gs_comm_defer(comm, at_fault ? GSOLVE_OK : local));
    TRY(gs_comm_place(comm, at_fault, &before, &faults));
    if (faults > 0) status = fail_as_one(comm, at_fault ? local : GSOLVE_OK);
done:
    return status;
}

gsolve_status gs_agree(bool *all, gsolve_context *ctx, bool own)
{
    int64_t before, without;
    gsolve_status status;

    TRY(gs_comm_place(ctx->comm, !own, &before, &without));
    *all = without == 0;
done:
    return status;
}

gsolve_status gs_same_name(gsolve_context *ctx, const char *name)
{
    return gs_comm_same(ctx->comm, gs_hash(ctx, name, strlen(name), 0),
                        "the names of the file or generator");
}

gsolve_status gs_share(gs_comm *comm, void *data, size_t bytes)
{
    char *at = data;
    gsolve_status status = GSOLVE_OK;

    while (comm && bytes > 0) { /* as much at a time as the communicator's memory holds */
        const size_t some =
            bytes < GS_COMM_NUMBERS * sizeof(double) ? bytes : GS_COMM_NUMBERS * sizeof(double);
        memcpy(comm->send, at, some);
        TRY(gs_comm_allgather(comm, comm->send, some, comm->recv));
        memcpy(at, comm->recv, some);
        at += some;
        bytes -= some;
    }
done:
    return status;
}
