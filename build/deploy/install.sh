#!/bin/sh
# Installs platen: downloads the archive for this machine, checks its sum, and puts the program
# into a folder. Needs curl or wget, tar, and sha256sum or shasum.
#
#   PLATEN_RELEASES  where the files of a release are: a URL that ends before their names
#   PLATEN_VERSION   which release, such as v0.1.0
#   PLATEN_INSTALL   the folder for the program; ~/.local/bin when empty
set -eu

version=${PLATEN_VERSION:-}
releases=${PLATEN_RELEASES:-}
folder=${PLATEN_INSTALL:-$HOME/.local/bin}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

[ -n "$releases" ] || fail "PLATEN_RELEASES is not set: the URL of the folder that has the files of the release"
[ -n "$version" ] || fail "PLATEN_VERSION is not set, such as v0.1.0"

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no archive for $(uname -s) that this script can install; see the list of files of the release" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no archive for a $(uname -m)" ;;
esac

download() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL "$1" -o "$2"
	else
		wget -q "$1" -O "$2"
	fi || fail "cannot download $1"
}

sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

name=platen_${version#v}_${os}_${arch}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
download "${releases%/}/SHA256SUMS" "$work/SHA256SUMS"
download "${releases%/}/$name.tar.gz" "$work/$name.tar.gz"
want=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$want" ] || fail "SHA256SUMS does not name $name.tar.gz"
[ "$(sum "$work/$name.tar.gz")" = "$want" ] || fail "the sum of $name.tar.gz is not the one in SHA256SUMS; nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$folder"
# The name changes in one step: a program that runs keeps its file.
cp "$work/$name/platen" "$folder/.platen.new"
chmod 755 "$folder/.platen.new"
mv "$folder/.platen.new" "$folder/platen"
echo "platen $version is in $folder"
case :$PATH: in
*:"$folder":*) ;;
*) echo "add $folder to PATH to run it as platen" ;;
esac
