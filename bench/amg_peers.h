/* amg_peers.h: what other libraries take for set-up and solve, recorded elsewhere in November 2026:
 * on one H200 with CUDA 13.0, the matrix already there, the best of their configurations; on a CPU
 * with one thread of an EPYC 9005, in seconds of the processor. b = 1, x0 = 0, rtol 1e-8. */
#ifndef AMG_PEERS_H
#define AMG_PEERS_H

#include <stdbool.h>
#include <string.h>

typedef struct amg_peer {
    const char *system, *peer;
    bool device; /* of the H200 */
    double ms, setup_ms;
    int iterations;
    double bytes, update_ms; /* that hypre holds; AmgX's new values with the structure; or 0 */
} amg_peer;

#define AMG_HYPRE "hypre 3.1"

static const amg_peer amg_peers[] = {
    {"gen:poisson3d,n=64", AMG_HYPRE, true, 22.2, 15.5, 16, 0.09e9, 2.6},
    {"gen:poisson3d,n=128", AMG_HYPRE, true, 58.8, 36.0, 18, 0.66e9, 8.4},
    {"gen:poisson3d,n=256", "AmgX 2.5", true, 331, 177, 37, 5.1e9, 46.7},
    {"gen:anisotropic3d,n=128", AMG_HYPRE, true, 59.9, 39.1, 15, 0, 0},
    {"gen:jump3d,n=128", AMG_HYPRE, true, 61.0, 35.5, 19, 0, 0},
    {"gen:poisson3d27,n=128", AMG_HYPRE, true, 64.8, 37.9, 17, 0, 0},
    {"gen:convdiff3d,n=128", AMG_HYPRE, true, 81.9, 37.9, 17, 0, 0},
    {"gen:elasticity3d,n=30", NULL, true, 0, 0, 0, 0, 0},
    {"gen:elasticity3d,n=60", NULL, true, 0, 0, 0, 0, 0},
    {"gen:poisson3d,n=100", "PETSc CG+ICC(0)", false, 2040, 0, 98, 0, 0},
    {"gen:anisotropic3d,n=100", "AMGCL", false, 2140, 0, 15, 0, 0},
    {"gen:jump3d,n=100", "AMGCL", false, 3280, 0, 25, 0, 0},
    {"gen:convdiff3d,n=100", "PETSc BiCGSTAB+ILU(0)", false, 3240, 0, 80, 0, 0},
};

/* The index-th system of the device or of the CPU, or NULL. */
static inline const char *amg_system_at(bool device, int index)
{
    for (size_t k = 0; k < sizeof amg_peers / sizeof *amg_peers; k++) {
        if (amg_peers[k].device == device && index-- == 0) return amg_peers[k].system;
    }
    return NULL;
}

/* The peer's figures for a system, or NULL. */
static inline const amg_peer *amg_peer_of(const char *system, bool device, int threads)
{
    for (size_t k = 0; k < sizeof amg_peers / sizeof *amg_peers; k++) {
        const amg_peer *p = &amg_peers[k];
        if (p->device == device && strcmp(p->system, system) == 0) {
            return p->peer && (device || threads == 1) ? p : NULL;
        }
    }
    return NULL;
}

#endif
