/* normal_kernels_body.h: the functions of scalar_kernels.h for lsqr and lsmr, see
 * methods/golub_kahan.h. SMALL is as in scalar_kernels_body.h. m is 1 if there is an M, else 0. */

SMALL double *normal_block(const gs_scalar_arguments *a, int c)
{
    return a->s[LS_BLOCK] + (int64_t)c * LB_NUMBERS;
}

/* x / y, 0 where y is 0: then the numerator belongs to a vector that is 0. */
SMALL double over(double x, double y)
{
    return y != 0 ? x / y : 0;
}

/* The test of a least-squares solution, |A'r| <= limit |r|. The test of |r| comes after it and goes
 * first. A smaller |A'r| counts as progress of a run whose |r| cannot become smaller. */
SMALL void normal_test(const gs_scalar_arguments *a, int c, double normal, double r)
{
    double *block = normal_block(a, c);

    if (normal <= a->s[LS_LIMIT][c] * r && !a->convergence.flag[c]) {
        a->convergence.flag[c] = GSOLVE_LEAST_SQUARES;
    }
    if (!(normal < block[LB_LEAST])) return;
    block[LB_LEAST] = normal;
    a->convergence.progress[c].since_least = 0;
}

/* alpha, beta and the coefficients of the next U and P, from |U|^2 and P'V = (alpha beta)^2. */
SMALL void normal_norms(const gs_scalar_arguments *a, int c, double bb)
{
    double *block = normal_block(a, c);
    const double ss = a->s[LS_SS][c], beta = sqrt(bb), both = ss > 0 ? sqrt(ss) : 0;

    if (ss < 0 && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_INDEFINITE;
    block[LB_BETA] = beta;
    block[LB_ALPHA] = over(both, beta);
    a->s[LS_INVERSE][c] = over(1, both);
    a->s[LS_BACK][c] = over(block[LB_ALPHA], beta);
}

/* At the start U = r and P = A'r. */
SMALL void normal_start(const gs_scalar_arguments *a, int c)
{
    double *block = normal_block(a, c);

    for (int i = 0; i < LB_NUMBERS; i++) block[i] = 0;
    normal_norms(a, c, a->rr[c]);
    block[LB_LEAST] = 1e300;
    normal_test(a, c, sqrt(a->s[a->m ? LS_PP : LS_SS][c]), block[LB_BETA]);
}

SMALL void lsqr_start(const gs_scalar_arguments *a, int c)
{
    double *block = normal_block(a, c);

    normal_start(a, c);
    block[LB_RHO_BAR] = block[LB_ALPHA];
    block[LB_PHI_BAR] = block[LB_BETA];
}

/* A'r = -phi_bar alpha c p, and |p| = |P| / (alpha beta), which is 1 without M. */
SMALL void lsqr_rotate(const gs_scalar_arguments *a, int c)
{
    double *block = normal_block(a, c);
    double length, rho, cosine, sine, phi;

    normal_norms(a, c, a->s[LS_BB][c]);
    rho = hypot(block[LB_RHO_BAR], block[LB_BETA]);
    cosine = over(block[LB_RHO_BAR], rho);
    sine = over(block[LB_BETA], rho);
    phi = cosine * block[LB_PHI_BAR];
    block[LB_PHI_BAR] = sine * block[LB_PHI_BAR];
    block[LB_RHO_BAR] = -cosine * block[LB_ALPHA];
    a->s[LS_X][c] = over(phi, rho);
    a->s[LS_H][c] = over(sine * block[LB_ALPHA], rho);
    a->rr[c] = block[LB_PHI_BAR] * block[LB_PHI_BAR];
    length = a->m ? sqrt(a->s[LS_PP][c]) * a->s[LS_INVERSE][c] : 1;
    normal_test(a, c, fabs(block[LB_PHI_BAR] * block[LB_ALPHA] * cosine) * length,
                fabs(block[LB_PHI_BAR]));
}

SMALL void lsmr_start(const gs_scalar_arguments *a, int c)
{
    double *block = normal_block(a, c);

    normal_start(a, c);
    block[LB_ALPHA_BAR] = block[LB_ALPHA];
    block[LB_ZETA_BAR] = block[LB_ALPHA] * block[LB_BETA];
    block[LB_RHO] = block[LB_RHO_BAR] = block[LB_C_BAR] = block[LB_RHO_D] = 1;
    block[LB_BETA_DD] = block[LB_BETA];
}

/* rr = |r|^2, see section 5 of the paper. zeta is the one of the step before. */
SMALL void lsmr_residual(const gs_scalar_arguments *a, int c, double cosine, double sine,
                         double theta_bar, double zeta)
{
    double *block = normal_block(a, c);
    const double theta = block[LB_THETA_T], rho = hypot(block[LB_RHO_D], theta_bar);
    const double cos_t = over(block[LB_RHO_D], rho), sin_t = over(theta_bar, rho);
    double tau, part;

    block[LB_THETA_T] = sin_t * block[LB_RHO_BAR];
    block[LB_RHO_D] = cos_t * block[LB_RHO_BAR];
    block[LB_BETA_D] = cos_t * cosine * block[LB_BETA_DD] - sin_t * block[LB_BETA_D];
    block[LB_BETA_DD] = -sine * block[LB_BETA_DD];
    block[LB_TAU_T] = over(zeta - theta * block[LB_TAU_T], rho);
    tau = over(block[LB_ZETA] - block[LB_THETA_T] * block[LB_TAU_T], block[LB_RHO_D]);
    part = block[LB_BETA_D] - tau;
    a->rr[c] = part * part + block[LB_BETA_DD] * block[LB_BETA_DD];
}

/* Two rotations: of the bidiagonal matrix, and of its triangular factor. */
SMALL void lsmr_rotate(const gs_scalar_arguments *a, int c)
{
    double *block = normal_block(a, c);
    const double rho_old = block[LB_RHO], rho_bar_old = block[LB_RHO_BAR], zeta = block[LB_ZETA];
    double rho, rho_bar, cosine, sine, theta, theta_bar, shortened;

    normal_norms(a, c, a->s[LS_BB][c]);
    rho = block[LB_RHO] = hypot(block[LB_ALPHA_BAR], block[LB_BETA]);
    cosine = over(block[LB_ALPHA_BAR], rho);
    sine = over(block[LB_BETA], rho);
    theta = sine * block[LB_ALPHA];
    block[LB_ALPHA_BAR] = cosine * block[LB_ALPHA];
    theta_bar = block[LB_S_BAR] * rho;
    shortened = block[LB_C_BAR] * rho;
    rho_bar = block[LB_RHO_BAR] = hypot(shortened, theta);
    block[LB_C_BAR] = over(shortened, rho_bar);
    block[LB_S_BAR] = over(theta, rho_bar);
    block[LB_ZETA] = block[LB_C_BAR] * block[LB_ZETA_BAR];
    block[LB_ZETA_BAR] = -block[LB_S_BAR] * block[LB_ZETA_BAR];
    a->s[LS_HBAR][c] = over(theta_bar, rho_old) * over(rho, rho_bar_old);
    a->s[LS_X][c] = over(over(block[LB_ZETA], rho), rho_bar);
    a->s[LS_H][c] = over(theta, rho);
    a->s[LS_NEW][c] = block[LB_C_BAR] * block[LB_ZETA_BAR] * a->s[LS_INVERSE][c];
    a->s[LS_OLD][c] = block[LB_S_BAR] * block[LB_S_BAR];
    lsmr_residual(a, c, cosine, sine, theta_bar, zeta);
    if (!a->m) normal_test(a, c, fabs(block[LB_ZETA_BAR]), sqrt(a->rr[c]));
}

SMALL void lsmr_test(const gs_scalar_arguments *a, int c)
{
    normal_test(a, c, sqrt(a->s[LS_PP][c]), sqrt(a->rr[c]));
}
