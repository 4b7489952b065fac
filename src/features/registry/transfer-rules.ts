import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { type RegistryError, Rejection } from '../../kernel/protocol/rejection.ts'
import {
  CLOCK_TOLERANCE_SECONDS,
  NAME_CHANGE_INTERVAL_SECONDS,
  type NameIntervals,
} from './settings.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'

/** A request whose form, authority and signature have been checked. `from` and `to` differ. */
export type NameRequest = {
  readonly name: string
  /** 0: a registration. */
  readonly from: number
  /** 0: a release. */
  readonly to: number
  /** 20 bytes. */
  readonly owner: Uint8Array
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly byAdmin: boolean
}

/** The transfers that a decision depends on. */
export type NameHistory = {
  /** The last transfer of the name. */
  readonly latest: StoredTransfer | undefined
  /** The transfer of the name that the receiving fid holds. */
  readonly held: StoredTransfer | undefined
  /** Only read for releases: the first transfers of the releasing fid within the change interval, at least `MAX_RECENT`. */
  readonly recent?: readonly RecentTransfer[]
}

type RecentTransfer = Pick<StoredTransfer, 'from_fid' | 'to_fid' | 'timestamp'>

/** Names that a fid may give back on its first day: each stays locked, so this bounds the names that one fid can lock. */
export const MAX_UNDONE = 3
/** Transfers that tell whether a fid may undo: registration and release by turns. */
export const MAX_RECENT = 2 * MAX_UNDONE

/** 'repeat': the request is in the log already, as `transfer`. It is answered like the first time. */
export type TransferDecision =
  | { readonly outcome: 'transfer' }
  | { readonly outcome: 'repeat'; readonly transfer: StoredTransfer }
  | { readonly outcome: 'refused'; readonly rejection: Rejection }

/** Those of the deployed registry, which has no undo. */
const DEPLOYED_INTERVALS: NameIntervals = { change: NAME_CHANGE_INTERVAL_SECONDS, undo: 0 }

/**
 * Decides whether a name is transferred. The rules have the order of the deployed registry, and the
 * first one that is broken gives the error. `now` is in Unix seconds. The undo of a registration is a rule of this
 * registry; its log looks like any other release.
 */
export function decideTransfer(
  history: NameHistory,
  request: NameRequest,
  now: number,
  intervals: NameIntervals = DEPLOYED_INTERVALS,
): TransferDecision {
  const { latest, held } = history
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
  return (
    refuseHolder(latest, request) ??
    refuseNotLater(latest, request) ??
    refuseTooSoon(history, request, intervals) ?? { outcome: 'transfer' }
  )
}

/**
 * The same second is refused too: the server signature would equal that of the last transfer, and anyone who has seen
 * a claim could replay it for other fids.
 */
function refuseNotLater(
  latest: StoredTransfer | undefined,
  { name, timestamp }: NameRequest,
): TransferDecision | undefined {
  if (!latest || timestamp > latest.timestamp) return undefined
  const text = `"${name}" changed hands at ${latest.timestamp}; sign for a later timestamp`
  return refuse('INVALID_TIMESTAMP', text, 'timestamp')
}

/**
 * Whether the claim can have come from its signer only. Anybody may copy a published claim: those in the log are no
 * later than the last transfer of their name, and older ones may stand in the logs of other registries.
 */
export const isUnpublished = (
  { latest }: Pick<NameHistory, 'latest'>,
  { timestamp }: Pick<NameRequest, 'timestamp'>,
  now: number,
): boolean =>
  Math.abs(timestamp - now) <= CLOCK_TOLERANCE_SECONDS &&
  (latest === undefined || timestamp > latest.timestamp)

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

/** Only the holder can move or release a name, and only a free name can be registered. */
function refuseHolder(
  latest: StoredTransfer | undefined,
  { name, from, to, byAdmin }: NameRequest,
): TransferDecision | undefined {
  const holder = latest?.to_fid ?? 0
  if (holder !== 0 && holder !== from) {
    return refuse('USERNAME_TAKEN', `"${name}" is held by fid ${holder}`, 'name')
  }
  if (from === 0 || holder === from) return undefined
  // As in the deployed registry, an administrator may move a released name as if it were still held.
  if (byAdmin && to !== 0 && latest) return undefined
  return refuse('USERNAME_NOT_FOUND', `"${name}" is not registered`, 'name')
}

/**
 * A name must be kept for the change interval, unless it was received from another fid (an unwanted gift can be
 * released at once) or its holder has had names for less than a day.
 */
function refuseTooSoon(
  history: NameHistory,
  { name, from, to, timestamp, byAdmin }: NameRequest,
  intervals: NameIntervals,
): TransferDecision | undefined {
  const { latest } = history
  if (!latest || byAdmin) return undefined
  const wasGiven = latest.from_fid !== 0 && latest.to_fid !== 0
  const isUndo = timestamp < (undoUntil(history, intervals) ?? 0)
  if (to === 0 && (wasGiven || isUndo)) return undefined
  const start = latest.timestamp + intervals.change
  if (timestamp >= start) return undefined
  const what = from === 0 ? 'register' : 'transfer or release'
  const when = `${dateText(start)} (${start})`
  const text = `"${name}" changed owners recently; you can ${what} it from ${when}`
  return refuse('THROTTLED', text, 'name')
}

/**
 * Until when the holder may release the name because of its first day: so long after a fid without a name has registered one,
 * it may change that a few times. Unix seconds; undefined when it may not.
 */
export function undoUntil(
  { latest, recent = [] }: Pick<NameHistory, 'latest' | 'recent'>,
  { undo }: NameIntervals,
): number | undefined {
  const isRegistration = latest?.from_fid === 0
  const first = recent[0]
  const released = recent.filter(({ to_fid }) => to_fid === 0).length
  if (!isRegistration || first?.from_fid !== 0 || released >= MAX_UNDONE) return undefined
  return first.timestamp + undo
}

/** A time in Unix seconds, such as "19 Dec 2026, 23:50 UTC". */
function dateText(seconds: number): string {
  const [, day, month, year, time = ''] = new Date(seconds * 1000).toUTCString().split(' ')
  return `${day} ${month} ${year}, ${time.slice(0, 5)} UTC`
}

function refuse(code: RegistryError, text: string, field: string): TransferDecision {
  return { outcome: 'refused', rejection: new Rejection(code, text, { field }) }
}
