import { LEND_MAX_AGE_SECONDS } from '../../protocol/kinds/lend-storage.ts'
import { invalid } from '../../protocol/kinds/rules.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { MESSAGE_SETS } from '../../protocol/slots.ts'
import {
  activeUnits,
  endOfLends,
  type HeldUnits,
  type Holding,
  keptUnits,
  MAINNET,
  STORAGE_GRACE_SECONDS,
  type StorageTerms,
  unitTypeOf,
} from '../../protocol/storage-units.ts'
import { FUTURE_TOLERANCE_SECONDS } from '../../protocol/time.ts'
import type { LendStorageBody } from '../../protocol/wire/message_pb.js'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader, Writer } from '../../storage/storage.ts'
import type { Holdings, StorageLend, StorageLent } from '../../storage/tables/storage-lends.ts'
import type { Authority } from '../settings.ts'
import type { Candidate, CheckedRow } from './candidate.ts'

/** On mainnet a fid lends only when it has rented so many units of the type. */
const MIN_PURCHASED_UNITS = 1_000
/** Lends to one fid, those that were ended lately included: all are read with each of its messages. */
const MAX_LENDS_TO_FID = 1_000
/** No message that was sent before one that ended a lend is accepted after this time. */
const REPLAY_SECONDS = LEND_MAX_AGE_SECONDS + FUTURE_TOLERANCE_SECONDS

export type StorageClock = StorageTerms & {
  /** Unix seconds. */
  readonly now: number
}

const isLend = ({ store }: Pick<CheckedRow, 'store'>): boolean =>
  store === MESSAGE_SETS.storageLends

const bodyOf = ({ body }: Pick<Candidate, 'body'>) => body.value as LendStorageBody

/** The storage of everybody whom a batch concerns; updated while the batch is decided. */
export class StorageLends {
  readonly #holdings: Holdings
  readonly #clock: StorageClock
  readonly #units = new Map<number, { active: HeldUnits; kept: HeldUnits }>()
  readonly #lends: Map<number, StorageLend>
  readonly #changed = new Set<number>()
  readonly #lent = new Map<string, StorageLent>()
  readonly #borrowers = new Set<number>()
  readonly #pruned: StoredMessage[] = []

  constructor(holdings: Holdings, clock: StorageClock) {
    this.#holdings = holdings
    this.#clock = clock
    this.#lends = new Map(holdings.lends.map((lend) => [lend.id, lend]))
  }

  /** Reads the storage of the senders of these messages, and of those whom they lend some. */
  static async read(
    reader: Pick<Reader, 'storageLends'>,
    candidates: readonly Candidate[],
    clock: StorageClock,
  ): Promise<StorageLends> {
    const fids = candidates.flatMap((candidate) =>
      isLend(candidate.row)
        ? [candidate.row.fid, Number(bodyOf(candidate).toFid)]
        : candidate.row.fid,
    )
    return new StorageLends(await reader.storageLends.holdings(fids), clock)
  }

  /** Units that the fid may use now. */
  active(fid: number): HeldUnits {
    return this.#unitsOf(fid).active
  }

  /** Units that limit what is kept: those in their grace time, too. */
  kept(fid: number): HeldUnits {
    return this.#unitsOf(fid).kept
  }

  /** Whether this batch has lent to the fid, so that its storage must be read again. */
  isStale(fid: number): boolean {
    return this.#borrowers.has(fid)
  }

  /** Throws a Rejection when a lend was ended since, or when its author has not enough units to lend. */
  check(candidate: Candidate, authority: Authority = 'own'): void {
    const { fid, timestamp } = candidate.row
    const body = bodyOf(candidate)
    const type = unitTypeOf(body.unitType)
    const borrower = Number(body.toFid)
    const to = [...this.#lends.values()].filter((lend) => lend.borrower === borrower)
    const own = to.filter(({ lender }) => lender === fid)
    const isEndedLater = own.some(({ ended_at, ended_by }) => ended_at > 0 && ended_by >= timestamp)
    if (isEndedLater && own.every(({ ended_at }) => ended_at > 0)) {
      const text = 'message conflicts with a more recent lend'
      throw new Rejection('bad_request.conflict', text)
    }
    if (authority === 'source') return
    // What covers too little no longer counts, but has to be ended before more is lent.
    const { purchased } = this.active(fid)
    const rest = purchased[type] - this.#holding(fid).lent[type]
    const isTooSmall = this.#clock.network === MAINNET && purchased[type] < MIN_PURCHASED_UNITS
    if (body.numUnits > 0n && (isTooSmall || rest < Number(body.numUnits) + 1)) {
      throw invalid('insufficient storage', 'lendStorageBody.numUnits')
    }
    if (body.numUnits > 0n && to.length >= MAX_LENDS_TO_FID) {
      throw invalid(`fid ${borrower} has ${MAX_LENDS_TO_FID} lends`, 'lendStorageBody.toFid')
    }
  }

  /** Notes a lend that is merged as the message with this id. Returns whether it only ends an earlier one. */
  merge(id: number, candidate: Candidate): boolean {
    const { fid: lender, timestamp } = candidate.row
    const body = bodyOf(candidate)
    const { now } = this.#clock
    const [borrower, units] = [Number(body.toFid), Number(body.numUnits)]
    const old = this.#inForce(lender, borrower)
    const isSameType = old?.unit_type === body.unitType
    const lend = { id, lender, borrower, unit_type: body.unitType, units, since: now }
    if (old) {
      const lost = old.units - (isSameType ? units : 0)
      const ended_at = this.#endOf(old)
      this.#addLent(old, -old.units)
      this.#put({ ...old, units: Math.max(0, lost), ended_at, ended_by: timestamp })
    } else if (units === 0) this.#put({ ...lend, ended_at: now, ended_by: timestamp })
    if (units > 0) {
      const since = old && isSameType && units <= old.units ? old.since : now
      this.#put({ ...lend, since, ended_at: 0, ended_by: 0 })
      this.#addLent(lend, units)
    }
    this.#borrowers.add(borrower)
    return units === 0
  }

  /** Notes that a message is pruned. */
  prune(row: StoredMessage): void {
    if (isLend(row)) this.#pruned.push(row)
  }

  async write(tx: Pick<Writer, 'storageLends'>): Promise<void> {
    if (this.#changed.size > 0) {
      await tx.storageLends.put([...this.#changed].map((id) => this.#lends.get(id)!))
      await tx.storageLends.putLent([...this.#lent.values()])
    }
    await removeLends(tx, this.#pruned, 'pruned')
  }

  #unitsOf(fid: number): { active: HeldUnits; kept: HeldUnits } {
    return this.#units.getOrInsertComputed(fid, () => {
      const holding = this.#holding(fid)
      const { now } = this.#clock
      return {
        active: activeUnits(holding, now, this.#clock),
        kept: keptUnits(holding, now, this.#clock),
      }
    })
  }

  #holding(fid: number): Holding {
    const holding = this.#holdings.of(fid)
    const lent = { ...holding.lent }
    for (const { lender, unit_type, units } of this.#lent.values()) {
      if (lender === fid) lent[unitTypeOf(unit_type)] = units
    }
    return { ...holding, lent }
  }

  #inForce(lender: number, borrower: number): StorageLend | undefined {
    return [...this.#lends.values()].find(
      (lend) => lend.lender === lender && lend.borrower === borrower && lend.ended_at === 0,
    )
  }

  /** The time at which a lend ends now: in the past when its lender's units have ended before. */
  #endOf({ lender, unit_type }: StorageLend): number {
    const end = endOfLends(this.#holding(lender), unitTypeOf(unit_type), this.#clock)
    return Math.max(1, Math.min(this.#clock.now, end))
  }

  #put(lend: StorageLend): void {
    this.#lends.set(lend.id, lend)
    this.#changed.add(lend.id)
  }

  #addLent({ lender, unit_type }: Pick<StorageLend, 'lender' | 'unit_type'>, change: number): void {
    const units = this.#holding(lender).lent[unitTypeOf(unit_type)] + change
    this.#lent.set(`${lender}/${unit_type}`, { lender, unit_type, units })
    this.#units.delete(lender)
  }
}

/**
 * Ends the lends of removed messages, at once or with the grace time, which what is pruned has had. Does nothing for
 * other messages.
 */
export async function removeLends(
  tx: Pick<Writer, 'storageLends'>,
  rows: readonly StoredMessage[],
  ended: 'pruned' | { readonly now: number },
): Promise<void> {
  const ids = rows.filter(isLend).map(({ id }) => id)
  if (ids.length === 0) return
  const lends = await tx.storageLends.byIds(ids)
  const lent = await tx.storageLends.lentBy([...new Set(lends.map(({ lender }) => lender))])
  const left = lent.map((total) => {
    const gone = lends.filter(
      (one) => one.lender === total.lender && one.unit_type === total.unit_type,
    )
    return { ...total, units: gone.reduce((rest, { units }) => rest - units, total.units) }
  })
  await tx.storageLends.putLent(left)
  if (ended === 'pruned') await tx.storageLends.remove(ids)
  else await tx.storageLends.put(lends.map((one) => ({ ...one, ended_at: ended.now })))
}

/** Forgets lends by which nothing is kept any more. Returns how many there were. */
export const forgetLends = (tx: Pick<Writer, 'storageLends'>, now: number): Promise<number> =>
  tx.storageLends.forget(now, { graceSeconds: STORAGE_GRACE_SECONDS, minSeconds: REPLAY_SECONDS })
