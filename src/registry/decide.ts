import { equalBytes, toHex } from '../protocol/bytes.ts'
import { type RegistryError, Rejection } from '../protocol/rejection.ts'
import type { StoredTransfer } from '../storage/name-transfers.ts'
import { CLOCK_TOLERANCE_SECONDS, NAME_CHANGE_INTERVAL_SECONDS } from './settings.ts'

/** A request whose form, right to act and signature have been checked. `from` and `to` differ. */
export type NameRequest = {
  readonly name: string
  /** 0: the name is registered. */
  readonly from: number
  /** 0: the name is released. */
  readonly to: number
  /** 20 bytes. */
  readonly owner: Uint8Array
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly byAdmin: boolean
}

/** What the log says about a request. */
export type NameHistory = {
  /** The last transfer of the name. */
  readonly latest: StoredTransfer | undefined
  /** The transfer that gave the receiving fid the name it holds. */
  readonly held: StoredTransfer | undefined
}

/** 'repeat': the log has it already, in this row. */
export type TransferDecision =
  | { readonly outcome: 'transfer' }
  | { readonly outcome: 'repeat'; readonly transfer: StoredTransfer }
  | { readonly outcome: 'refused'; readonly rejection: Rejection }

/**
 * Whether a name changes hands. The first rule that is broken decides the answer; their order is the
 * deployed registry's. `now` is in Unix seconds.
 */
export function decideTransfer(
  { latest, held }: NameHistory,
  request: NameRequest,
  now: number,
  changeIntervalSeconds: number = NAME_CHANGE_INTERVAL_SECONDS,
): TransferDecision {
  const { name, timestamp } = request
  if (latest && isSame(latest, request)) return { outcome: 'repeat', transfer: latest }
  if (held && held.username === name && equalBytes(held.owner, request.owner)) {
    return { outcome: 'repeat', transfer: held }
  }
  if (held) return refuse('TOO_MANY_NAMES', tooMany(held, request), 'to')
  if (Math.abs(timestamp - now) > CLOCK_TOLERANCE_SECONDS) {
    const tolerance = `at most ${CLOCK_TOLERANCE_SECONDS} seconds away from it`
    const text = `the timestamp is ${timestamp}, but it is ${now} here; sign for a time ${tolerance}`
    return refuse('INVALID_TIMESTAMP', text, 'timestamp')
  }
  // Not at the same second either: its server signature would be that of the transfer before it, and
  // who has seen a claim could use it once more for other fids.
  if (latest && timestamp <= latest.timestamp) {
    const text = `"${name}" changed hands at ${latest.timestamp}; sign for a later timestamp`
    return refuse('INVALID_TIMESTAMP', text, 'timestamp')
  }
  return (
    refuseHolder(latest, request) ??
    refuseTooSoon(latest, request, changeIntervalSeconds) ?? { outcome: 'transfer' }
  )
}

const isSame = (row: StoredTransfer, request: NameRequest) =>
  row.timestamp === request.timestamp &&
  row.from_fid === request.from &&
  row.to_fid === request.to &&
  equalBytes(row.owner, request.owner)

function tooMany({ username, owner }: StoredTransfer, request: NameRequest): string {
  const { name, to } = request
  if (username !== name) return `fid ${to} holds "${username}"; it has to release that first`
  return `fid ${to} holds "${username}" already, registered by another address (${toHex(owner)})`
}

/** Only who holds a name can give it away, and only what nobody holds can be registered. */
function refuseHolder(
  latest: StoredTransfer | undefined,
  { name, from, to, byAdmin }: NameRequest,
): TransferDecision | undefined {
  const holder = latest?.to_fid ?? 0
  if (holder !== 0 && holder !== from) {
    return refuse('USERNAME_TAKEN', `"${name}" is held by fid ${holder}`, 'name')
  }
  if (from === 0 || holder === from) return undefined
  // As deployed, an administrator may hand out a released name as if somebody still had it.
  if (byAdmin && to !== 0 && latest) return undefined
  return refuse('USERNAME_NOT_FOUND', `nobody holds "${name}"`, 'name')
}

/** A name that somebody was given unasked must not lock them in: it can be released at once. */
function refuseTooSoon(
  latest: StoredTransfer | undefined,
  { name, to, timestamp, byAdmin }: NameRequest,
  changeIntervalSeconds: number,
): TransferDecision | undefined {
  if (!latest || byAdmin) return undefined
  const wasGiven = latest.from_fid !== 0 && latest.to_fid !== 0
  if (to === 0 && wasGiven) return undefined
  const from = latest.timestamp + changeIntervalSeconds
  if (timestamp >= from) return undefined
  const when = new Date(from * 1000).toISOString().replace('.000', '')
  const text = `"${name}" changed hands not long ago; it can again from ${when} (${from}) on`
  return refuse('THROTTLED', text, 'name')
}

function refuse(code: RegistryError, text: string, field: string): TransferDecision {
  return { outcome: 'refused', rejection: new Rejection(code, text, { field }) }
}
