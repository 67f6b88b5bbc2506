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
    int norm;     /* of methods with GS_NORM_OPTION */
    int spectrum; /* of methods with GS_SPECTRUM_OPTION */
} gs_run_options;

enum { GS_GUESS_GIVEN, GS_GUESS_PROJECTION };
enum { GS_RESIDENT_AUTO, GS_RESIDENT_OFF };
enum { GS_NORM_TRUE, GS_NORM_PRECONDITIONED };
enum { GS_SPECTRUM_OFF, GS_SPECTRUM_ON };

#define GS_MOST_KEPT 64 /* the largest value of keep */

/* The row of an option table that sets this member of a method's options, whose first member is a
 * gs_run_options. */
#define GS_RUN_OPTION(member, help, kind, initial, least, most, choices) \
    {#member, help, kind, offsetof(gs_run_options, member), initial, least, most, choices}

#define GS_RESIDENT_OPTION                                                                     \
    GS_RUN_OPTION(                                                                             \
        resident,                                                                              \
        "auto: on a GPU, one kernel runs up to 64 iterations if the system fits into on-chip " \
        "memory; off: never",                                                                  \
        GSOLVE_CHOICE, GS_RESIDENT_AUTO, 0, 0, "auto|off")

/* For methods that have r'M^-1 r at hand. */
#define GS_NORM_OPTION                                                                             \
    GS_RUN_OPTION(norm,                                                                            \
                  "norm of the test in each iteration; preconditioned: sqrt(r^T M^-1 r) relative " \
                  "to sqrt(b^T M^-1 b); at the end |b - Ax| decides in either case",               \
                  GSOLVE_CHOICE, GS_NORM_TRUE, 0, 0, "true|preconditioned")

/* For methods that record what gsolve_solver_spectrum needs. `of`: what is estimated. */
#define GS_SPECTRUM_OPTION(of)                                                              \
    GS_RUN_OPTION(spectrum,                                                                 \
                  "on: estimate the " of ", for the report and for gsolve_solver_spectrum", \
                  GSOLVE_CHOICE, GS_SPECTRUM_OFF, 0, 0, "off|on")

/* The rows that every table begins with. */
#define GS_RUN_OPTIONS(maxit0, stall0)                                                             \
    GS_RUN_OPTION(rtol,                                                                            \
                  "relative tolerance: converged if |b - Ax| <= rtol |b|; the command takes 1e-5 " \
                  "for matrices of type f32",                                                      \
                  GSOLVE_REAL, 1e-8, 0, 1, NULL),                                                  \
        GS_RUN_OPTION(atol, "absolute tolerance: also converged if |b - Ax| <= atol", GSOLVE_REAL, \
                      0, 0, 1e300, NULL),                                                          \
        GS_RUN_OPTION(                                                                             \
            dtol, "stop as diverged if |b - Ax| > dtol times |b| or, if larger, its first value",  \
            GSOLVE_REAL, 1e8, 1, 1e300, NULL),                                                     \
        GS_RUN_OPTION(maxit, "largest number of iterations", GSOLVE_INT, maxit0, 0, 2147483647,    \
                      NULL),                                                                       \
        GS_RUN_OPTION(                                                                             \
            guess,                                                                                 \
            "initial guess; given: x as passed; projection: x plus the best combination of "       \
            "earlier solutions",                                                                   \
            GSOLVE_CHOICE, GS_GUESS_GIVEN, 0, 0, "given|projection"),                              \
        GS_RUN_OPTION(keep, "number of earlier solutions that guess=projection uses", GSOLVE_INT,  \
                      8, 1, GS_MOST_KEPT, NULL),                                                   \
        GS_RUN_OPTION(                                                                             \
            stall,                                                                                 \
            "stop as stagnated after this number of iterations without a smaller residual; 0: "    \
            "never",                                                                               \
            GSOLVE_INT, stall0, 0, 2147483647, NULL)

#endif
