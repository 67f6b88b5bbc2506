/* transport.h: the transport of ranks that are MPI processes. */
#ifndef GS_MPI_TRANSPORT_H
#define GS_MPI_TRANSPORT_H

#include "gsolve_mpi.h"
#include "gsolve_plugin.h"

/* Memory of the transport for bytes on their way. */
typedef struct gs_mpi_buffer {
    char *at;
    size_t size;
} gs_mpi_buffer;

typedef struct gs_mpi {
    MPI_Comm comm; /* a duplicate of the caller's */
    int rank, ranks;
    bool crowded;   /* this host has more ranks than processors */
    double timeout; /* seconds; 0: none */
    int chunk;      /* MPI counts in int: more bytes than this travel as one element of a type */
    /* of an exchange that has begun */
    MPI_Request *request; /* space for a message to and from each rank */
    MPI_Status *ignored;  /* of them; not MPI_STATUSES_IGNORE, of which gcc warns with MPICH */
    int requests;
    gsolve_messages in; /* where the caller expects what arrives */
    /* With a timeout, MPI works on copies. After a failure they are never freed, since messages may
     * still arrive. */
    gs_mpi_buffer sent, received;  /* by exchanges */
    gs_mpi_buffer given, gathered; /* by allgathers */
    bool failed;
} gs_mpi;

extern const gsolve_transport gs_mpi_transport;

/* *m = the transport of a rank of comm. False: no memory. */
bool gs_mpi_open(gs_mpi **m, MPI_Comm comm, double timeout, bool crowded);

/* Frees m, but not its communicator. */
void gs_mpi_drop(gs_mpi *m);

#endif
