import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { MESSAGE_SETS } from '../../../kernel/protocol/slots.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { HashSet } from '../hash-set.ts'
import { unlistedKeys } from '../keys/unlisted-keys.ts'
import { ownMessages } from '../own-messages.ts'
import { hashOfMessage } from '../source/events.ts'
import { LISTS, numberOf, SET_NAMES } from '../source/lists.ts'
import type { Source, SourceKind } from '../source/source.ts'
import { mirrorRows } from '../tables/mirror.ts'
import { isSameByTrie } from './trie-check.ts'

// Whether what is stored is what the source has. Nothing is changed.

export const LEVELS = ['counts', 'roots', 'lists'] as const
export type Level = (typeof LEVELS)[number]

/** A set that differs. Of many hashes the first are named. */
export type Difference = {
  readonly fid: number
  readonly set: string
  readonly here: number
  readonly there: number
  /** Messages of the source that are known and not stored: see the quarantine, and moderation. */
  readonly allowed: number
  readonly missing: string[]
  readonly extra: string[]
}

/** What is stored, and the hub that it is compared with. */
export type VerifyParts = {
  readonly storage: Storage
  readonly source: Pick<Source, 'used' | 'messages' | 'trieNode' | 'gaslessKeys' | 'host'>
  readonly kind: SourceKind
  readonly shards: number
  /** Waits until what that hub had when it was asked about a fid is applied here. Returns whether it is. */
  readonly settle: (fid: number) => Promise<boolean>
}

const MAX_NAMED = 20
const MAX_QUARANTINED = 1_000
/** How often somebody is compared before a difference counts. */
const ATTEMPTS = 3
const RETRY_SECONDS = 5

/**
 * How one person differs; nothing when they are equal. Numbers that differ are asked for again, and events are waited for that
 * the other hub has then: what happens just now is not at both sides at the same time. Throws a Rejection when this server
 * is too far behind to tell.
 */
export async function verifyPerson(
  parts: VerifyParts,
  fid: number,
  level: Level,
): Promise<Difference[]> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === ATTEMPTS
    const settle = attempt === 1 ? async () => {} : () => settled(parts, fid)
    const differences = await differencesOf({ ...parts, settle }, fid, level)
    if (differences.length === 0 || isLast) return differences
  }
}

async function settled({ settle }: VerifyParts, fid: number): Promise<void> {
  if (await settle(fid)) return
  throw new Rejection(
    'unavailable',
    'events of the source are not applied yet: verify again later',
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  )
}

type Comparing = Omit<VerifyParts, 'settle'> & { readonly settle: () => Promise<void> }

async function differencesOf(parts: Comparing, fid: number, level: Level): Promise<Difference[]> {
  if (level === 'counts' && parts.kind === 'hubble') {
    throw new Rejection('not_supported', 'Hubble does not count exactly: use --level lists', {
      field: 'level',
    })
  }
  if (level === 'counts') return byCounts(parts, fid)
  if (level === 'roots' && parts.kind !== 'snapchain') {
    throw new Rejection('not_supported', 'only Snapchain has roots: use --level lists', {
      field: 'level',
    })
  }
  const found: Difference[] = []
  for (const list of LISTS) {
    if (level === 'roots' && (await isSameByTrie(parts, { fid, set: list.set }))) continue
    found.push(...(await byList(parts, fid, list)))
  }
  if (level === 'lists') found.push(...(await byKeys(parts, fid)))
  return found
}

/** Messages of the source that are known and not stored. */
async function keptAway(storage: Storage, fid: number) {
  const mirror = storage.of(mirrorRows)
  const [kept, withheld] = await Promise.all([
    mirror.quarantineOf(fid, MAX_QUARANTINED),
    mirror.withheldOf(fid),
  ])
  const refused = new HashSet()
  for (const { hash } of kept) refused.add(hash)
  return { refused, withheld }
}

async function byCounts(
  { storage, source, kind, settle }: Comparing,
  fid: number,
): Promise<Difference[]> {
  const used = await source.used(fid)
  await settle()
  const [usage, { refused, withheld }] = await Promise.all([
    storage.messages.usage([fid]),
    keptAway(storage, fid),
  ])
  const allowed = refused.size + withheld
  const count = (set: number) => usage.find(({ store }) => store === set)?.count ?? 0
  return LISTS.flatMap(({ set }) => {
    const here = numberOf(kind, set, count)
    const there = used.get(set)
    if (there === undefined || here === there) return []
    if (here < there && there - here <= allowed) return []
    const missing: string[] = []
    return [{ fid, set: SET_NAMES.get(set)!, here, there, allowed, missing, extra: [] }]
  })
}

async function byList(
  { storage, source, settle }: Comparing,
  fid: number,
  { set, method }: (typeof LISTS)[number],
): Promise<Difference[]> {
  const listed = new HashSet()
  for await (const page of source.messages(method, fid))
    for (const message of page) listed.add(hashOfMessage(message))
  await settle()
  const { refused, withheld } = await keptAway(storage, fid)
  const own = new HashSet()
  const extra: string[] = []
  for await (const rows of ownMessages(storage, fid, set)) {
    for (const { hash } of rows) {
      own.add(hash)
      if (!listed.has(hash) && extra.length < MAX_NAMED) extra.push(toHex(hash))
    }
  }
  const lacking = [...listed].filter((hash) => !own.has(hash) && !refused.has(hash))
  if (lacking.length <= withheld && extra.length === 0) return []
  const allowed = refused.size + withheld
  const [here, there] = [own.size, listed.size]
  const missing = lacking.slice(0, MAX_NAMED).map(toHex)
  return [{ fid, set: SET_NAMES.get(set)!, here, there, allowed, missing, extra }]
}

/** Keys that were removed at the source. No message is known of keys that were added before the mirror was connected. */
async function byKeys(parts: Comparing, fid: number): Promise<Difference[]> {
  const { own, unlisted } = await unlistedKeys(parts, fid)
  if (unlisted.length === 0) return []
  const set = SET_NAMES.get(MESSAGE_SETS.gaslessKeys)!
  const [here, there] = [own.length, own.length - unlisted.length]
  const extra = unlisted.slice(0, MAX_NAMED).map(({ hash }) => toHex(hash))
  return [{ fid, set, here, there, allowed: 0, missing: [], extra }]
}
