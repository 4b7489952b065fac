# A cast is signed, submitted and read over gRPC.
import time

import message_pb2 as m
from blake3 import blake3
from nacl.signing import SigningKey
from rpc_pb2 import FidRequest
from rpc_pb2_grpc import HubServiceStub

EPOCH = 1_609_459_200  # 2021-01-01, from which the hub counts seconds


def cast(account, text):
    data = m.MessageData(type=m.MESSAGE_TYPE_CAST_ADD, fid=account['fid'], network=m.NETWORK_DEVNET,
                         timestamp=int(time.time()) - EPOCH, cast_add_body=m.CastAddBody(text=text))
    digest = blake3(data.SerializeToString()).digest(length=20)
    key = SigningKey(bytes.fromhex(account['appPrivateKey'].removeprefix('0x')))
    return m.Message(data=data, hash=digest, hash_scheme=m.HASH_SCHEME_BLAKE3,
                     signature=key.sign(digest).signature, signer=bytes(key.verify_key),
                     signature_scheme=m.SIGNATURE_SCHEME_ED25519)


def test_a_cast_is_published_and_read(channel, account):
    hub = HubServiceStub(channel)
    hub.SubmitMessage(cast(account, 'Hello'))
    casts = hub.GetCastsByFid(FidRequest(fid=account['fid'])).messages
    assert [one.data.cast_add_body.text for one in casts] == ['Hello']
