#!/usr/bin/env bash
# docker where no daemon is: buildah builds the image and runs it. The first stage is STAGE, which the test has filled
# by the Dockerfile's own steps. A container shares the network of this machine, so nothing is published: it listens
# where -p says.
set -eu
buildah() {
  BUILDAH_ISOLATION=chroot command buildah --root "$STORE/root" --runroot "$STORE/run" --storage-driver vfs "$@"
}
case $1 in
build)
  [ "$2" = -t ]
  buildah build --quiet --build-context build="$STAGE" --tag "$3" "$4"
  ;;
run)
  [ "$2 $3 $5 $7" = "-d --name -p -e" ]
  buildah from --pull-never --name "$4" "$9"
  command=$(buildah inspect --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}{{range .OCIv1.Config.Cmd}}{{.}} {{end}}' "$4")
  # shellcheck disable=SC2086
  buildah run --env "$8" --env PLATEN_LISTEN="${6%:*}" "$4" -- $command >"$STORE/log" 2>&1 &
  ;;
cp)
  root=$(buildah mount "${2%%:*}")
  cp "$root${2#*:}" "$3"
  ;;
logs) cat "$STORE/log" ;;
*) exit 64 ;;
esac
