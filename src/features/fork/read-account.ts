import { checkImport, MAX_IMPORT_EVENTS } from '../../kernel/accounts/import.ts'
import type { AccountsModule } from '../../kernel/accounts/module.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import { GroupCommit } from '../../kernel/base/concurrency.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Hub } from '../../kernel/hub/hub.ts'
import { mergeNameTransfers, type NameTransfer } from '../../kernel/hub/names.ts'
import { MAX_BATCH_MESSAGES } from '../../kernel/hub/settings.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { UserDataType } from '../../kernel/protocol/wire/message_pb.js'
import { type OnChainEvent, OnChainEventType } from '../../kernel/protocol/wire/onchain_event_pb.js'
import { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { believedTransfers, fidOfMessage, hashOfMessage } from '../mirror/port.ts'
import { chainEvent, decoded, messageBytes, nameProof } from './json.ts'
import type { ForkSource, Query, Read } from './source.ts'

/** How much of an account is read. Each level has what is below it, too. */
export const LEVELS = {
  /** What a cast needs to be shown: the account, its keys, names and profile. */
  author: 0,
  /** And storage and verified addresses. */
  profile: 1,
  /** And the newest casts. */
  recent: 2,
  /** And whom it follows, what it likes, and older casts. */
  whole: 3,
} as const
/** Of an account of which nothing is kept. */
export const UNREAD = -1

export type ForkContext = {
  readonly storage: Storage
  readonly clock: Clock
  readonly hub: Pick<Hub, 'mirror'>
  readonly mergeEvents: AccountsModule['mergeEvents']
  readonly network: number
  readonly source: ForkSource
  readonly log: Pick<Logger, 'warn'>
  /** Whether a key of an account is one of this fork, which the source does not know. */
  readonly isLocalKey: (fid: number, key: Uint8Array) => boolean
  readonly merges: Pick<GroupCommit<readonly Uint8Array[], void>, 'run'>
}

type List = {
  readonly read: Read
  readonly level: number
  /** It is asked for in these parts. */
  readonly parts?: readonly Query[]
  readonly set: number
  /** Of each part. */
  readonly pageSize: number
  readonly pages: number
}

const RECENT_CASTS: List = {
  ...{ read: 'casts', level: LEVELS.recent, set: MESSAGE_SETS.casts, pageSize: 25, pages: 1 },
}
const VERIFICATIONS: List = {
  ...{ read: 'verifications', level: LEVELS.profile, set: MESSAGE_SETS.verifications },
  ...{ pageSize: 100, pages: 1 },
}
/** In the order in which they are merged. What is beyond these pages is left out. */
const LISTS: readonly List[] = [
  VERIFICATIONS,
  {
    ...{ read: 'userData', level: LEVELS.author, set: MESSAGE_SETS.userData },
    ...{ pageSize: 100, pages: 1 },
  },
  RECENT_CASTS,
  {
    ...{ read: 'links', level: LEVELS.whole, set: MESSAGE_SETS.links },
    ...{ pageSize: 1_000, pages: 5 },
  },
  {
    ...{ read: 'casts', level: LEVELS.whole, set: MESSAGE_SETS.casts },
    ...{ pageSize: 500, pages: 2 },
  },
  {
    ...{ read: 'reactions', level: LEVELS.whole, set: MESSAGE_SETS.reactions },
    // Snapchain asks for a type, and knows these words alone. Hubble does not know them, and lists both.
    parts: [{ reaction_type: 'Like' }, { reaction_type: 'Recast' }],
    ...{ pageSize: 500, pages: 1 },
  },
]
/** Of each type of events, which come the oldest first: without the last ones the newest keys would be missing. */
const MAX_EVENT_PAGES = 20
const EVENTS_PAGE = 1_000
const EVENT_TYPES = [
  { type: 'EVENT_TYPE_ID_REGISTER', level: LEVELS.author },
  { type: 'EVENT_TYPE_SIGNER', level: LEVELS.author },
  { type: 'EVENT_TYPE_STORAGE_RENT', level: LEVELS.profile },
] as const

export type AccountTerms = {
  readonly level: number
  /** The level that is kept and not read again. */
  readonly above: number
  /** Whether anything of it was read before. */
  readonly isKept: boolean
  /** Whether its newest casts are kept, though its level does not say so. */
  readonly hasCasts: boolean
}

/** Reads an account of the source and merges what holds. Returns false when the source has none. */
export async function readAccount(
  context: ForkContext,
  fid: number,
  { level, above, isKept, hasCasts }: AccountTerms,
): Promise<boolean> {
  const isMissing = (part: { readonly level: number }) => part.level > above && part.level <= level
  const isAsked = (list: List) =>
    isMissing(list) && !(list === RECENT_CASTS && (hasCasts || level >= LEVELS.whole))
  const isNew = above < LEVELS.author
  const mark = await context.storage.events.newestId()
  const [events, names, ...found] = await Promise.all([
    chainEventsOf(context, fid, EVENT_TYPES.filter(isMissing)),
    isNew ? context.source.get('names', { fid }) : undefined,
    ...LISTS.filter(isAsked).map((list) => readList(context, fid, list)),
  ])
  const isRegistered = ({ type }: OnChainEvent) => type === OnChainEventType.EVENT_TYPE_ID_REGISTER
  if (isNew && !events.some(isRegistered)) return false
  // A profile that names a primary address holds with the verification of it.
  const hasVerifications = !isNew || found.some(({ set }) => set === VERIFICATIONS.set)
  if (!hasVerifications && found.some((list) => messagesOf(list).some(namesPrimaryAddress))) {
    found.unshift(await readList(context, fid, VERIFICATIONS))
  }
  await mergeAccount(context, events, transfersIn(context, fid, names?.proofs))
  await context.merges.run(found.flatMap(messagesOf))
  if (isKept) for (const list of found) await removeGone(context, fid, { ...list, mark })
  return true
}

function namesPrimaryAddress(message: Uint8Array): boolean {
  const body = decoded(message)?.data.body
  if (body?.case !== 'userDataBody') return false
  const { USER_DATA_PRIMARY_ADDRESS_ETHEREUM, USER_DATA_PRIMARY_ADDRESS_SOLANA } = UserDataType
  const { type } = body.value
  return type === USER_DATA_PRIMARY_ADDRESS_ETHEREUM || type === USER_DATA_PRIMARY_ADDRESS_SOLANA
}

/** The newest casts that the source lists of a fid. */
export async function newestCasts(
  context: Pick<ForkContext, 'source'>,
  fid: number,
): Promise<readonly Uint8Array[]> {
  const list = await readList(context, fid, RECENT_CASTS)
  return messagesOf(list).filter((message) => fidOfMessage(message) === fid)
}

async function chainEventsOf(
  { source, log }: Pick<ForkContext, 'source' | 'log'>,
  fid: number,
  types: readonly { readonly type: string }[],
): Promise<OnChainEvent[]> {
  const lists = await Promise.all(
    types.map(({ type }) =>
      source.list(
        'chainEvents',
        { fid, event_type: type },
        { field: 'events', pageSize: EVENTS_PAGE, pages: MAX_EVENT_PAGES },
      ),
    ),
  )
  if (lists.some(({ isCut }) => isCut)) {
    const most = MAX_EVENT_PAGES * EVENTS_PAGE
    log.warn({ fid, most }, 'an account of the forked hub has more events: the others are left out')
  }
  return lists
    .flatMap(({ items }) => items.flatMap((json) => chainEvent(json) ?? []))
    .filter((event) => event.fid === BigInt(fid))
}

async function readList({ source }: Pick<ForkContext, 'source'>, fid: number, list: List) {
  const { read, parts = [{}], pageSize, pages } = list
  const asked = parts.map(async (part): Promise<ReadPart> => {
    const query = { fid, reverse: true, ...part }
    const { items, isCut } = await source.list(read, query, { pageSize, pages })
    return { messages: items.flatMap((json) => messageBytes(json) ?? []), isCut }
  })
  return { ...list, parts: await Promise.all(asked) }
}

const messagesOf = ({ parts }: { readonly parts: readonly ReadPart[] }): readonly Uint8Array[] =>
  parts.flatMap(({ messages }) => messages)

/** In one transaction as a rule. They are believed as they come, as by a mirror: see docs/fork.md. */
async function mergeAccount(
  context: ForkContext,
  events: readonly OnChainEvent[],
  transfers: readonly NameTransfer[],
): Promise<void> {
  for (let at = 0; at < events.length; at += MAX_IMPORT_EVENTS) {
    const some = events.slice(at, at + MAX_IMPORT_EVENTS)
    checkImport(some, { chainId: some[0]!.chainId })
    const isLast = at + MAX_IMPORT_EVENTS >= events.length
    await write(context, async (tx, log) => {
      await context.mergeEvents(tx, log, some, { resetActivates: true })
      if (isLast && transfers.length > 0) await mergeNameTransfers(tx, log, transfers)
    })
  }
}

function transfersIn(context: ForkContext, fid: number, proofs: unknown): NameTransfer[] {
  if (!Array.isArray(proofs)) return []
  const own = proofs.flatMap((json) => nameProof(json) ?? [])
  return believedTransfers(
    own.filter((one) => one.fid === BigInt(fid)),
    context.network,
  )
}

/** Merges messages of accounts that are read at the same time together: a transaction for each would take longer than the rest. */
export const messageMerges = (context: Omit<ForkContext, 'merges'>): ForkContext['merges'] =>
  new GroupCommit({
    alone: (messages) => mergeMessages(context, messages),
    async together(works) {
      await mergeMessages(context, works.flat())
      return works.map(() => ({ value: undefined }))
    },
    mayRetry: () => false,
  })

/** Hashes, signatures and keys are checked here: what does not hold is left out. */
async function mergeMessages(
  { hub, log }: Omit<ForkContext, 'merges'>,
  messages: readonly Uint8Array[],
): Promise<void> {
  const refused = new Map<string, number>()
  for (let at = 0; at < messages.length; at += MAX_BATCH_MESSAGES) {
    const steps = messages.slice(at, at + MAX_BATCH_MESSAGES).map((merge) => ({ merge }))
    for (const outcome of await hub.mirror(steps, { lease: undefined })) {
      if (!('rejection' in outcome) || isExpected(outcome.rejection.code)) continue
      const { message } = outcome.rejection
      refused.set(message, (refused.get(message) ?? 0) + 1)
    }
  }
  for (const [why, count] of refused) {
    log.warn({ count, why }, 'messages of the forked hub were refused')
  }
}

/** It is stored already, or what was done here since wins. */
const isExpected = (code: string): boolean =>
  /\.(?:duplicate|conflict|prunable|erased)$/.test(code) || code === 'unauthorized.suspended'

type ReadPart = { readonly messages: readonly Uint8Array[]; readonly isCut: boolean }

type ReadList = Omit<List, 'parts'> & {
  readonly parts: readonly ReadPart[]
  /** The newest event before the list was read: messages of later ones are not of its time. */
  readonly mark: number
}

const REMOVED_AT_ONCE = 500

/** Lists have no removals: what the source had and has no more is missing in them. What was written here stays. */
async function removeGone(
  { storage, hub, isLocalKey }: ForkContext,
  fid: number,
  { set, parts, pageSize, pages, mark }: ReadList,
): Promise<void> {
  const listedOf = parts.map(({ messages }) => new Set(messages.map(hexOf)))
  const listed = new Set(listedOf.flatMap((one) => [...one]))
  // Beyond what was listed nothing is known.
  const page = await storage.messages.listByFid(
    { fid, store: set },
    { size: Math.min(parts.length * pageSize * pages, MAX_COMPARED), reverse: true },
  )
  const stored = page.items.filter(({ signer }) => !isLocalKey(fid, signer))
  const cut = listedOf.filter((_, i) => parts[i]!.isCut)
  const oldest = Math.max(0, ...cut.map((one) => oldestListed(stored, one)))
  const gone = stored.filter((row) => row.timestamp > oldest && !listed.has(toHex(row.hash)))
  await removeMessages({ hub }, gone, mark)
}

/** Removes messages that the source has no more. `mark`: the newest event before it was asked. */
export async function removeMessages(
  { hub }: Pick<ForkContext, 'hub'>,
  gone: readonly StoredMessage[],
  mark: number,
): Promise<void> {
  for (let at = 0; at < gone.length; at += REMOVED_AT_ONCE) {
    const steps = gone.slice(at, at + REMOVED_AT_ONCE).map(({ fid, slot, hash }) => ({
      remove: { fid, slot, hash, reason: 'revoke' as const, maxId: mark },
    }))
    await hub.mirror(steps, { lease: undefined })
  }
}

const MAX_COMPARED = 1_000

const hexOf = (message: Uint8Array): string => toHex(hashOfMessage(message))

const oldestListed = (stored: readonly StoredMessage[], listed: ReadonlySet<string>): number =>
  stored
    .filter(({ hash }) => listed.has(toHex(hash)))
    .reduce((oldest, { timestamp }) => Math.min(oldest, timestamp), Number.MAX_SAFE_INTEGER)

const write = (
  { storage, clock }: ForkContext,
  work: (tx: Writer, log: EventLog) => Promise<unknown>,
): Promise<void> =>
  storage.writeShared('hub', async (tx) => {
    const log = new EventLog(tx, clock.now())
    await work(tx, log)
    await log.flush()
  })
