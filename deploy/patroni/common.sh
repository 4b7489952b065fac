# Read by the scripts of each machine: the settings, the names of the machines, and the certificate.
set -eu
set -a
. ./cluster.env
set +a
# What is replaced in the files; other dollar signs are theirs.
NAMES="$(sed -n 's/^\([A-Z0-9_]*\)=.*/${\1}/p' cluster.env) \${NODE} \${ADDRESS} \${ETCD_STATE} \${POSTGRESQL_BIN}"

for machine in db1:$DB1 db2:$DB2 db3:$DB3 backup:$BACKUP app1:$APP1 app2:$APP2 proxy:$PROXY; do
  name=${machine%%:*}.cluster
  sed -i "/ $name\$/d" /etc/hosts
  echo "${machine#*:} $name" >> /etc/hosts
done

getent group rookery-cluster > /dev/null || groupadd --system rookery-cluster
install -d /etc/rookery-cluster
install -m 644 cluster.crt /etc/rookery-cluster/cluster.crt
install -m 640 -g rookery-cluster cluster.key /etc/rookery-cluster/cluster.key

# Writes a file of this directory to its place with the settings in it: place <file> <target> <owner> <mode>
place() {
  install -m "$4" -o "$3" /dev/null "$2"
  envsubst "$NAMES" < "$1" > "$2"
}
