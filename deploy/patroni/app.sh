# Makes this machine run Rookery, which is in /opt/rookery, as a service. As root on app1 and app2: sh app.sh
. ./common.sh
install -d -m 755 /etc/rookery
place rookery.env /etc/rookery/env root 600
install -m 644 /opt/rookery/deploy/rookery.service /etc/systemd/system/rookery.service
systemctl daemon-reload
systemctl enable rookery
systemctl restart rookery
