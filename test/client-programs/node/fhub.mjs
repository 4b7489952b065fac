// fhub signs a cast and submits it over gRPC.

import { Account, Actions, Client, Transport } from 'fhub'

const world = JSON.parse(process.argv[2])
const client = Client.create(Transport.grpcNode({ baseUrl: `http://${world.grpc}` }))
const account = Account.fromPrivateKeyAndFid({ fid: BigInt(world.fid), privateKey: world.seed })
const cast = { text: { value: 'from fhub' }, isLong: false }
const { data } = await Actions.Cast.create(client, { cast, account })
console.log(JSON.stringify({ hash: data.meta.hash }))
// Its connection stays open, and has no call that closes it.
process.exit()
