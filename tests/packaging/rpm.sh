#!/bin/sh
# rpm.sh SOURCE [build]: rpmspec parses packaging/gsolve.spec; with 'build', rpmbuild builds the packages of the files of SOURCE, and
# the command is run from them. On a system without an RPM database of its packages the requirements are not checked.
# Skipped (77) without rpmspec or rpmbuild.
set -eu
source=$1
command -v rpmspec >/dev/null || { echo "skipped: rpmspec is not installed (Debian: rpm)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rpmspec -P "$source/packaging/gsolve.spec" >"$work/spec" 2>"$work/errors" || { cat "$work/errors"; exit 1; }
if [ -s "$work/errors" ]; then cat "$work/errors"; exit 1; fi
rpmspec -q --qf '%{NAME} ' "$source/packaging/gsolve.spec" >"$work/names"
for name in gsolve gsolve-libs gsolve-devel gsolve-doc python3-pygsolve; do grep -qw -- "$name" "$work/names" || { echo "FAILED: no package $name"; exit 1; }; done
[ "${2:-}" = build ] || exit 0

for tool in rpmbuild rpm2cpio cpio ninja; do command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }; done
/usr/bin/python3 -c 'import cffi, markdown, numpy, pytest, scipy' 2>/dev/null || { echo "skipped: /usr/bin/python3 lacks cffi, markdown, numpy, pytest or scipy"; exit 77; }
version=$(sed -n 's/^Version: *//p' "$source/packaging/gsolve.spec")
mkdir "$work/gsolve-$version" "$work/root"
(cd "$source" && tar c --exclude='./build*' --exclude=./.git .) | tar x -C "$work/gsolve-$version"
tar czf "$work/gsolve-$version.tar.gz" -C "$work" "gsolve-$version"
PATH=/usr/sbin:/usr/bin:/sbin:/bin rpmbuild -ba --nodeps --define "_topdir $work/rpm" --define "_sourcedir $work" "$source/packaging/gsolve.spec" >"$work/log" 2>&1 ||
    { tail -n 60 "$work/log"; exit 1; }
find "$work/rpm/RPMS" -name '*.rpm' | while read -r package; do (cd "$work/root" && rpm2cpio "$package" | cpio -idm --quiet); done
libraries=$(dirname "$(find "$work/root" -name 'libgsolve.so.*.*.*')")
LD_LIBRARY_PATH=$libraries "$work/root/usr/bin/gsolve" -A gen:poisson2d,n=20
