# Writes the settings of a Rookery process to /etc/rookery/env. As root on app1 and app2: sh app.sh
. ./common.sh
install -d -m 755 /etc/rookery
place rookery.env /etc/rookery/env root 600
