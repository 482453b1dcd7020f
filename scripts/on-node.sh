#!/usr/bin/env bash
# Runs a command with another version of Node first on the PATH, fetched by npm: scripts/on-node.sh 24 node --version
set -euo pipefail
version=$1
shift
exec npx --yes --package="$(node -p '`node-${process.platform}-${process.arch}`')@$version" -- "$@"
