#!/bin/sh
# Writes secrets for a compose file to the folder `secrets` where it is called. A secret that is there stays as it is.
set -eu
umask 077
mkdir -p secrets
chmod 700 secrets

# Keeps standard input as a secret. Programs in containers read the files as users of their own, so all may read them; the folder
# keeps out the users of this machine.
keep() {
  [ ! -e "secrets/$1" ] || { cat >/dev/null; return; }
  cat >"secrets/$1.part"
  chmod 444 "secrets/$1.part"
  mv "secrets/$1.part" "secrets/$1"
}

# Prints so many random bytes in hexadecimal.
random() {
  head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

# It must never change, and no backup has it: keep a copy elsewhere.
random 32 | keep master-key
random 24 | keep operator-token
random 24 | keep metrics-token
random 24 | keep postgres-password
random 24 | keep postgres-admin-password
printf 'postgres://posthorn:%s@postgres:5432/posthorn' "$(cat secrets/postgres-password)" | keep database-url
