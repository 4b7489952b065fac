"""fc-nmap asks a hub for its description and its peers."""

import json
import sys

from fc_nmap.GrpcClient import HubService

world = json.loads(sys.argv[1])
hub = HubService(world["grpc"])
info = hub.GetInfo(db_stats=True)
print(json.dumps({"version": info.version, "peers": len(hub.GetCurrentPeers().contacts)}))
