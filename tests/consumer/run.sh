#!/bin/sh
# Installs into a temporary prefix, moves the prefix, and builds and runs the
# consumers against it in all ways.
# usage: run.sh BUILD_DIR VERSION CXX [COMPONENT...]
set -eu
build_dir=$1
version=$2
export CXX="$3"
shift 3
components=$(echo "$*" | tr ' ' ';')
source_dir=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

expect_version() {
  found=$("$@") || fail "$* exited with $?"
  case $found in
    *"$version"*) ;;
    *) fail "$* printed \"$found\", expected version $version" ;;
  esac
}

# README shows the function of main.cc that merges two files.
shown=$(sed -n '/^void MergeFiles/,/^}/s/^/    /p' "$source_dir/main.cc")
case $(cat "$source_dir/../../README.md") in
  *"$shown"*) ;;
  *) fail "README.md does not show MergeFiles of main.cc" ;;
esac

cmake --install "$build_dir" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix

for header in "$prefix"/include/rebasin/*.h "$prefix"/include/rebasin/nn/*.h; do
  [ -f "$header" ] || continue # without the component nn
  "$CXX" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ \
    -I"$prefix/include" "$header" ||
    fail "$(basename "$header") does not stand alone"
done

cmake -S "$source_dir/cmake" -B "$work/cmake" -G Ninja \
  -DCMAKE_PREFIX_PATH="$prefix" -DWANTED_VERSION="$version" \
  -DCOMPONENTS="$components" >/dev/null
cmake --build "$work/cmake" >/dev/null
expect_version "$work/cmake/consumer"
case $components in *nn*) "$work/cmake/nn_consumer" ;; esac

pc=$(find "$prefix" -name rebasin.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
expect_version pkg-config --modversion rebasin
sh "$source_dir/pkg-config/build.sh" "$work/consumer"
expect_version "$work/consumer"

expect_version "$prefix/bin/rebasin" --version
expect_version "$prefix/bin/git-re-basin" --version
# `git re-basin --help` is `man git-re-basin`.
[ -f "$prefix/share/man/man1/git-re-basin.1" ] || fail "no manual page"
if command -v man >/dev/null; then
  page=$(PATH=$prefix/bin:$PATH MANPATH=$prefix/share/man MANPAGER=cat \
    GIT_PAGER=cat git re-basin --help) || fail "git re-basin --help exited with $?"
  case $page in
    *merge-driver*"git config merge.rebasin.driver"*) ;;
    *) fail "git re-basin --help printed \"$page\"" ;;
  esac
fi
echo "installed headers, CMake package and pkg-config file work"
