/* register.c: makes the types known to PETSc. */
#include "petsc/plugin.h"

PetscErrorCode GsolvePetscRegister(void)
{
    PetscFunctionBegin;
    PetscCall(PCRegister(PCGSOLVE, gs_petsc_pc_create));
    PetscCall(KSPRegister(KSPGSOLVE, gs_petsc_ksp_create));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls the function of this name when it loads libgsolve_petsc. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_gsolve_petsc(void);

PetscErrorCode PetscDLLibraryRegister_gsolve_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(GsolvePetscRegister());
    PetscFunctionReturn(PETSC_SUCCESS);
}
