# Read before etcdctl is used on a database machine.
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=https://127.0.0.1:2379 ETCDCTL_CACERT=/etc/rookery-cluster/cluster.crt
export ETCDCTL_CERT=/etc/rookery-cluster/cluster.crt ETCDCTL_KEY=/etc/rookery-cluster/cluster.key
