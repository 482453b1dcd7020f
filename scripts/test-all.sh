#!/usr/bin/env bash
# Runs what `npm test` leaves out: the tests with the tag `long`, the program on newer versions of Node, and the tests
# whose outcome depends on optional programs, on this machine with those programs hidden.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/lane.sh
fast=--tags-filter='!long'
begun=$SECONDS

lane npx vitest run --tags-filter=long

# The other versions of Node, with the tests of npm test.
for version in 22 24; do
  lane scripts/on-node.sh "$version" bash -c 'node -v && npm run --silent build >/dev/null && npx vitest run "$@"' \
    bash "$fast"
done

if scripts/bare.sh true; then
  lane scripts/bare.sh npx vitest run every-operation fuzz doctor confinement widgets \
    browser console visit replicas database-hosts deploy live-servers eval-delivery secret-variables
else
  echo "The optional programs could not be hidden here; the run without them is left out."
fi

echo "all of it took $(((SECONDS - begun) / 60)) min $(((SECONDS - begun) % 60)) s"
sum
