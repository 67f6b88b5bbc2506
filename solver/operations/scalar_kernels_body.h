/* scalar_kernels_body.h: the functions of scalar_kernels.h for column c. SMALL: the qualifiers of a
 * function on this device. The functions of the C library that are called here exist on both. */

SMALL void copy(const gs_scalar_arguments *a, int c)
{
    a->s[0][c] = a->s[1][c];
}

/* num / den; 0 and the flag "breakdown" if den is 0 or the quotient is not finite. */
SMALL double quotient(const gs_scalar_arguments *a, int c, double num, double den)
{
    const double value = den != 0 ? num / den : 0;

    if (den != 0 && fabs(value) <= 1e300) return value;
    if (!a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_BREAKDOWN;
    return 0;
}

SMALL void test(const gs_scalar_arguments *a, int c)
{
    gs_convergence_test convergence = a->convergence;

    convergence.c = c;
    test_column(&convergence, a->rr[c], a->j);
}

/* --- pipecg ----------------------------------------------------------------------------------- */

SMALL void pipecg_start(const gs_scalar_arguments *a, int c)
{
    a->s[PC_OLD][c] = 0; /* no earlier gamma */
    a->s[PC_ALPHA][c] = 1;
}

/* beta = gamma / gamma', alpha = gamma / (delta - beta gamma / alpha'), where the divisor is p'Ap.
 * It is positive in exact arithmetic; where u'Au is positive and the divisor is not, the
 * recurrences have drifted, and a new start decides. */
SMALL void pipecg_alpha(const gs_scalar_arguments *a, int c)
{
    const double gamma = a->s[PC_GAMMA][c], delta = a->s[PC_DELTA][c], old = a->s[PC_OLD][c];
    const double beta = old > 0 ? gamma / old : 0;
    const double pq = delta - (beta > 0 ? beta * (gamma / a->s[PC_ALPHA][c]) : 0);

    if ((gamma < 0 || delta < 0) && !a->convergence.flag[c])
        a->convergence.flag[c] = GSOLVE_INDEFINITE;
    if (pq < 0 && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_BREAKDOWN;
    a->s[PC_BETA][c] = beta;
    a->s[PC_ALPHA][c] = a->convergence.flag[c] ? 0 : quotient(a, c, gamma, pq);
    a->s[PC_OLD][c] = gamma;
}

/* --- cgs -------------------------------------------------------------------------------------- */

/* (next / rho)^2. Where rho is 0 the kernel that divides by it sets the flag. */
SMALL void cgs_square(const gs_scalar_arguments *a, int c)
{
    const double rho = a->s[CG_RHO][c], beta = rho != 0 ? a->s[CG_NEXT][c] / rho : 0;

    a->s[CG_SQUARE][c] = beta * beta;
}

/* --- tfqmr ------------------------------------------------------------------------------------ */

SMALL void tfqmr_start(const gs_scalar_arguments *a, int c)
{
    a->s[TF_RHO][c] = a->s[TF_TAU][c] = a->rr[c];
    a->s[TF_ALPHA][c] = a->s[TF_S2][c] = 0;
}

/* alpha = rho / shadow'v, and the factor of d in d = z + (theta^2 eta / alpha) d. There eta is c^2
 * times the alpha of the half step before, and theta^2 c^2 = s^2. */
SMALL void tfqmr_alpha(const gs_scalar_arguments *a, int c)
{
    const double before = a->s[TF_ALPHA][c];
    const double alpha = quotient(a, c, a->s[TF_RHO][c], a->s[TF_RV][c]);

    a->s[TF_ALPHA][c] = alpha;
    a->s[TF_D][c] = alpha != 0 ? a->s[TF_S2][c] * (before / alpha) : 0;
}

/* c^2 and s^2 from |w|^2 and tau^2, which are both 0 only once r is 0; then x does not change. */
SMALL void tfqmr_rotate(const gs_scalar_arguments *a, int c)
{
    const double ww = a->s[TF_WW][c], tau = a->s[TF_TAU][c], c2 = tau > 0 ? tau / (tau + ww) : 0;

    a->s[TF_C2][c] = c2;
    a->s[TF_S2][c] = a->s[TF_D][c] = tau > 0 ? ww / (tau + ww) : 1;
    a->s[TF_TAU][c] = ww * c2;
    a->s[TF_ETA][c] = c2 * a->s[TF_ALPHA][c];
}

SMALL void tfqmr_beta(const gs_scalar_arguments *a, int c)
{
    const double beta = quotient(a, c, a->s[TF_NEXT][c], a->s[TF_RHO][c]);

    a->s[TF_BETA][c] = beta;
    a->s[TF_SQUARE][c] = beta * beta;
    a->s[TF_RHO][c] = a->s[TF_NEXT][c];
}

/* --- idr: M = P'G is lower triangular, m x m, element (i, j) at i + j m ----------------------- */

SMALL void idr_start(const gs_scalar_arguments *a, int c)
{
    const int m = a->m;
    double *M = a->s[ID_M] + (int64_t)c * m * m;

    for (int i = 0; i < m * m; i++) M[i] = i % (m + 1) == 0;
    a->s[ID_OMEGA][c] = 1;
}

/* y[from..to) = the solution of M y = y in these rows and columns. */
SMALL void idr_substitute(const gs_scalar_arguments *a, int c, int from, int to, double *y)
{
    const int m = a->m;
    const double *M = a->s[ID_M] + (int64_t)c * m * m;

    for (int i = from; i < to; i++) {
        for (int j = from; j < i; j++) y[i] -= M[i + j * m] * y[j];
        y[i] = quotient(a, c, y[i], M[i + i * m]);
    }
}

/* c from f in rows j, .., m - 1. */
SMALL void idr_solve(const gs_scalar_arguments *a, int c)
{
    const int m = a->m;
    double *y = a->s[ID_C] + (int64_t)c * m;
    const double *f = a->s[ID_F] + (int64_t)c * m;

    for (int i = a->j; i < m; i++) y[i] = f[i];
    idr_substitute(a, c, a->j, m, y);
    a->s[ID_CK][c] = y[a->j];
}

/* The coefficients that make G_j orthogonal to P_0, .., P_{j - 1}, from its sums with them. */
SMALL void idr_forward(const gs_scalar_arguments *a, int c)
{
    idr_substitute(a, c, 0, a->j, a->s[ID_H] + (int64_t)c * a->m);
}

/* beta from column j of M; updates f. */
SMALL void idr_beta(const gs_scalar_arguments *a, int c)
{
    const int m = a->m, j = a->j;
    const double *M = a->s[ID_M] + (int64_t)c * m * m + (int64_t)j * m;
    double *f = a->s[ID_F] + (int64_t)c * m;
    const double beta = quotient(a, c, f[j], M[j]);

    for (int i = j; i < m; i++) f[i] -= beta * M[i];
    a->s[ID_BETA][c] = beta;
}

/* omega = t'r / t't, lengthened where the cosine of t and r is below 0.7: a short step is a poor
 * start for all later cycles. */
SMALL void idr_omega(const gs_scalar_arguments *a, int c)
{
    const double tr = a->s[ID_TS][c], tt = a->s[ID_TT][c], rr = a->rr[c];
    const double omega = quotient(a, c, tr, tt), cosine = fabs(tr) / (sqrt(tt) * sqrt(rr));

    if (omega == 0 && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_BREAKDOWN;
    a->s[ID_OMEGA][c] = cosine > 0 && cosine < 0.7 ? omega * (0.7 / cosine) : omega;
}

/* --- minres ----------------------------------------------------------------------------------- */

/* gamma from its square, which an M that is not positive definite makes negative. */
SMALL double minres_root(const gs_scalar_arguments *a, int c, double square)
{
    if (square < 0 && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_INDEFINITE;
    return square > 0 ? sqrt(square) : 0;
}

SMALL void minres_start(const gs_scalar_arguments *a, int c)
{
    double *const *s = a->s;

    s[MR_GAMMA][c] = s[MR_ETA][c] = minres_root(a, c, s[MR_GAMMA][c]);
    s[MR_GAMMA_OLD][c] = s[MR_C0][c] = s[MR_C1][c] = 1;
    s[MR_S0][c] = s[MR_S1][c] = 0;
}

/* The rotation that follows from delta and the next gamma, and the coefficients of w, x and r. */
SMALL void minres_rotate(const gs_scalar_arguments *a, int c)
{
    double *const *s = a->s;
    const double next = minres_root(a, c, s[MR_SQUARE][c]);
    const double gamma = s[MR_GAMMA][c], delta = s[MR_DELTA][c];
    const double c0 = s[MR_C0][c], c1 = s[MR_C1][c], s0 = s[MR_S0][c], s1 = s[MR_S1][c];
    const double a0 = c1 * delta - c0 * s1 * gamma, a1 = hypot(a0, next);
    const double cosine = a1 > 0 ? a0 / a1 : 1, sine = a1 > 0 ? next / a1 : 0;

    if (!(a1 > 0) && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_BREAKDOWN;
    s[MR_A1][c] = a1;
    s[MR_A2][c] = s1 * delta + c0 * c1 * gamma;
    s[MR_A3][c] = s0 * gamma;
    s[MR_XW][c] = cosine * s[MR_ETA][c];
    s[MR_ETA][c] = -sine * s[MR_ETA][c];
    s[MR_RR][c] = sine * sine;
    s[MR_RV][c] = next > 0 ? cosine * s[MR_ETA][c] / next : 0;
    s[MR_C0][c] = c1;
    s[MR_C1][c] = cosine;
    s[MR_S0][c] = s1;
    s[MR_S1][c] = sine;
    s[MR_GAMMA_OLD][c] = gamma;
    s[MR_GAMMA][c] = next;
}

/* --- gmres: the small least-squares problem --------------------------------------------------- */

/* beta = g_0 = |r|. */
SMALL void gmres_start(const gs_scalar_arguments *a, int c)
{
    a->s[GM_BETA][c] = a->s[GM_G][(int64_t)c * (a->m + 1)] = sqrt(a->rr[c]);
    a->once[c] = 1; /* until gmres_test decides */
}

/* Sets `once`: whether w, after V h was subtracted, is orthogonal to V. That is so if its norm is
 * at least a tenth of what it was: then cancellation has cost at most one digit (the test of
 * Daniel, Gragg, Kaufman and Stewart 1976, with a smaller factor). */
SMALL void gmres_test(const gs_scalar_arguments *a, int c)
{
    const int m = a->m, j = a->j;
    const double *h = a->s[GM_H] + ((int64_t)c * m + j) * (m + 1), ww = a->s[GM_WW][c];
    double *second = a->s[GM_SECOND] + (int64_t)c * (m + 1), hh = 0;

    for (int i = 0; i <= j; i++) {
        hh += h[i] * h[i];
        second[i] = 0;
    }
    a->once[c] = ww >= 0.01 * (hh + ww);
}

/* Adds up column j of H from both passes of orthogonalisation, applies the earlier rotations to it,
 * computes the rotation that clears h_{j+1,j}, and sets rr. */
SMALL void gmres_rotate(const gs_scalar_arguments *a, int c)
{
    const int m = a->m, j = a->j;
    double *h = a->s[GM_H] + ((int64_t)c * m + j) * (m + 1), *g = a->s[GM_G] + (int64_t)c * (m + 1);
    double *cosine = a->s[GM_COSINE] + (int64_t)c * m, *sine = a->s[GM_SINE] + (int64_t)c * m;
    const double *second = a->s[GM_SECOND] + (int64_t)c * (m + 1);

    for (int i = 0; i <= j; i++) h[i] += second[i];
    a->s[GM_BETA][c] = h[j + 1] = sqrt(a->s[GM_WW][c]);
    for (int i = 0; i < j; i++) {
        const double top = h[i], bottom = h[i + 1];
        h[i] = cosine[i] * top + sine[i] * bottom;
        h[i + 1] = cosine[i] * bottom - sine[i] * top;
    }
    const double length = hypot(h[j], h[j + 1]);
    cosine[j] = length > 0 ? h[j] / length : 1;
    sine[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    g[j + 1] = -sine[j] * g[j];
    g[j] = cosine[j] * g[j];
    a->rr[c] = g[j + 1] * g[j + 1];
    a->once[c] = 1; /* a column that ends here needs no second pass */
}

/* g[0..j) = y, the solution of R y = g; a vanishing pivot (singular A) gives 0. */
SMALL void gmres_solve(const gs_scalar_arguments *a, int c)
{
    const int m = a->m;
    const double *H = a->s[GM_H] + (int64_t)c * m * (m + 1);
    double *y = a->s[GM_G] + (int64_t)c * (m + 1);

    for (int i = a->j - 1; i >= 0; i--) {
        for (int j = i + 1; j < a->j; j++) y[i] -= H[(int64_t)j * (m + 1) + i] * y[j];
        y[i] = H[(int64_t)i * (m + 1) + i] != 0 ? y[i] / H[(int64_t)i * (m + 1) + i] : 0;
    }
}

/* Keeps R of the first cycle, with its j columns, for spectrum=on: the record is j, and then the
 * columns of R, each in m + 1 numbers. */
SMALL void gmres_keep(const gs_scalar_arguments *a, int c)
{
    const int m = a->m, j = a->j;
    const double *H = a->s[GM_H] + (int64_t)c * m * (m + 1);
    double *record = a->record + (int64_t)c * a->record_size;

    if (record[0] > 0) return;
    for (int column = 0; column < j; column++) {
        const int at = column * (m + 1);
        for (int i = 0; i <= column; i++) record[1 + at + i] = H[at + i];
    }
    record[0] = j;
}

/* --- norm=preconditioned ---------------------------------------------------------------------- */

/* b'b / b'M^-1 b. The divisor is negative or 0 only if M is not positive definite. */
SMALL void norm_factor(const gs_scalar_arguments *a, int c)
{
    const double bb = a->s[0][c], square = a->s[1][c];

    a->factor[c] = square > 0 ? bb / square : 1;
    if (square <= 0 && !a->convergence.flag[c]) a->convergence.flag[c] = GSOLVE_INDEFINITE;
}

/* With a flag rr stays as it is: the test finds the flag if it does not find |r| small enough. */
SMALL void norm_square(const gs_scalar_arguments *a, int c)
{
    const double v = a->s[0][c];
    gs_convergence_test convergence = a->convergence;

    convergence.c = c;
    if (!a->convergence.flag[c]) {
        a->rr[c] = preconditioned_square(&convergence, a->m == 2 ? v * v : v);
    }
}

/* --- spectrum=on ------------------------------------------------------------------------------ */

/* A round begins: the next row of T is not coupled to the last one. */
SMALL void lanczos_start(const gs_scalar_arguments *a, int c)
{
    double *record = a->record + (int64_t)c * a->record_size;
    const int count = (int)record[LZ_COUNT];

    record[LZ_RHO] = record[LZ_INVERSE] = 0;
    if (count > 0) record[LZ_T + 2 * (count - 1) + 1] = 0;
}

/* Adds a row to T unless it is full. */
SMALL void lanczos_add(double *record, double diagonal, double right)
{
    const int count = (int)record[LZ_COUNT];

    if (count == GS_LANCZOS_STEPS || !(fabs(diagonal) <= 1e300) || !(fabs(right) <= 1e300)) return;
    record[LZ_T + 2 * count] = diagonal;
    record[LZ_T + 2 * count + 1] = right;
    record[LZ_COUNT] = count + 1;
}

/* T_jj = 1 / alpha_j + beta_{j-1} / alpha_{j-1}, T_{j-1,j} = sqrt(beta_{j-1}) / alpha_{j-1}.
 * inverse: 1 / alpha. */
SMALL void add_step_of_cg(double *record, double rho, double inverse)
{
    const double beta = record[LZ_RHO] > 0 ? rho / record[LZ_RHO] : 0;
    const double before = record[LZ_INVERSE];
    const int count = (int)record[LZ_COUNT];

    if (!(rho > 0) || count == GS_LANCZOS_STEPS) return;
    if (beta > 0) record[LZ_T + 2 * (count - 1) + 1] = sqrt(beta) * before;
    lanczos_add(record, inverse + beta * before, 0);
    record[LZ_RHO] = rho;
    record[LZ_INVERSE] = inverse;
}

SMALL void cg_lanczos(const gs_scalar_arguments *a, int c)
{
    const double rho = a->s[0][c], inverse = rho > 0 ? a->s[1][c] / rho : 0;

    add_step_of_cg(a->record + (int64_t)c * a->record_size, rho, inverse);
}

/* Runs after pipecg_alpha, which sets alpha to 0 in columns that have ended. */
SMALL void pipecg_lanczos(const gs_scalar_arguments *a, int c)
{
    const double alpha = a->s[PC_ALPHA][c];

    if (alpha == 0) return;
    add_step_of_cg(a->record + (int64_t)c * a->record_size, a->s[PC_GAMMA][c], 1 / alpha);
}

/* T_jj = delta, T_{j,j+1} = the next gamma. Runs before minres_rotate. */
SMALL void minres_lanczos(const gs_scalar_arguments *a, int c)
{
    const double square = a->s[MR_SQUARE][c];

    lanczos_add(a->record + (int64_t)c * a->record_size, a->s[MR_DELTA][c],
                square > 0 ? sqrt(square) : 0);
}
