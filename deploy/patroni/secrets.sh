# Adds secrets to cluster.env and makes the certificate of the cluster. Run it once, on one machine.
set -eu
umask 077
chmod 600 cluster.env
. ./cluster.env
secret() { echo "$1=$2$(openssl rand -hex "$3")" >> cluster.env; }
secret SUPERUSER_PASSWORD '' 24
secret REPLICATOR_PASSWORD '' 24
secret REWIND_PASSWORD '' 24
secret DATABASE_PASSWORD '' 24
secret BACKUP_PASSPHRASE '' 32
# Keys of the store: without them restored data are of little use (docs/operating.md, "Keys").
secret ROOKERY_SIGNER_SECRET 0x 32
secret ROOKERY_REGISTRY_KEY 0x 32
secret ROOKERY_OPS_TOKEN '' 24
# One certificate for every connection between the machines. Who has its key is a member of the cluster.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=rookery-cluster \
  -addext "subjectAltName=DNS:db1.cluster,DNS:db2.cluster,DNS:db3.cluster,DNS:backup.cluster,IP:$DB1,IP:$DB2,IP:$DB3,IP:127.0.0.1" \
  -keyout cluster.key -out cluster.crt 2> /dev/null
