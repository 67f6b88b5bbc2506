/* norm_body.h: the norm of the convergence test with norm=preconditioned, for the host and for
 * CUDA. SMALL is as in convergence_body.h. */

/* What the test takes for |r|^2 with norm=preconditioned; v = r'M^-1 r. If v is negative, M is not
 * positive definite, and the flag says so. */
SMALL double preconditioned_square(const gs_convergence_test *a, double v)
{
    if (v < 0 && !a->flag[a->c]) a->flag[a->c] = GSOLVE_INDEFINITE;
    return fabs(v) * a->factor[a->c];
}
