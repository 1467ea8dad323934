#!/bin/sh
# Backs up all nodes of the cluster of deploy/citus/docker-compose.yml, to one common moment, while
# the cluster is in use:
#   deploy/citus/backup.sh NAME
# The volume `backup` gets a copy of each node's data. It already has the log, which each node keeps
# there all the time. At the end, the volume gets the list of the nodes, without which restore.sh
# does nothing. docs/CITUS.md says which logs can be deleted.
set -eu
cd "$(dirname "$0")/../.."
name=${1:?the name of the backup}
case $name in *[!a-zA-Z0-9_-]* | log) echo "A name has letters, digits, - and _ only, and is not log." >&2; exit 1 ;; esac

compose() { docker compose -f deploy/citus/docker-compose.yml --env-file .env --profile grow "$@" </dev/null; }
sql() { compose exec -T coordinator psql -U postgres -d recollect -qAtv ON_ERROR_STOP=1 -c "$1"; }
on_node() { node=$1; shift; compose exec -T --user postgres "$node" "$@"; }

if on_node coordinator test -e "/backup/coordinator/$name"; then echo "There is a backup $name, or the beginning of one." >&2; exit 1; fi
nodes=$(sql "SELECT DISTINCT nodename FROM pg_dist_node ORDER BY nodename")
for node in $nodes; do
  echo "$node is copied"
  on_node "$node" sh /node-files.sh copy "$name"
done
# Marks the moment to which all nodes are restored. At this moment, no transaction over two nodes is
# half committed.
sql "SELECT citus_create_restore_point('$name')" >/dev/null
for node in $nodes; do on_node "$node" sh /node-files.sh switch; done
on_node coordinator sh -c "echo '$nodes' >/backup/coordinator/$name.nodes"
echo "$name is complete"
