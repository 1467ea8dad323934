#!/bin/sh
# Makes the cluster's certificate authority and one certificate for all nodes. When it runs again
# with new names, it issues a new certificate that includes them. Without new names, it does so only
# in the last 90 days of the certificate. No node mounts the volume with the authority's key. The
# nodes read a new certificate when they reload their configuration.
#   make-certificates.sh [name…]
set -euf
cd /certificates
seconds=7776000
names="coordinator worker-1 worker-2 worker-3 $*"
[ -s names ] && names="$(cat names) $*"
names=$(printf '%s\n' $names | sort -u | tr '\n' ' ')
if [ -s server.crt ] && [ "$names" = "$(cat names 2>/dev/null)" ] && openssl x509 -checkend $seconds -noout -in server.crt >/dev/null; then
  exit 0
fi
if [ ! -s /authority/ca.crt ]; then
  openssl req -new -x509 -days 3650 -nodes -subj "/CN=recollect cluster $(date +%s)" -keyout /authority/ca.key -out /authority/ca.new
  mv /authority/ca.new /authority/ca.crt
fi
# Keeps a former authority in ca.crt, so that nodes that still use its certificate are trusted until
# they reload.
authority=$(cat /authority/ca.crt)
case $(cat ca.crt 2>/dev/null) in
  *"$authority"*) ;;
  *)
    { echo "$authority"; cat ca.crt 2>/dev/null || true; } >ca.new
    mv ca.new ca.crt
    ;;
esac
openssl req -new -nodes -subj "/CN=node" -keyout server.key.new -out server.csr
printf 'subjectAltName=' >extensions
printf 'DNS:%s,' $names | sed 's/,$//' >>extensions
openssl x509 -req -days 825 -in server.csr -CA /authority/ca.crt -CAkey /authority/ca.key -CAcreateserial -extfile extensions \
  -out server.crt.new
chown postgres server.key.new server.crt.new ca.crt
chmod 600 server.key.new
mv server.key.new server.key
mv server.crt.new server.crt
printf '%s' "$names" >names
rm -f server.csr extensions
