"""farcaster-py signs a cast, submits it, and reads it back."""

import json
import sys

from farcaster.HubService import HubService
from farcaster.Message import MessageBuilder
from farcaster.fcproto.message_pb2 import HashScheme, SignatureScheme

world = json.loads(sys.argv[1])
hub = HubService(world["grpc"])
builder = MessageBuilder(
    HashScheme.HASH_SCHEME_BLAKE3,
    SignatureScheme.SIGNATURE_SCHEME_ED25519,
    bytes.fromhex(world["seed"][2:]),
)
cast = builder.message(builder.cast.add(fid=world["fid"], text="from farcaster-py"))
submitted = hub.SubmitMessage(cast)
read = hub.GetCast(world["fid"], "0x" + submitted.hash.hex())
listed = hub.GetCastsByFid(world["fid"]).messages
print(json.dumps({"text": read.data.cast_add_body.text, "listed": read.hash in [one.hash for one in listed]}))
