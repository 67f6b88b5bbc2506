/* convergence_body.h: the convergence test, for the host and for CUDA. SMALL is the declaration
 * specifier of a function (static or __device__). after: iterations since the last test. flag: 0,
 * or the outcome that a kernel found. */

SMALL void test_progress(gs_progress *p, double rr, int flag, int after)
{
    const double r = sqrt(rr);

    p->iteration += after;
    p->r = r;
    p->outcome = r <= p->target             ? GSOLVE_CONVERGED
                 : !(r <= p->ceiling)       ? GSOLVE_DIVERGED
                 : flag                     ? flag
                 : p->iteration >= p->maxit ? GSOLVE_ITERATION_LIMIT
                                            : -1;
    if (p->outcome >= 0) return;
    p->since_least = r < p->least ? 0 : p->since_least + 1;
    p->least = r < p->least ? r : p->least;
    if (p->stall && p->since_least >= p->stall) p->outcome = GSOLVE_STAGNATED;
}

SMALL void record_residual(const gs_convergence_test *a, const gs_progress *p)
{
    a->history[(int64_t)(p->iteration % GS_HISTORY) * a->ncols + a->c] = p->r;
}

/* Without progress there is no test. */
SMALL void test_column(const gs_convergence_test *a, double rr, int after)
{
    if (!a->progress) return;
    gs_progress *p = &a->progress[a->c];
    const int flag = *(const volatile int *)&a->flag[a->c]; /* other blocks may have set it */

    test_progress(p, rr, flag, after);
    record_residual(a, p);
    a->ended[a->c] = p->outcome >= 0 ? GS_ENDS : GS_GOES_ON;
}
