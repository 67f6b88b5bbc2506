/* gsolve_petsc.h: gsolve as a preconditioner and as a solver of PETSc.
 *
 * A program that links libgsolve_petsc calls GsolvePetscRegister() after PetscInitialize(). PETSc
 * then knows two types, in programs and in options:
 *
 *     PCSetType(pc, PCGSOLVE)       -pc_type gsolve     a preconditioner of gsolve
 *     KSPSetType(ksp, KSPGSOLVE)    -ksp_type gsolve    a Krylov method of gsolve
 *
 * A program that does not link it gets both by the option -dll_append PATH/libgsolve_petsc.so.
 * docs/howto/petsc.md describes the options.
 */
#ifndef GSOLVE_PETSC_H
#define GSOLVE_PETSC_H

#include <petscksp.h>

#define PCGSOLVE  "gsolve"
#define KSPGSOLVE "gsolve"

/* Registers both types. Later calls have no effect. */
PETSC_EXTERN PetscErrorCode GsolvePetscRegister(void);

#endif
