import { toHex } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_PAGE_SIZE } from '../storage/reads/page.ts'
import type { Storage } from '../storage/storage.ts'
import { hashOfMessage } from './events.ts'
import { HashSet } from './hash-set.ts'
import { LISTS, numberOf, SET_NAMES } from './lists.ts'
import type { Source, SourceKind } from './source.ts'
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

type VerifyParts = {
  readonly storage: Storage
  readonly source: Pick<Source, 'used' | 'messages' | 'trieNode'>
}

const MAX_NAMED = 20
const MAX_QUARANTINED = 1_000

/** How one person differs from the source; nothing when they are equal. */
export async function verifyPerson(
  parts: VerifyParts,
  fid: number,
  level: Level,
): Promise<Difference[]> {
  const differences = await differencesOf(parts, fid, level)
  // What happens just now is not at both sides at the same time.
  return differences.length === 0 ? [] : differencesOf(parts, fid, level)
}

async function differencesOf(parts: VerifyParts, fid: number, level: Level): Promise<Difference[]> {
  const kept = await parts.storage.mirror.quarantineOf(fid, MAX_QUARANTINED)
  const refused = new HashSet()
  for (const { hash } of kept) refused.add(hash)
  const withheld = await parts.storage.mirror.withheldOf(fid)
  if (level === 'counts') return byCounts(parts, fid, refused.size + withheld)
  const trie =
    level === 'roots'
      ? { source: parts.source, shards: await trieShards(parts.storage) }
      : undefined
  const found: Difference[] = []
  for (const list of LISTS) {
    const own = ownMessages(parts.storage, fid, list.set)
    if (trie && (await isSameByTrie(trie, { fid, set: list.set }, own))) continue
    found.push(...(await byList(parts, fid, list, refused, withheld)))
  }
  return found
}

/** How many tries the source has. Throws a Rejection when it has none. */
async function trieShards(storage: VerifyParts['storage']): Promise<number> {
  const source = await storage.mirror.source()
  if (source?.kind === 'snapchain') return source.shards
  throw new Rejection('not_supported', 'only Snapchain has roots: use --level lists', {
    field: 'level',
  })
}

async function byCounts(
  { storage, source }: VerifyParts,
  fid: number,
  allowed: number,
): Promise<Difference[]> {
  const [used, usage, mirrored] = await Promise.all([
    source.used(fid),
    storage.messages.usage([fid]),
    storage.mirror.source(),
  ])
  const kind = mirrored?.kind as SourceKind
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
  { storage, source }: VerifyParts,
  fid: number,
  { set, method }: (typeof LISTS)[number],
  refused: HashSet,
  withheld: number,
): Promise<Difference[]> {
  const own = new HashSet()
  for await (const rows of ownMessages(storage, fid, set))
    for (const { hash } of rows) own.add(hash)
  const listed = new HashSet()
  const missing: string[] = []
  let lacking = 0
  for await (const page of source.messages(method, fid)) {
    for (const message of page) {
      const hash = hashOfMessage(message)
      listed.add(hash)
      if (own.has(hash) || refused.has(hash)) continue
      lacking++
      if (missing.length < MAX_NAMED) missing.push(toHex(hash))
    }
  }
  const extra: string[] = []
  for await (const rows of ownMessages(storage, fid, set)) {
    for (const { hash } of rows) {
      if (!listed.has(hash) && extra.length < MAX_NAMED) extra.push(toHex(hash))
    }
  }
  if (lacking <= withheld && extra.length === 0) return []
  const allowed = refused.size + withheld
  const [here, there] = [own.size, listed.size]
  return [{ fid, set: SET_NAMES.get(set)!, here, there, allowed, missing, extra }]
}

/** All messages of a person in a set, a page at a time. */
export async function* ownMessages(storage: Pick<Storage, 'messages'>, fid: number, store: number) {
  let token: Uint8Array | undefined
  do {
    const list = { fid, store }
    const page = await storage.messages.listByFid(list, { size: MAX_PAGE_SIZE, token })
    yield page.items
    token = page.next
  } while (token)
}
