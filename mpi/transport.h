/* transport.h: the transport of ranks that are MPI processes. */
#ifndef GS_MPI_TRANSPORT_H
#define GS_MPI_TRANSPORT_H

#include "gsolve_mpi.h"
#include "gsolve_plugin.h"

typedef struct gs_mpi {
    MPI_Comm comm; /* a duplicate of the caller's */
    int rank, ranks;
    bool crowded;         /* this host has more ranks than processors */
    double timeout;       /* seconds; 0: none */
    MPI_Request *request; /* of an exchange that has begun */
    MPI_Status *ignored;  /* of them; not MPI_STATUSES_IGNORE, of which gcc warns with MPICH */
    int requests, most;
    bool failed;
} gs_mpi;

extern const gsolve_transport gs_mpi_transport;

/* The `close` of the transport: frees self. */
void gs_mpi_close(void *self);

#endif
