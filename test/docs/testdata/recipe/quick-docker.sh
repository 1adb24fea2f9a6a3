#!/usr/bin/env bash
# docker of the quick tests: no container, but the program that the tests have, on this machine.
set -eu
case $1 in
build) [ "$2 $3" = "-t platen" ] && [ -f "$4/Dockerfile" ] ;;
run)
  [ "$2 $3 $4 $5 $7 $9" = "-d --name platen -p -e platen" ]
  cd "$STORE"
  env "$8" PLATEN_LISTEN="${6%:*}" PLATEN_DATABASE="$STORE/platen.db" nohup "$PROGRAM" serve >log 2>&1 &
  ;;
cp) [ "$2" = platen:/platen ] && ln -s "$PROGRAM" "$3" ;;
logs) cat "$STORE/log" ;;
*) exit 64 ;;
esac
