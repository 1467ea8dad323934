#!/bin/sh
# Manages a node's own files, as the user postgres. The node's backups are in /backup/<its name>.
#   node-files.sh archive PATH FILE   Postgres's archive_command: keeps one file of the log
#   node-files.sh copy NAME           copies the data of the running node
#   node-files.sh switch              ends the current file of the log, and waits until it is kept
#   node-files.sh restore NAME        replaces the data of the stopped node by a copy; the node
#                                     replays its log at the next start
#   node-files.sh restored            waits for the end of recovery, then resets the recovery
#                                     settings, which a standby or a copy would inherit
set -eu
backup=/backup/$(hostname)
log=$backup/log
mkdir -p "$log"

# Tries a command once a second, for five minutes.
wait_until() {
  for _ in $(seq 300); do
    if "$@"; then return; fi
    sleep 1
  done
  echo "$(hostname): five minutes have passed, and this is not true yet: $*. The log of the node says why." >&2
  exit 1
}
is_recovered() { [ "$(psql -U postgres -qAtc "SELECT pg_is_in_recovery()" 2>/dev/null)" = f ]; }

case $1 in
  archive)
    # After a crash during this command, Postgres archives the same file again.
    if [ -e "$log/$3" ]; then exec cmp -s "$2" "$log/$3"; fi
    cp "$2" "$log/.$3"
    sync "$log/.$3"
    mv "$log/.$3" "$log/$3"
    sync "$log"
    ;;
  copy)
    rm -rf "$backup/.$2"
    pg_basebackup -U postgres -D "$backup/.$2" --wal-method=none --checkpoint=fast
    mv "$backup/.$2" "$backup/$2"
    ;;
  switch)
    file=$(psql -U postgres -qAtc "SELECT pg_walfile_name(pg_switch_wal())")
    wait_until test -e "$log/$file"
    ;;
  restore)
    [ -s "$backup/$2/PG_VERSION" ] || { echo "$(hostname) has no backup $2." >&2; exit 1; }
    [ ! -e "$PGDATA/postmaster.pid" ] || { echo "$(hostname) runs, or did not stop in order; start it and stop it first." >&2; exit 1; }
    find "$PGDATA" -mindepth 1 -delete
    cp -a "$backup/$2/." "$PGDATA"
    {
      echo "restore_command = 'cp $log/%f %p'"
      echo "recovery_target_name = '$2'"
      # Not the latest timeline: another backup may have been restored since, which began a timeline
      # of its own.
      echo "recovery_target_timeline = current"
      echo "recovery_target_action = promote"
    } >>"$PGDATA/postgresql.auto.conf"
    touch "$PGDATA/recovery.signal"
    ;;
  restored)
    wait_until is_recovered
    for setting in restore_command recovery_target_name recovery_target_timeline recovery_target_action; do
      psql -U postgres -qc "ALTER SYSTEM RESET $setting"
    done
    ;;
esac
