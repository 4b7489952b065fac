import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../kernel/base/clock.ts'
import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Applier } from './apply.ts'
import type { MirrorContext } from './context.ts'
import { HashSet } from './hash-set.ts'
import { ownMessages } from './own-messages.ts'
import { conflicting, type Refused, wrongFid } from './quarantine.ts'
import { fidOfMessage, hashOfMessage } from './source/events.ts'
import { type LISTS, numberOf } from './source/lists.ts'
import type { ListMethod, SourceKind } from './source/source.ts'
import type { Watch } from './watch.ts'

// The lists of a person at the source: what they have is stored, and what they do not have any more is removed.

/** A list that would remove more than this, and more than this share, is read twice. */
const MANY = 20
const MANY_SHARE = 0.1
const REMOVED_AT_ONCE = 500
/** Messages whose place is taken, kept to be tried again. */
const MAX_OLDER = 1_000

/** What the source has of a set. */
export type Listed = {
  readonly set: number
  readonly method: ListMethod
  readonly hashes: HashSet
  readonly refused: Refused[]
  readonly older: Uint8Array[]
  withheld: number
}

/** The list was shorter than the source itself says: nothing is removed because of it. */
class ShortListError extends Error {}

type Known = {
  readonly used: ReadonlyMap<number, number>
  readonly mark: number
  /** Messages that were forwarded and not confirmed when the comparison began. */
  readonly submitted: HashSet
  readonly lists: readonly Listed[]
}

/** Whether a list has fewer messages than the source counts. */
function isShorter(
  kind: SourceKind,
  { set }: Listed,
  { used, lists }: Pick<Known, 'used' | 'lists'>,
): boolean {
  const listed = (one: number) => lists.find((list) => list.set === one)?.hashes.size ?? 0
  return numberOf(kind, set, listed) < (used.get(set) ?? 0)
}

/** Reads a list, and merges what is not stored of it. */
export async function readList(
  context: MirrorContext,
  applier: Applier,
  fid: number,
  { set, method }: (typeof LISTS)[number],
): Promise<Listed> {
  const listed: Listed = {
    set,
    method,
    hashes: new HashSet(),
    refused: [],
    older: [],
    withheld: 0,
  }
  const own = await ownHashes(context, fid, set)
  for await (const page of context.source.messages(method, fid)) {
    const unknown: Uint8Array[] = []
    for (const message of page) {
      const hash = hashOfMessage(message)
      if (fidOfMessage(message) !== fid) listed.refused.push(wrongFid(fid, message))
      else if (hash.length !== HASH_BYTES) unknown.push(message)
      else {
        listed.hashes.add(hash)
        if (!own.has(hash)) unknown.push(message)
      }
    }
    const { refused, older, withheld } = await applier.merge(fid, unknown)
    listed.refused.push(...refused)
    listed.older.push(...older.slice(0, MAX_OLDER - listed.older.length))
    listed.withheld += withheld
    context.signal.throwIfAborted()
  }
  return listed
}

async function ownHashes({ storage }: MirrorContext, fid: number, set: number): Promise<HashSet> {
  const hashes = new HashSet()
  for await (const rows of ownMessages(storage, fid, set))
    for (const { hash } of rows) hashes.add(hash)
  return hashes
}

/** Removes what the source does not have any more. Messages of events after `mark` are not of the time of the list. */
export async function removeUnlisted(
  context: MirrorContext,
  fid: number,
  list: Listed,
  known: Known,
): Promise<void> {
  const { hub, lease, kind } = context
  const found = await unlistedOf(context, fid, list, known)
  if (found.length === 0) return
  if (isShorter(kind, list, known)) {
    throw new ShortListError(
      `${list.method} lists fewer messages of fid ${fid} than the source says it has`,
    )
  }
  const isSure = await isBelievable(context, fid, list, {
    unlisted: found.length,
    used: known.used,
  })
  const unlisted = isSure ? found : await stillUnlisted(context, fid, list, found)
  for (let at = 0; at < unlisted.length; at += REMOVED_AT_ONCE) {
    const some = unlisted.slice(at, at + REMOVED_AT_ONCE)
    const steps = some.map(({ slot, hash }) => ({
      remove: { fid, slot, hash, reason: 'revoke' as const, maxId: known.mark },
    }))
    await hub.mirror(steps, { lease })
  }
}

type Unlisted = Pick<StoredMessage, 'slot' | 'hash'>

/** Whether a list is believed at once: it takes little away, and the source has numbers that agree with it. */
async function isBelievable(
  { storage, kind }: MirrorContext,
  fid: number,
  { set, hashes }: Listed,
  { unlisted, used }: { readonly unlisted: number } & Pick<Known, 'used'>,
): Promise<boolean> {
  const [usage] = (await storage.messages.usage([fid])).filter(({ store }) => store === set)
  const isMuch = unlisted > MANY && unlisted > MANY_SHARE * (usage?.count ?? 0)
  // Hubble has no numbers that hold, and each compact state would take a minute.
  const isPlausible = used.has(set) || (kind === 'hubble' && hashes.size > 0)
  return !isMuch && isPlausible
}

/** Reads a list again after a while. Returns which of these messages it does not have either. */
async function stillUnlisted(
  { source, clock, recheckMs, signal }: MirrorContext,
  fid: number,
  { method }: Listed,
  unlisted: readonly Unlisted[],
): Promise<readonly Unlisted[]> {
  await waitByClock(clock, recheckMs, signal)
  const again = new HashSet()
  for await (const page of source.messages(method, fid)) {
    for (const message of page) again.add(hashOfMessage(message))
  }
  return unlisted.filter(({ hash }) => !again.has(hash))
}

async function unlistedOf(
  { storage }: MirrorContext,
  fid: number,
  { set, hashes }: Listed,
  { mark, submitted }: Known,
): Promise<Unlisted[]> {
  const unlisted: Unlisted[] = []
  for await (const rows of ownMessages(storage, fid, set)) {
    for (const { id, slot, hash } of rows) {
      if (id > mark || hashes.has(hash) || submitted.has(hash)) continue
      unlisted.push({ slot: slot.slice(), hash: hash.slice() })
    }
  }
  return unlisted
}

/**
 * Once more, now that what the source does not have is removed. Links that Snapchain took in the block of a compact state
 * stay beside it.
 */
export async function retryOlder(
  applier: Applier,
  fid: number,
  lists: readonly Listed[],
  watch: Watch,
): Promise<void> {
  for (const list of lists) {
    if (list.older.length === 0) continue
    const besideCompactStates = !watch.hasCompacted
    const { refused, older } = await applier.merge(fid, list.older, { besideCompactStates })
    const left = older.filter((message) => !watch.hasLost(hashOfMessage(message)))
    list.refused.push(...refused, ...left.map((message) => conflicting(fid, message)))
  }
}

/** How often the clock is looked at. */
const CLOCK_STEP_MS = 250

/** Waits until the clock of the program is this much further. */
async function waitByClock(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const end = clock.now() + ms
  while (clock.now() < end) await delay(CLOCK_STEP_MS, undefined, { signal })
}
