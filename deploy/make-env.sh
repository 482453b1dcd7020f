#!/bin/sh
# Prints the secrets of a new installation for compose.yaml:  (umask 077; sh make-env.sh > .env)
# Keep a copy of DRYDOCK_MASTER_KEY elsewhere: without it the stored secrets cannot be read.
set -eu
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
cat <<END
POSTGRES_PASSWORD=$(random 24)
S3_ACCESS_KEY=$(random 10)
S3_SECRET_KEY=$(random 24)
DRYDOCK_MASTER_KEY=$(random 32)
DRYDOCK_BOOTSTRAP_KEY=sk_$(random 32)
# Where people and clients reach it, when that is not this machine alone:
#DRYDOCK_PUBLIC_URL=https://drydock.example.com
#DRYDOCK_TRUSTED_PROXIES=10.1.0.0/16
END
