import type { MirrorOutcome } from '../../kernel/hub/submit/mirror-intake.ts'
import { hashOf } from '../../kernel/protocol/crypto/hash.ts'
import { KINDS } from '../../kernel/protocol/kinds/kinds.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { MessageOutcome } from './metrics.ts'
import { fidOfMessage, hashOfMessage, typeOfMessage } from './source/events.ts'
import { LISTS } from './source/lists.ts'
import { type MirrorQuarantine, mirrorRows } from './tables/mirror.ts'

// Messages of the source that are not stored: why, and what ends it.

/** Larger ones are noted without their bytes. */
const MAX_KEPT_BYTES = 64 * 1024
/** Beyond it only the metrics count. */
const MAX_ROWS = 1_000_000
const MAX_DETAIL_CHARACTERS = 300

/** Milliseconds until a message that waits for something else is tried again, by how often it was. */
const RETRY_MS = [5_000, 30_000, 300_000, 3_600_000]

/** Why a message is not stored; `waiting`: something that it depends on may still come. */
export type Refused = {
  readonly fid: number
  readonly message: Uint8Array
  readonly reason: string
  readonly detail: string
  readonly mayWait: boolean
}

/** What became of a message: it is stored, replaced, kept away by moderation, or refused. */
export type Judged =
  | { readonly outcome: Exclude<MessageOutcome, 'quarantined' | 'waiting'> }
  | { readonly outcome: 'quarantined' | 'waiting'; readonly refused: Refused }

export function judge(message: Uint8Array, fid: number, outcome: MirrorOutcome): Judged {
  if ('isLeftOut' in outcome) return { outcome: 'older' }
  if ('id' in outcome) return { outcome: 'merged' }
  const { rejection, head } = outcome
  const { code } = rejection
  if (code === 'bad_request.duplicate') return { outcome: 'known' }
  if (code === 'bad_request.conflict' || code === 'bad_request.prunable') {
    return { outcome: 'older' }
  }
  if (code === 'unauthorized.suspended' || code === 'bad_request.erased') {
    return { outcome: 'withheld' }
  }
  // Only what passed all rules of its bytes comes as a row: the rest of the rules is about what the author holds.
  const isWhole = head !== undefined && 'slot' in head
  const reason = reasonOf(rejection, head !== undefined)
  const detail = `${code}: ${rejection.message}`
  const mayWait = isWhole || reason === FUTURE
  const refused = { fid, message, reason, detail, mayWait }
  return { outcome: mayWait ? 'waiting' : 'quarantined', refused }
}

const BY_FIELD: Readonly<Record<string, string>> = {
  hash: 'invalid_hash',
  signature: 'invalid_signature',
  'data.network': 'wrong_network',
}

const UNSUPPORTED = 'unsupported_kind'
const RULE = 'rule '
/** The clock of the source is ahead of this one. */
const FUTURE = 'future'

/** Has those messages tried again about which another version of this program may decide otherwise. */
export async function retryRules(tx: Writer, nowMs: number): Promise<void> {
  for (const { reason } of await tx.of(mirrorRows).quarantineReasons()) {
    const mayChange = reason === UNSUPPORTED || reason.startsWith(RULE)
    if (mayChange) await tx.of(mirrorRows).retryRefused(reason, nowMs)
  }
}

function reasonOf({ code, field, message }: Rejection, isMessage: boolean): string {
  if (!isMessage) return 'malformed'
  if (code === 'bad_request.unknown_signer' || code === 'bad_request.unknown_fid') {
    return 'unknown_signer'
  }
  if (code === 'not_supported') return UNSUPPORTED
  if (field === 'data.timestamp' && message.includes('future')) return FUTURE
  return BY_FIELD[field ?? ''] ?? `${RULE}${code}`
}

/** A message of somebody else than was asked for. */
export const wrongFid = (fid: number, message: Uint8Array): Refused => ({
  fid,
  message,
  reason: 'wrong_fid',
  detail: `of fid ${fidOfMessage(message)}, listed as fid ${fid}'s`,
  mayWait: false,
})

/** Listed by the source, but its place is taken by what our order prefers. */
export const conflicting = (fid: number, message: Uint8Array): Refused => ({
  fid,
  message,
  reason: 'conflict',
  detail: 'the order of messages prefers another one',
  mayWait: false,
})

const keyOf = (message: Uint8Array): Uint8Array => {
  const hash = hashOfMessage(message)
  return hash.length === HASH_BYTES ? Uint8Array.from(hash) : hashOf(message)
}

/** Notes refused messages. Returns when people have to be tried again, by fid. */
export async function putRefused(
  tx: Writer,
  refused: readonly Refused[],
  nowMs: number,
): Promise<Map<number, number>> {
  const due = new Map<number, number>()
  if (refused.length === 0) return due
  const isFull = (await tx.of(mirrorRows).quarantineCount()) >= MAX_ROWS
  const byKey = new Map<string, MirrorQuarantine>()
  for (const { fid, message, reason, detail, mayWait } of refused) {
    const hash = keyOf(message)
    const before = await tx.of(mirrorRows).quarantined(fid, hash)
    const tries = (before?.tries ?? 0) + 1
    const waitMs = mayWait ? RETRY_MS[tries - 1] : undefined
    if (waitMs !== undefined) {
      due.set(fid, Math.min(due.get(fid) ?? Number.POSITIVE_INFINITY, nowMs + waitMs))
    }
    if (isFull && !before) continue
    byKey.set(`${fid} ${Buffer.from(hash).toString('hex')}`, {
      fid,
      hash,
      reason: waitMs === undefined ? reason : 'waiting',
      detail: detail.slice(0, MAX_DETAIL_CHARACTERS).replaceAll('\0', '\uFFFD').toWellFormed(),
      bytes: message.length > MAX_KEPT_BYTES ? new Uint8Array(0) : message,
      first_seen: before?.first_seen ?? nowMs,
      last_seen: nowMs,
      tries,
    })
  }
  await tx.of(mirrorRows).putQuarantine([...byKey.values()])
  return due
}

const LISTED_SETS = new Set(LISTS.map(({ set }) => set))
const LISTED_TYPES: ReadonlySet<number> = new Set(
  KINDS.filter(({ set }) => set && LISTED_SETS.has(set.number)).map(({ type }) => type),
)

/** Whether no list of a source has such messages: they come in events alone, so they are kept until they can be stored. */
export const isUnlisted = ({ bytes }: Pick<MirrorQuarantine, 'bytes'>): boolean => {
  const type = typeOfMessage(bytes)
  return type !== 0 && !LISTED_TYPES.has(type)
}
