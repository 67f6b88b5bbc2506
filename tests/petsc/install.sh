#!/bin/sh
# install.sh BUILD: installs the plug-in for PETSc, links a program with it by pkg-config, and loads it by -dll_append.
set -eu
build=$1
command -v pkg-config >/dev/null || { echo "skipped: pkg-config is missing"; exit 77; }
command -v "${MPICC:-mpicc}" >/dev/null || { echo "skipped: mpicc is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name gsolve_petsc.pc)")
export PKG_CONFIG_PATH
mv "$work/prefix" "$work/moved" # it is relocatable
PKG_CONFIG_PATH=$work/moved${PKG_CONFIG_PATH#"$work/prefix"}
libraries=$(pkg-config --variable=libdir gsolve_petsc)

cat >"$work/program.c" <<'PROGRAM'
#include <petscksp.h>
#ifdef LINKED
#include <gsolve_petsc.h>
#endif
int main(int argc, char **argv)
{
    PC pc;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
#ifdef LINKED
    PetscCall(GsolvePetscRegister());
#endif
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, "gsolve"));
    PetscCall(PCDestroy(&pc));
    return PetscFinalize();
}
PROGRAM
# shellcheck disable=SC2046 # flags are words
"${MPICC:-mpicc}" -w -DLINKED -o "$work/linked" "$work/program.c" $(pkg-config --cflags --libs gsolve_petsc) -Wl,-rpath,"$libraries"
# shellcheck disable=SC2046
"${MPICC:-mpicc}" -w -o "$work/loads" "$work/program.c" $(pkg-config --cflags --libs PETSc)
"$work/linked"
"$work/loads" -dll_append "$(pkg-config --variable=plugin gsolve_petsc)"
echo "a linked program and one that loads the plug-in know the type gsolve"
