#!/usr/bin/env bash
# Runs a command on this machine as if the optional programs of the tests were not installed. They are taken away in an
# overlay that only this command sees. Needs root and a kernel with overlayfs; exits with 3 where that is missing.
set -euo pipefail
if [ "${DRYDOCK_BARE:-}" != 1 ]; then
  unshare --mount true 2>/dev/null || exit 3
  DRYDOCK_BARE=1 exec unshare --mount -- "$0" "$@"
fi
# The layers of an overlay cannot lie in another overlay, so they get a file system of their own.
layers=/mnt
mount -t tmpfs tmpfs "$layers" || exit 3
for folder in /usr/bin /usr/sbin; do
  mkdir -p "$layers$folder/upper" "$layers$folder/work"
  mount -t overlay overlay \
    -o "lowerdir=$folder,upperdir=$layers$folder/upper,workdir=$layers$folder/work" "$folder" || exit 3
done
rm -f /usr/bin/{bwrap,chromium,chromium-headless-shell,chromium-browser,google-chrome,google-chrome-stable} \
  /usr/bin/{promtool,systemd-analyze} /usr/sbin/{haproxy,pgbouncer}
exec env --unset=DRYDOCK_BARE "$@"
