/* options.h: the options that every method has. */
#ifndef GS_SOLVER_RUN_OPTIONS_H
#define GS_SOLVER_RUN_OPTIONS_H

#include <stddef.h>

#include "gsolve_plugin.h"

typedef struct gs_run_options { /* the first member of a method's options */
    double rtol, atol, dtol;
    int maxit, stall;
    int resident; /* of methods with GS_RESIDENT_OPTION */
    int guess, keep;
} gs_run_options;

enum { GS_GUESS_GIVEN, GS_GUESS_PROJECTION };
enum { GS_RESIDENT_AUTO, GS_RESIDENT_OFF };

#define GS_MOST_KEPT 64 /* the largest value of keep */

/* The row of an option table that sets run.resident of the options struct "type". */
#define GS_RESIDENT_OPTION(type)                                                            \
    {"resident",                                                                            \
     "auto: on a GPU, one kernel runs up to 64 iterations if the system fits into on-chip " \
     "memory; off: never",                                                                  \
     GSOLVE_CHOICE,                                                                         \
     offsetof(type, run.resident),                                                          \
     GS_RESIDENT_AUTO,                                                                      \
     0,                                                                                     \
     0,                                                                                     \
     "auto|off"}

/* The rows of an option table that set the other members of run, the first member of "type". */
#define GS_RUN_OPTIONS(type, maxit0, stall0)                                                      \
    {"rtol",                                                                                      \
     "relative tolerance: converged if |b - Ax| <= rtol |b|; the command takes 1e-5 with --type " \
     "f32",                                                                                       \
     GSOLVE_REAL,                                                                                 \
     offsetof(type, run.rtol),                                                                    \
     1e-8,                                                                                        \
     0,                                                                                           \
     1,                                                                                           \
     NULL},                                                                                       \
        {"atol",      "absolute tolerance: also converged if |b - Ax| <= atol",                   \
         GSOLVE_REAL, offsetof(type, run.atol),                                                   \
         0,           0,                                                                          \
         1e300,       NULL},                                                                      \
        {"dtol",      "divergence tolerance: stop as diverged if |b - Ax| > dtol |b|",            \
         GSOLVE_REAL, offsetof(type, run.dtol),                                                   \
         1e8,         1,                                                                          \
         1e300,       NULL},                                                                      \
        {"maxit",    "largest number of iterations",                                              \
         GSOLVE_INT, offsetof(type, run.maxit),                                                   \
         maxit0,     0,                                                                           \
         2147483647, NULL},                                                                       \
        {"guess",                                                                                 \
         "initial guess; given: x as passed; projection: x plus the best combination of "         \
         "earlier solutions",                                                                     \
         GSOLVE_CHOICE,                                                                           \
         offsetof(type, run.guess),                                                               \
         GS_GUESS_GIVEN,                                                                          \
         0,                                                                                       \
         0,                                                                                       \
         "given|projection"},                                                                     \
        {"keep",     "number of earlier solutions that guess=projection uses",                    \
         GSOLVE_INT, offsetof(type, run.keep),                                                    \
         8,          1,                                                                           \
         64,         NULL},                                                                       \
    {                                                                                             \
        "stall",                                                                                  \
            "stop as stagnated after this number of iterations without a smaller residual; 0: "   \
            "never",                                                                              \
            GSOLVE_INT, offsetof(type, run.stall), stall0, 0, 2147483647, NULL                    \
    }

#endif
