import Type from 'typebox'
import { pageOf, paging } from '../http/paging.ts'
import { boolParam, fidParam, hexParam, optional } from '../http/params.ts'
import type { Route } from '../http/route.ts'
import { ADDRESS_BYTES, chainEventType, getter, KEY_BYTES } from './parameters.ts'
import type { HubReads } from './reads.ts'
import { ChainEvent, ChainEventList } from './replies.ts'

/** Reading what the hub knows of accounts and of itself. */
export function accountRoutes(reads: HubReads): Route[] {
  const get = getter(['accounts'])
  return [
    get('/v1/info', 'What this hub is', { dbstats: boolParam }, infoReply, (q) =>
      reads.info(q.dbstats),
    ),
    get(
      '/v1/fids',
      'Registered fids in ascending order',
      paging,
      Type.Object({ fids: Type.Array(Type.Integer()), nextPageToken: Type.String() }),
      (q) => reads.fids(pageOf(q)),
    ),
    get(
      '/v1/storageLimitsByFid',
      'What a fid may store and has stored',
      { fid: fidParam },
      Type.Object({ units: Type.Integer() }, { additionalProperties: true }),
      (q) => reads.storageLimitsByFid(q.fid),
    ),
    get(
      '/v1/onChainSignersByFid',
      'Active keys of a fid; with a signer, the event that added that one',
      {
        fid: fidParam,
        signer: optional(hexParam({ bytes: KEY_BYTES, label: 'publicKey' })),
        ...paging,
      },
      Type.Union([ChainEventList, ChainEvent]),
      (q) =>
        q.signer === undefined
          ? reads.onChainSignersByFid(q.fid, pageOf(q))
          : reads.onChainSigner(q.fid, q.signer),
    ),
    get(
      '/v1/onChainEventsByFid',
      'On-chain events of a fid, of one type',
      { fid: fidParam, event_type: chainEventType, ...paging },
      ChainEventList,
      (q) => reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
    ),
    get(
      '/v1/onChainIdRegistryEventByAddress',
      'The event that gave an address its fid',
      { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
      ChainEvent,
      (q) => reads.idRegistryEventByAddress(q.address),
    ),
  ]
}

const infoReply = Type.Object(
  {
    version: Type.String(),
    isSyncing: Type.Boolean(),
    nickname: Type.String(),
    network: Type.String({
      description: 'The network of its messages: mainnet, testnet or devnet.',
    }),
  },
  { additionalProperties: true },
)
