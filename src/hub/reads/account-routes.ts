import { pageOf, paging } from '../../http/input/paging.ts'
import { boolParam, described, fidParam, hexParam, optional } from '../../http/input/params.ts'
import type { Route } from '../../http/route.ts'
import { ADDRESS_BYTES, chainEventType, getter, KEY_BYTES, shardParam } from '../parameters.ts'
import { either, type JsonPresenter } from './json-presenter.ts'
import type { HubReads } from './reads.ts'

/** Clients of the deployed network name a shard. This hub has one, so every number means all fids. */
const shardId = {
  shard_id: optional(described(shardParam, 'Taken and ignored: this hub has one shard.')),
}

/** Routes that read accounts, on-chain events and the state of the hub. */
export function accountRoutes(reads: HubReads, json: JsonPresenter): Route[] {
  const get = getter({
    name: 'Accounts',
    description: 'What the hub knows of accounts and of itself.',
  })
  return [
    get(
      '/v1/info',
      {
        summary: 'What this hub is',
        description:
          'Its version, its nickname and whether it is still catching up with a chain. `dbstats` adds the numbers of messages and fids.',
      },
      { dbstats: described(boolParam, 'Whether to count messages and fids.') },
      json.info,
      async (q) => ({
        info: await reads.info(),
        withStats: q.dbstats,
      }),
    ),
    get(
      '/v1/fids',
      { summary: 'Registered fids', description: 'In ascending order.' },
      { ...paging, ...shardId },
      json.fids,
      (q) => reads.fids(pageOf(q)),
    ),
    get(
      '/v1/storageLimitsByFid',
      {
        summary: 'The storage limits of a fid',
        description:
          'How many messages of each kind the fid may store, and how many it has stored.',
        // It reads the counts, the rented units and the oldest message of each kind.
        cost: { cpu: 'moderate' },
      },
      { fid: fidParam },
      json.storageLimits,
      (q) => reads.storageLimitsByFid(q.fid),
    ),
    get(
      '/v1/onChainSignersByFid',
      {
        summary: 'Active keys of a fid',
        description:
          'The events that added the keys. With `signer`, only the event that added that key.',
      },
      {
        fid: fidParam,
        signer: optional(hexParam({ bytes: KEY_BYTES, label: 'publicKey' })),
        ...paging,
      },
      either(json.chainEvents, json.chainEvent),
      (q) =>
        q.signer === undefined
          ? reads.onChainSignersByFid(q.fid, pageOf(q))
          : reads.onChainSigner(q.fid, q.signer),
    ),
    get(
      '/v1/onChainEventsByFid',
      { summary: 'On-chain events of a fid', description: 'Of one type, oldest first.' },
      { fid: fidParam, event_type: chainEventType, ...paging },
      json.chainEvents,
      (q) => reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
    ),
    get(
      '/v1/onChainIdRegistryEventByAddress',
      {
        summary: 'The event that gave an address its fid',
        description: '404 when the address holds no fid.',
      },
      { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
      json.chainEvent,
      (q) => reads.idRegistryEventByAddress(q.address),
    ),
  ]
}
