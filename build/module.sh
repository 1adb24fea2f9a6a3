#!/bin/sh
# Gives the module the path of your repository, in this clone: build/module.sh github.com/you/platen
# Go finds a module by its path, so that `go install` needs it before the first tag. Needs Go, git and Perl.
set -eu

path=${1:-}
case $path in
*.*/*) ;;
*)
	echo "usage: build/module.sh github.com/you/platen" >&2
	exit 2
	;;
esac
cd "$(dirname "$0")/.." # the clone that this script is in
[ "$(go list -m)" = platen ] || {
	echo "module.sh: the module is called $(go list -m) already" >&2
	exit 1
}
go mod edit -module "$path"
# The names of packages, of this module in the modules beside it, and in the program that writes the clients.
git grep -lE 'platen(/|"| v0| =>)' | MODULE=$path xargs perl -pi -e \
	's{(["`^\s])platen(?=/(client|cmd|docs|eval|examples|internal|platentest|test|tools|\()| v0\.0\.0| =>)|(?<=module = ")platen(?=")}{$1$ENV{MODULE}}g'
gofmt -l -w .
