import { pageOf, paging } from '../../http/input/paging.ts'
import { boolParam, described, fidParam, hexParam, optional } from '../../http/input/params.ts'
import { bind, type Route, route } from '../../http/route.ts'
import { ADDRESS_BYTES, KEY_BYTES } from '../../protocol/sizes.ts'
import { type HubContext, hubJson, READ_ERRORS } from '../hub-route.ts'
import { chainEventType, shardParam } from '../parameters.ts'
import {
  chainEventReply,
  chainEventsReply,
  either,
  fidsReply,
  infoReply,
  storageLimitsReply,
} from './replies.ts'

const TAGS = [
  {
    name: 'Accounts',
    description: 'What the hub knows of accounts and of itself.',
  },
]

/** Routes that read accounts, on-chain events and the state of the hub. */
export const accountRoutes = (context: HubContext): Route[] =>
  bind(context, [
    info,
    fids,
    storageLimitsByFid,
    onChainSignersByFid,
    onChainEventsByFid,
    onChainIdRegistryEventByAddress,
  ])

const info = route('GET /v1/info', {
  callers: 'anyone',
  summary: 'What this hub is',
  description:
    'Its version, its nickname and whether it is still catching up with a chain. `dbstats` adds the numbers of messages and fids.',
  query: { dbstats: described(boolParam, 'Whether to count messages and fids.') },
  reply: hubJson(infoReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: async ({ reads }: HubContext, { query: q }) => ({
    info: await reads.info(),
    withStats: q.dbstats,
  }),
})

const fids = route('GET /v1/fids', {
  callers: 'anyone',
  summary: 'Registered fids',
  description: 'In ascending order.',
  query: { ...paging, shard_id: shardParam },
  reply: hubJson(fidsReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) => reads.fids(pageOf(q)),
})

const storageLimitsByFid = route('GET /v1/storageLimitsByFid', {
  callers: 'anyone',
  summary: 'The storage limits of a fid',
  description: 'How many messages of each kind the fid may store, and how many it has stored.',
  // It reads the counts, the rented units and the oldest message of each kind.
  cost: { cpu: 'moderate' },
  query: { fid: fidParam },
  reply: hubJson(storageLimitsReply),
  tags: TAGS,
  errors: READ_ERRORS,
  handler: ({ reads }: HubContext, { query: q }) => reads.storageLimitsByFid(q.fid),
})

const onChainSignersByFid = route('GET /v1/onChainSignersByFid', {
  callers: 'anyone',
  summary: 'Active keys of a fid',
  description: 'The events that added the keys. With `signer`, only the event that added that key.',
  query: {
    fid: fidParam,
    signer: optional(hexParam({ bytes: KEY_BYTES, label: 'publicKey' })),
    ...paging,
  },
  reply: hubJson(either(chainEventsReply, chainEventReply)),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    q.signer === undefined
      ? reads.onChainSignersByFid(q.fid, pageOf(q))
      : reads.onChainSigner(q.fid, q.signer),
})

const onChainEventsByFid = route('GET /v1/onChainEventsByFid', {
  callers: 'anyone',
  summary: 'On-chain events of a fid',
  description: 'Of one type, oldest first.',
  query: { fid: fidParam, event_type: chainEventType, ...paging },
  reply: hubJson(chainEventsReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
})

const onChainIdRegistryEventByAddress = route('GET /v1/onChainIdRegistryEventByAddress', {
  callers: 'anyone',
  summary: 'The event that gave an address its fid',
  description: '404 when the address holds no fid.',
  query: { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
  reply: hubJson(chainEventReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.idRegistryEventByAddress(q.address),
})
