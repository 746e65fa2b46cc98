#!/bin/sh
# Builds the consumer with nothing but a compiler and pkg-config.
# usage: build.sh OUTPUT (with CXX and PKG_CONFIG_PATH set)
set -eu
source_dir=$(dirname "$0")/..
# shellcheck disable=SC2046 # the flags are words
"$CXX" -std=c++20 "$source_dir/main.cc" -o "$1" \
  $(pkg-config --static --cflags --libs rebasin)
