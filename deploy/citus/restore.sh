#!/bin/sh
# Replaces the data of all nodes by a backup that deploy/citus/backup.sh has completed, and starts
# the cluster and the service again:
#   deploy/citus/restore.sh NAME
# Everything that was written after the backup is lost, on all nodes alike.
set -eu
cd "$(dirname "$0")/../.."
name=${1:?the name of the backup}
case $name in *[!a-zA-Z0-9_-]* | log) echo "A name has letters, digits, - and _ only, and is not log." >&2; exit 1 ;; esac

compose() { docker compose -f deploy/citus/docker-compose.yml --env-file .env --profile grow "$@" </dev/null; }
on_node() { node=$1; shift; compose run --rm --no-deps -T --user postgres --entrypoint sh "$node" "$@"; }

# Checks that all copies exist before anything is stopped.
nodes=$(on_node coordinator -c "cat '/backup/coordinator/$name.nodes'") || { echo "There is no complete backup $name." >&2; exit 1; }
for node in $nodes; do on_node coordinator -c "test -s '/backup/$node/$name/PG_VERSION'"; done
compose stop api worker coordinator worker-1 worker-2 worker-3
for node in $nodes; do
  echo "$node is restored"
  on_node "$node" /node-files.sh restore "$name"
done
# shellcheck disable=SC2086
compose up -d $nodes
for node in $nodes; do compose exec -T --user postgres "$node" sh /node-files.sh restored; done
docker compose -f deploy/citus/docker-compose.yml --env-file .env up -d </dev/null
