/* context.c: gsolve_context_create_mpi. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/transport.h"

static _Thread_local char error[600]; /* of this thread's last failed create */

const char *gsolve_mpi_error(void)
{
    return error;
}

static gsolve_status refuse(gsolve_status status, const char *sentence)
{
    snprintf(error, sizeof error, "%s", sentence);
    return status;
}

/* --- the spec --------------------------------------------------------------------------------- */

/* Copies `spec` to `device` without the key timeout, whose value is stored. Whether it fits. */
static bool read_spec(const char *spec, char *device, size_t size, double *timeout)
{
    size_t at = 0;

    *timeout = 0;
    for (const char *from = spec; *from;) {
        const size_t length = strcspn(from, ",");
        const char *word = from + strspn(from, " ");
        char *end;
        if (strncmp(word, "timeout=", 8) == 0) {
            *timeout = strtod(word + 8, &end);
            end += strspn(end, " ");
            if (end != from + length || !(*timeout >= 0) || !isfinite(*timeout)) return false;
        } else {
            const bool automatic = at == 0 && strncmp(word, "auto", 4) == 0;
            const char *text = automatic ? word + 4 : from;
            const int rest = (int)(from + length - text);
            at += (size_t)snprintf(device + at, size - at, "%s%s%.*s", at ? "," : "",
                                   automatic ? "cpu" : "", rest, text);
            if (at >= size) return false;
        }
        from += length + (from[length] == ',');
    }
    return true;
}

/* --- what the ranks of a host share: processors and GPUs -------------------------------------- */

typedef struct host {
    MPI_Comm comm; /* of the ranks of this host */
    int rank, ranks;
} host;

static gsolve_status find_host(host *h, MPI_Comm comm)
{
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &h->comm) !=
        MPI_SUCCESS) {
        return refuse(GSOLVE_RANK_FAILED, "MPI_Comm_split_type failed");
    }
    MPI_Comm_rank(h->comm, &h->rank);
    MPI_Comm_size(h->comm, &h->ranks);
    return GSOLVE_OK;
}

static bool is_cuda(const char *device)
{
    device += strspn(device, " ");
    return strncmp(device, "cuda", 4) == 0 && strchr(", ", device[4]);
}

/* Adds the key threads if the ranks of this host may use the same processors: `all`, as many as a
 * context takes by itself. They do if all of them together take more than the host has; ranks that
 * are bound to different processors do not. On a GPU the threads are those of work on the host.
 * *crowded: the host has more ranks than processors. */
static void divide_processors(char *device, size_t size, const host *h, bool *crowded)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const bool cuda = is_cuda(device);
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_context *probe = NULL;
    int sum = 0;
    const gsolve_status status = gsolve_context_create(&probe, cuda ? "cpu" : device);
    const size_t length = strlen(device);

    if (status == GSOLVE_OK) gsolve_context_describe(probe, &info);
    gsolve_context_destroy(&probe);
    MPI_Allreduce(&info.threads, &sum, 1, MPI_INT, MPI_SUM, h->comm);
    *crowded = h->ranks > processors;
    if (status != GSOLVE_OK || strstr(device, "threads")) return;
    if (cuda || (sum > processors && info.threads > 1)) {
        const int share = sum > processors ? info.threads / h->ranks : info.threads;
        snprintf(device + length, size - length, ",threads=%d", share > 0 ? share : 1);
    }
}

/* Whether each rank of a host takes a GPU of its own. */
static bool divides_gpus(const char *device)
{
    return is_cuda(device) && !strstr(device, "index");
}

/* Fails unless all ranks do, or none. */
static gsolve_status check_devices(const char *device, MPI_Comm comm, int ranks)
{
    const int own = divides_gpus(device);
    int sum = 0;

    if (MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS) {
        return refuse(GSOLVE_RANK_FAILED, "MPI_Allreduce failed");
    }
    if (sum == 0 || sum == ranks) return GSOLVE_OK;
    return refuse(GSOLVE_BAD_ARGUMENT, "the ranks name different devices; pass the same spec of "
                                       "the context on all ranks");
}

/* gsolve_context_create. On a GPU whose index the spec does not name: rank r of the host takes GPU
 * r; if there are fewer GPUs than ranks, the ranks that found none share them. */
static gsolve_status create_context(gsolve_context **ctx, const char *device, const host *h)
{
    char spec[300];
    gsolve_status status;
    int found, all;

    if (!divides_gpus(device)) return gsolve_context_create(ctx, device);
    snprintf(spec, sizeof spec, "%s,index=%d", device, h->rank);
    status = gsolve_context_create(ctx, spec);
    found = status == GSOLVE_OK;
    MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_SUM, h->comm);
    if (status != GSOLVE_NO_DEVICE || all == 0) return status;
    snprintf(spec, sizeof spec, "%s,index=%d", device, h->rank % all);
    return gsolve_context_create(ctx, spec);
}

/* --- the launcher ----------------------------------------------------------------------------- */

/* The number in an environment variable; 0: it is not set. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? atoi(text) : 0;
}

/* The number of processes that the launcher of this one has started, as far as the environment
 * says: mpirun of Open MPI, mpirun of MPICH and others with PMI, or srun. 0: not known. */
static int launched(void)
{
    const int open_mpi = number_of("OMPI_COMM_WORLD_SIZE"), pmi = number_of("PMI_SIZE");

    if (open_mpi > 0 || pmi > 0) return open_mpi > 0 ? open_mpi : pmi;
    return getenv("PMIX_RANK") || getenv("PMI_FD") ? number_of("SLURM_NTASKS") : 0;
}

/* Fails if this process is one of several, and MPI does not know the others: then the launcher is
 * that of another MPI, and each process would solve a system of its own. */
static gsolve_status check_launcher(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int ranks = 0, length = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 1 || launched() < 2) return GSOLVE_OK;
    MPI_Get_library_version(version, &length);
    snprintf(error, sizeof error,
             "%d processes were started, but MPI finds only this one: the launcher does not belong "
             "to the MPI that gsolve was built for (%.*s); use the mpirun of that MPI, or build "
             "gsolve for the launcher's MPI",
             launched(), (int)strcspn(version, ",\n"), version);
    return GSOLVE_UNSUPPORTED;
}

/* --- create ----------------------------------------------------------------------------------- */

/* What a rank does alone, except that the ranks of a host divide its GPUs. */
static gsolve_status create_alone(gsolve_context **ctx, const char *device, const host *h,
                                  MPI_Comm comm, double timeout, bool crowded, gs_mpi **self)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    const gsolve_status status = create_context(ctx, device, h);
    int level = MPI_THREAD_SINGLE;

    if (status != GSOLVE_OK) return refuse(status, gsolve_error(NULL));
    gsolve_context_describe(*ctx, &info);
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED && info.threads > 1) {
        return refuse(GSOLVE_UNSUPPORTED,
                      "MPI was initialised for one thread, and the context has more; call "
                      "MPI_Init_thread with MPI_THREAD_FUNNELED, or create the context with "
                      "\"threads=1\"");
    }
    return gs_mpi_open(self, comm, timeout, crowded) ? GSOLVE_OK
                                                     : refuse(GSOLVE_NO_MEMORY, "out of memory");
}

/* The status and the sentence of the lowest rank that failed, on all ranks. */
static gsolve_status agree(gsolve_status status, MPI_Comm comm, int rank, int ranks)
{
    int first = status == GSOLVE_OK ? ranks : rank, lowest, worst = status;
    char sentence[sizeof error - 40];

    if (MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) {
        return refuse(GSOLVE_RANK_FAILED, "MPI_Allreduce failed");
    }
    if (lowest == ranks) return GSOLVE_OK;
    snprintf(sentence, sizeof sentence, "%.*s", (int)sizeof sentence - 1, error);
    MPI_Bcast(&worst, 1, MPI_INT, lowest, comm);
    MPI_Bcast(sentence, (int)sizeof sentence, MPI_CHAR, lowest, comm);
    snprintf(error, sizeof error, "rank %d: %s", lowest, sentence);
    return (gsolve_status)worst;
}

static gsolve_status create(gsolve_context **out, const char *spec, MPI_Comm comm)
{
    char device[256];
    gsolve_context *ctx = NULL;
    gs_mpi *self = NULL;
    host h = {MPI_COMM_NULL, 0, 1};
    bool crowded = false;
    double timeout;
    int rank, ranks;
    gsolve_status status;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    status = read_spec(spec, device, sizeof device - 20, &timeout)
                 ? GSOLVE_OK
                 : refuse(GSOLVE_BAD_SPEC, "the spec of the context is too long, or its timeout is "
                                           "not a number of seconds, 0 or more");
    status = agree(status, comm, rank, ranks);
    if (status == GSOLVE_OK) status = check_devices(device, comm, ranks);
    if (status == GSOLVE_OK) status = find_host(&h, comm);
    if (status == GSOLVE_OK) {
        divide_processors(device, sizeof device, &h, &crowded);
        status = create_alone(&ctx, device, &h, comm, timeout, crowded, &self);
        status = agree(status, comm, rank, ranks);
        MPI_Comm_free(&h.comm);
    }
    if (status == GSOLVE_OK) {
        gsolve_transport transport = gs_mpi_transport;
        if (is_cuda(device)) transport.name = "staged mpi";
        status = gsolve_context_set_transport(ctx, &transport, self, rank, ranks);
        if (status != GSOLVE_OK) refuse(status, gsolve_error(ctx));
    }
    if (status != GSOLVE_OK) {
        gsolve_context_destroy(&ctx);
        gs_mpi_drop(self);
        return status;
    }
    *out = ctx;
    return GSOLVE_OK;
}

gsolve_status gsolve_context_create_mpi(gsolve_context **ctx, const char *spec, MPI_Comm comm)
{
    int initialised = 0, finalized = 0;
    MPI_Comm own;
    gsolve_status status;

    error[0] = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalized);
    if (!ctx || !spec || !initialised || finalized) {
        return refuse(GSOLVE_BAD_ARGUMENT,
                      "gsolve_context_create_mpi: an argument is NULL, or MPI is not initialised; "
                      "call MPI_Init_thread before");
    }
    status = check_launcher();
    if (status != GSOLVE_OK) return status;
    if (MPI_Comm_dup(comm, &own) != MPI_SUCCESS) {
        return refuse(GSOLVE_RANK_FAILED, "MPI_Comm_dup failed");
    }
    status = create(ctx, spec, own);
    /* if the transport has failed, freeing the communicator could wait for ever */
    if (status != GSOLVE_OK && status != GSOLVE_RANK_FAILED) MPI_Comm_free(&own);
    return status;
}
