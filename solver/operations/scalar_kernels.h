/* scalar_kernels.h: the parts of methods that compute with scalars alone. Each is a function of one
 * column, written once in scalar_kernels_body.h for the host and for CUDA, so that no step copies a
 * scalar to the host. */
#ifndef GS_SOLVER_OPERATIONS_SCALAR_KERNELS_H
#define GS_SOLVER_OPERATIONS_SCALAR_KERNELS_H

#include "core/context.h"
#include "vector/convergence.h"

/* Arrays have one number for each column, unless their comment says otherwise. */
typedef struct gs_scalar_arguments {
    double *s[16];                   /* the scalars of the method, by the enum below */
    double *rr;                      /* |r|^2 */
    gs_convergence_test convergence; /* of any column */
    int32_t ncols;
    int *once;      /* of gmres */
    int m, j;       /* of the method */
    double *factor; /* see gs_convergence_test; NULL: norm=true */
    double *record; /* of spectrum=on: record_size numbers for each column, or NULL */
    int record_size;
} gs_scalar_arguments;

/* X(name): a function of scalar_kernels_body.h. */
#define GS_SCALAR_LIST(X)                                                      \
    X(copy)           /* s[0] = s[1] */                                        \
    X(test)           /* the convergence test; j: iterations since the last */ \
    X(pipecg_start)   /* see pipecg.c */                                       \
    X(pipecg_alpha)   /* see pipecg.c */                                       \
    X(cgs_square)     /* see cgs.c */                                          \
    X(tfqmr_start)    /* see tfqmr.c */                                        \
    X(tfqmr_alpha)    /* see tfqmr.c */                                        \
    X(tfqmr_rotate)   /* see tfqmr.c */                                        \
    X(tfqmr_beta)     /* see tfqmr.c */                                        \
    X(idr_start)      /* see idr.c */                                          \
    X(idr_solve)      /* see idr.c */                                          \
    X(idr_forward)    /* see idr.c */                                          \
    X(idr_beta)       /* see idr.c */                                          \
    X(idr_omega)      /* see idr.c */                                          \
    X(minres_start)   /* see minres.c */                                       \
    X(minres_rotate)  /* see minres.c */                                       \
    X(gmres_start)    /* see gmres.c */                                        \
    X(gmres_test)     /* see gmres.c */                                        \
    X(gmres_rotate)   /* see gmres.c */                                        \
    X(gmres_solve)    /* see gmres.c */                                        \
    X(norm_factor)    /* factor = s[0] / s[1], that is b'b / b'M^-1 b */       \
    X(norm_square)    /* rr = factor s[0], or factor s[0]^2 if m is 2 */       \
    X(lanczos_start)  /* see GS_LANCZOS_STEPS */                               \
    X(cg_lanczos)     /* s[0] = r'M^-1 r, s[1] = p'A p */                      \
    X(pipecg_lanczos) /* s as in pipecg.c */                                   \
    X(minres_lanczos) /* s as in minres.c */                                   \
    X(gmres_keep)     /* see gmres.c */                                        \
    X(lsqr_start)     /* see lsqr.c */                                         \
    X(lsqr_rotate)    /* see lsqr.c */                                         \
    X(lsmr_start)     /* see lsmr.c */                                         \
    X(lsmr_rotate)    /* see lsmr.c */                                         \
    X(lsmr_test)      /* see lsmr.c */

typedef gsolve_status gs_scalar_function(gs_queue *q, const gs_scalar_arguments *a);

typedef struct gs_scalar_kernels {
#define GS_SCALAR_MEMBER(name) gs_scalar_function *name;
    GS_SCALAR_LIST(GS_SCALAR_MEMBER)
#undef GS_SCALAR_MEMBER
} gs_scalar_kernels;

extern const gs_scalar_kernels gs_scalar_host, gs_scalar_cuda;

/* The record of spectrum=on of cg, pipecg and minres, for each column: the tridiagonal matrix T of
 * the Lanczos process on M^-1/2 A M^-1/2, for the first GS_LANCZOS_STEPS steps of a run. LZ_COUNT:
 * rows of T so far. LZ_RHO and LZ_INVERSE: r'M^-1 r and 1 / alpha of the step of cg before, 0 if
 * there is none. Row i of T has its diagonal element at LZ_T + 2 i, and behind it its element on
 * the right. Where a round begins, that of the last row is 0: then T is block diagonal. */
#define GS_LANCZOS_STEPS 1000
enum { LZ_COUNT, LZ_RHO, LZ_INVERSE, LZ_T, LZ_NUMBERS = LZ_T + 2 * GS_LANCZOS_STEPS };
/* s[] of minres: see minres.c. */
enum {
    MR_GAMMA_OLD,
    MR_GAMMA,
    MR_DELTA,
    MR_ETA,
    MR_C0,
    MR_C1,
    MR_S0,
    MR_S1,
    MR_A1,
    MR_A2,
    MR_A3,
    MR_XW,
    MR_RV,
    MR_RR,
    MR_SQUARE,
    MR_SCALARS
};
/* s[] of gmres, for each column: H (m columns of m + 1), the coefficients of the second pass (m +
 * 1), cosine, sine (m), g (m + 1), beta, ww. once: whether one pass of orthogonalisation is enough.
 */
enum { GM_H, GM_SECOND, GM_COSINE, GM_SINE, GM_G, GM_BETA, GM_WW, GM_SCALARS };
/* s[] of cgs. */
enum { CG_RHO, CG_NEXT, CG_SQUARE, CG_SCALARS };
/* s[] of tfqmr: rho, shadow'w, shadow'v, w'w, tau^2, alpha, the factors of d in d and x, c^2, s^2,
 * beta, beta^2. */
enum {
    TF_RHO,
    TF_NEXT,
    TF_RV,
    TF_WW,
    TF_TAU,
    TF_ALPHA,
    TF_D,
    TF_ETA,
    TF_C2,
    TF_S2,
    TF_BETA,
    TF_SQUARE,
    TF_SCALARS
};
/* s[] of idr, for each column: P'G (s x s, column-major), f, c, h (s); c_k, beta, omega, t'r, t't.
 */
enum { ID_M, ID_F, ID_C, ID_H, ID_CK, ID_BETA, ID_OMEGA, ID_TS, ID_TT, ID_SCALARS };
/* s[] of lsqr and lsmr: |U|^2, P'V, |P|^2 (for lsmr then |A'r|^2); 1 / (alpha beta), alpha / beta;
 * the limit of |A'r| / |r|; the coefficients of w or h_bar in x, of the old w or h, of the old
 * h_bar, of P and the old A'r in A'r. The block has LB_NUMBERS numbers for each column. */
enum {
    LS_BB,
    LS_SS,
    LS_PP,
    LS_INVERSE,
    LS_BACK,
    LS_LIMIT,
    LS_X,
    LS_H,
    LS_HBAR,
    LS_NEW,
    LS_OLD,
    LS_BLOCK,
    LS_SCALARS
};
/* The block: alpha, beta, and the least |A'r|. Then of lsqr: rho_bar and phi_bar; of lsmr: the
 * numbers of these names in Fong and Saunders, where `d` stands for two dots, `t` for a tilde. */
enum {
    LB_ALPHA,
    LB_BETA,
    LB_LEAST,
    LB_RHO_BAR,
    LB_PHI_BAR,
    LB_ALPHA_BAR,
    LB_ZETA_BAR,
    LB_RHO,
    LB_C_BAR,
    LB_S_BAR,
    LB_ZETA,
    LB_BETA_DD,
    LB_BETA_D,
    LB_RHO_D,
    LB_TAU_T,
    LB_THETA_T,
    LB_NUMBERS
};
/* s[] of pipecg. */
enum { PC_GAMMA, PC_DELTA, PC_OLD, PC_ALPHA, PC_BETA, PC_SCALARS };

#endif
