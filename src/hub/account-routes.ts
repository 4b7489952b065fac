import { pageOf, paging } from '../http/paging.ts'
import { boolParam, fidParam, hexParam, optional } from '../http/params.ts'
import type { Route } from '../http/route.ts'
import { either, type JsonPresenter } from './json-presenter.ts'
import { ADDRESS_BYTES, chainEventType, getter, KEY_BYTES } from './parameters.ts'
import type { HubReads } from './reads.ts'

/** Routes that read accounts, on-chain events and the state of the hub. */
export function accountRoutes(reads: HubReads, json: JsonPresenter): Route[] {
  const get = getter(['accounts'])
  return [
    get('/v1/info', 'What this hub is', { dbstats: boolParam }, json.info, async (q) => ({
      info: await reads.info(),
      withStats: q.dbstats,
    })),
    get('/v1/fids', 'Registered fids in ascending order', paging, json.fids, (q) =>
      reads.fids(pageOf(q)),
    ),
    get(
      '/v1/storageLimitsByFid',
      'What a fid may store and has stored',
      { fid: fidParam },
      json.storageLimits,
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
      either(json.chainEvents, json.chainEvent),
      (q) =>
        q.signer === undefined
          ? reads.onChainSignersByFid(q.fid, pageOf(q))
          : reads.onChainSigner(q.fid, q.signer),
    ),
    get(
      '/v1/onChainEventsByFid',
      'On-chain events of a fid, of one type',
      { fid: fidParam, event_type: chainEventType, ...paging },
      json.chainEvents,
      (q) => reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
    ),
    get(
      '/v1/onChainIdRegistryEventByAddress',
      'The event that gave an address its fid',
      { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
      json.chainEvent,
      (q) => reads.idRegistryEventByAddress(q.address),
    ),
  ]
}
