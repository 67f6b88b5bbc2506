#!/usr/bin/env bash
# check_debian.sh [--install] [OUT]: builds the Debian packages and checks them. OUT: a folder that gets them.
#   1. dpkg-buildpackage builds the source package and the packages, with a part of the tests
#   2. lintian finds nothing, pedantic remarks included
#   3. a second build in another folder, time zone and locale gives the same bytes
#   4. in a fresh system (mmdebstrap) the packages are installed, run by debian/tests/, removed and purged; nothing remains
# --install installs what is missing; without it, exit code 77 and the names. Uses the files as they are, also those not committed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in -h | --help) sed -n '2,7s/^# //p' "$0" && exit 0 ;; esac
install=no
if [ "${1:-}" = --install ]; then install=yes && shift; fi
out=${1:-}
fail() { echo "check_debian.sh: $*" >&2; exit 1; }
skip() { echo "skipped: $*" && exit 77; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "this is no Debian system: apt-get and dpkg are missing"

tools=(dpkg-dev lintian mmdebstrap) missing=''
for package in "${tools[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -qx 'install ok installed' || missing+=" $package"
done
if [ -z "$missing" ]; then # without the tools all of this is unknown
  missing=$(cd "$top" && LC_ALL=C dpkg-checkbuilddeps 2>&1 | sed 's/^.*build dependencies:/ /') || true
fi
if [ -n "$missing" ]; then
  [ $install = yes ] || skip "not installed:$missing (scripts/check_debian.sh --install installs them)"
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${tools[@]}" >/dev/null
  (cd "$top" && "${sudo[@]}" apt-get build-dep -y -qq --no-install-recommends ./ >/dev/null)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$top/debian/changelog")

# The sources once, so that a change during the checks does not matter; and the archive without debian/ that a source package has.
mkdir "$work/gsolve-$version"
(cd "$top" && tar c --exclude='./build*' --exclude='./obj-*' --exclude=./.git .) | tar x -C "$work/gsolve-$version"
(cd "$work/gsolve-$version" && if command -v git >/dev/null && git -C "$top" rev-parse --is-inside-work-tree >/dev/null 2>&1; then # what git ignores
  git -C "$top" ls-files -z --others --ignored --exclude-standard | { grep -zvE '^(build|obj-)' || true; } | xargs -0r rm -f --
fi)
tar c --exclude="gsolve-$version/debian" -C "$work" "gsolve-$version" | gzip -n >"$work/gsolve_$version.orig.tar.gz"

build() { # INTO OPTIONS
  mkdir -p "$1"
  cp -r --preserve=links,timestamps "$work/gsolve-$version" "$work/gsolve_$version.orig.tar.gz" "$1"
  (cd "$1/gsolve-$version" && DEB_BUILD_OPTIONS="parallel=$(nproc) $2" PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage -us -uc) >"$1/log" 2>&1 ||
    { tail -n 60 "$1/log" && fail "dpkg-buildpackage failed in $1"; }
}

build "$work/first" ''
grep -E '^100% tests passed|tests failed out of' "$work/first/log"
lintian --allow-root --fail-on error,warning,info,pedantic --display-info --pedantic "$work"/first/*.changes || fail "lintian finds faults"
echo "lintian finds nothing"

umask 027
TZ=Asia/Tokyo LC_ALL=C.UTF-8 build "$work/second/a-folder-with-a-longer-name" nocheck
umask 022
for package in "$work"/first/*.deb; do
  cmp "$package" "$work/second/a-folder-with-a-longer-name/$(basename "$package")" || fail "$(basename "$package") is not reproducible"
done
echo "a second build gives the same $(find "$work/first" -name '*.deb' | wc -l) packages, byte by byte"

mkdir "$work/packages"
find "$work/first" -name '*.deb' ! -name '*-dbgsym*' -exec cp {} "$work/packages" \;
cat >"$work/in_system" <<'END'
set -eu
cd /sources
export DEBIAN_FRONTEND=noninteractive AUTOPKGTEST_TMP=/tests PYTHONDONTWRITEBYTECODE=1
packages=$(for file in /packages/*.deb; do dpkg-deb -f "$file" Package; done)
apt-get install -y -qq --no-install-recommends /packages/*.deb >/dev/null
for test in debian/tests/command debian/tests/build-programs debian/tests/python; do
    mkdir /tests
    echo "== $test"
    $test >/log 2>&1 || { tail -n 40 /log; exit 1; }
    tail -n 1 /log
    rm -r /tests
done
dpkg -r $packages >/dev/null
if command -v gsolve; then echo "gsolve is still there after dpkg -r"; exit 1; fi
dpkg -P $packages >/dev/null 2>&1
left=$(find / -xdev \( -path /proc -o -path /sources -o -path /packages -o -path /var/log \) -prune -o -name '*gsolve*' -print)
[ -z "$left" ] || { echo "left after dpkg -P: $left"; exit 1; }
END
depends=$(sed -n 's/^Depends: //p; s/^ *\([a-z0-9+.-]*\),\{0,1\}$/\1/p' "$top/debian/tests/control" | tr -d ' ' | tr ',' '\n' | grep -vE 'gsolve|^$' | paste -sd,)
rm -rf "$work/second"
# shellcheck disable=SC2016 # $1 is mmdebstrap's
mmdebstrap --quiet --variant=apt --include="$depends" \
  --customize-hook='mkdir "$1/sources"' --customize-hook="copy-in '$work/packages' '$work/in_system' /" \
  --customize-hook="cd '$work/first/gsolve-$version' && tar c debian python tests examples docs | tar x -C \"\$1/sources\"" \
  --customize-hook='env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" sh /in_system' "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" /dev/null || fail "the packages do not work in a fresh system"
echo "installed, run, removed and purged in a fresh system: nothing remains"
if [ -n "$out" ]; then mkdir -p "$out" && cp "$work"/first/*.deb "$work"/first/*.dsc "$work"/first/*.tar.* "$work"/first/*.changes "$work"/first/*.buildinfo "$out"; fi
