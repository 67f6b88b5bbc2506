#!/usr/bin/env bash
# check_hosts.sh [CMAKE OPTIONS]: installs the hosts from Debian and PyPI, builds gsolve with the plug-in for PETSc and the Python package
# in build-hosts/, and runs the tests of the hosts and of the Debian packages. Hosts that Debian does not have are named; their tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v apt-get >/dev/null || { echo "check_hosts.sh: this system has no apt-get; hosts come from Debian or Ubuntu" >&2; exit 1; }
scripts/install_dependencies.sh

packages=(libpetsc-real-dev libpetsc3.18-dev-examples python3-petsc4py python3-dolfinx python3-dolfin libdeal.ii-dev freefem++ libfreefem++
  libeigen3-dev openmpi-bin valgrind python3-basix python3-venv python3-dev python3-cffi python3-numpy python3-scipy python3-pytest python3-mpi4py
  libgl1 libglu1-mesa libxft2 libxcursor1 libxinerama1) # the last line: for gmsh
packages+=(dpkg-dev lintian mmdebstrap rpm cpio) # for the tests of packages
packages+=(libpetsc-complex-dev) # which the plug-in refuses
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
missing=() absent=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -qx 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  "${sudo[@]}" apt-get update -qq
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      absent+=("$package")
    elif ! "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$package" >/dev/null; then
      echo "check_hosts.sh: apt-get cannot install $package" >&2
      exit 1
    fi
  done
fi
[ ${#absent[@]} -eq 0 ] || echo "not in this distribution: ${absent[*]}"
if [ -d debian ] && ! dpkg-checkbuilddeps >/dev/null 2>&1; then
  "${sudo[@]}" apt-get build-dep -y -qq --no-install-recommends ./ >/dev/null
fi

# Debian's petsc4py and basix need Debian's NumPy. These packages of PyPI work with it.
env=$PWD/build-hosts/env
[ -x "$env/bin/python" ] || /usr/bin/python3 -m venv --system-site-packages "$env"
system=$(/usr/bin/python3 -c 'import numpy, scipy; print("numpy==" + numpy.__version__, "scipy==" + scipy.__version__)')
# shellcheck disable=SC2086 # $system has two words
"$env/bin/pip" install -q $system jax-fem jax==0.4.35 jaxlib==0.4.35 'ml_dtypes<0.5' 'cffi>=1.16' gmsh meshio pyfiglet scikit-fem
"$env/bin/pip" install -q --no-deps mfem

# Eigen's own tests are in its source package. The lists of source packages are kept apart from those of the system.
eigen=$PWD/build-hosts/eigen
if [ ! -e "$eigen/source/test/sparse_solver.h" ]; then
  mkdir -p "$eigen/sources" "$eigen/lists/partial"
  (. /etc/os-release && echo "deb-src [signed-by=/usr/share/keyrings/$ID-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main") >"$eigen/sources/source.list"
  apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$eigen/sources" -o Dir::State::lists="$eigen/lists" -o APT::Sandbox::User=root)
  if (cd "$eigen" && "${apt[@]}" update && "${apt[@]}" source --download-only eigen3) >/dev/null 2>&1; then
    mkdir -p "$eigen/source" && tar xf "$eigen"/eigen3_*.orig.tar.* -C "$eigen/source" --strip-components=1
  else
    echo "no source package of Eigen: its own tests are skipped"
  fi
fi

export PATH=/usr/bin:/bin:$PATH # Debian's python3 and mpicc before others
cmake --preset hosts -DPython_EXECUTABLE="$env/bin/python" -DGSOLVE_EIGEN_SOURCE="$eigen/source" "$@"
cmake --build --preset hosts
exec ctest --preset hosts
