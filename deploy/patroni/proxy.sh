# Makes this machine the proxy in front of the Rookery processes. As root: sh proxy.sh
. ./common.sh
place haproxy.cfg /etc/haproxy/haproxy.cfg root 644
systemctl enable haproxy
systemctl restart haproxy
