import { pageOf, paging } from '../../http/input/paging.ts'
import { boolParam, described, fidParam, hexParam, optional } from '../../http/input/params.ts'
import type { Route } from '../../http/route.ts'
import { ADDRESS_BYTES, KEY_BYTES } from '../../protocol/sizes.ts'
import { type HubContext, hubReads } from '../hub-route.ts'
import { chainEventType, shardParam } from '../parameters.ts'
import {
  chainEventReply,
  chainEventsReply,
  either,
  fidsReply,
  infoReply,
  storageLimitsReply,
} from './replies.ts'

const accountRead = hubReads({
  name: 'Accounts',
  description: 'What the hub knows of accounts and of itself.',
})

/** Routes that read accounts, on-chain events and the state of the hub. */
export const accountRoutes = (context: HubContext): Route[] =>
  [
    info,
    fids,
    storageLimitsByFid,
    onChainSignersByFid,
    onChainEventsByFid,
    onChainIdRegistryEventByAddress,
  ].map((of) => of(context))

const info = accountRead(
  {
    path: '/v1/info',
    summary: 'What this hub is',
    description:
      'Its version, its nickname and whether it is still catching up with a chain. `dbstats` adds the numbers of messages and fids.',
    query: { dbstats: described(boolParam, 'Whether to count messages and fids.') },
    reply: infoReply,
  },
  async (reads, q) => ({
    info: await reads.info(),
    withStats: q.dbstats,
  }),
)

const fids = accountRead(
  {
    path: '/v1/fids',
    summary: 'Registered fids',
    description: 'In ascending order.',
    query: { ...paging, shard_id: shardParam },
    reply: fidsReply,
  },
  (reads, q) => reads.fids(pageOf(q)),
)

const storageLimitsByFid = accountRead(
  {
    path: '/v1/storageLimitsByFid',
    summary: 'The storage limits of a fid',
    description: 'How many messages of each kind the fid may store, and how many it has stored.',
    // It reads the counts, the rented units and the oldest message of each kind.
    cost: { cpu: 'moderate' },
    query: { fid: fidParam },
    reply: storageLimitsReply,
  },
  (reads, q) => reads.storageLimitsByFid(q.fid),
)

const onChainSignersByFid = accountRead(
  {
    path: '/v1/onChainSignersByFid',
    summary: 'Active keys of a fid',
    description:
      'The events that added the keys. With `signer`, only the event that added that key.',
    query: {
      fid: fidParam,
      signer: optional(hexParam({ bytes: KEY_BYTES, label: 'publicKey' })),
      ...paging,
    },
    reply: either(chainEventsReply, chainEventReply),
  },
  (reads, q) =>
    q.signer === undefined
      ? reads.onChainSignersByFid(q.fid, pageOf(q))
      : reads.onChainSigner(q.fid, q.signer),
)

const onChainEventsByFid = accountRead(
  {
    path: '/v1/onChainEventsByFid',
    summary: 'On-chain events of a fid',
    description: 'Of one type, oldest first.',
    query: { fid: fidParam, event_type: chainEventType, ...paging },
    reply: chainEventsReply,
  },
  (reads, q) => reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
)

const onChainIdRegistryEventByAddress = accountRead(
  {
    path: '/v1/onChainIdRegistryEventByAddress',
    summary: 'The event that gave an address its fid',
    description: '404 when the address holds no fid.',
    query: { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
    reply: chainEventReply,
  },
  (reads, q) => reads.idRegistryEventByAddress(q.address),
)
