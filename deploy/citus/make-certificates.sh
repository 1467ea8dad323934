#!/bin/sh
# Makes an authority and one certificate for all nodes, in the volume /certificates; does nothing when they are there.
set -eu
cd /certificates
[ -s server.crt ] && exit 0
openssl req -new -x509 -days 3650 -nodes -subj "/CN=recollect cluster" -keyout ca.key -out ca.crt 2>/dev/null
openssl req -new -nodes -subj "/CN=node" -keyout server.key -out server.csr 2>/dev/null
printf 'subjectAltName=DNS:coordinator,DNS:worker-1,DNS:worker-2,DNS:worker-3' >names
openssl x509 -req -days 3650 -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out server.crt 2>/dev/null
rm server.csr names ca.key
chown -R postgres server.key ca.crt server.crt
chmod 600 server.key
