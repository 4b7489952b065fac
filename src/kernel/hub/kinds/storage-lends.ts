import { LEND_MAX_AGE_SECONDS } from '../../protocol/kinds/lend-storage.ts'
import { invalid } from '../../protocol/kinds/rules.ts'
import { Rejection } from '../../protocol/rejection.ts'
import {
  endOfLends,
  MAINNET,
  STORAGE_GRACE_SECONDS,
  unitTypeOf,
} from '../../protocol/storage-units.ts'
import { FUTURE_TOLERANCE_SECONDS } from '../../protocol/time.ts'
import type { LendStorageBody } from '../../protocol/wire/message_pb.js'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import type { StorageLend } from '../../storage/tables/storage-lends.ts'
import type { Findings } from '../jobs/findings.ts'
import type { Candidate, CheckedRow } from '../submit/candidate.ts'
import type { StorageUnits } from '../submit/storage-units.ts'
import {
  type Effects,
  type MergeState,
  Part,
  type PartOf,
  type Readable,
  type Removed,
  type Stay,
} from './effects.ts'

/** On mainnet a fid lends only when it has rented so many units of the type. */
const MIN_PURCHASED_UNITS = 1_000
/** Lends to one fid, those that were ended lately included: all are read with each of its messages. */
const MAX_LENDS_TO_FID = 1_000
/** No message that was sent before one that ended a lend is accepted after this time. */
const REPLAY_SECONDS = LEND_MAX_AGE_SECONDS + FUTURE_TOLERANCE_SECONDS
/** Wrong rows that one integrity check reports. */
const MAX_WRONG_LENDS = 500

const LENDS: PartOf<StorageLends> = {
  read: async (_reader, _candidates, { storage }) => new StorageLends(await storage),
}

/** A lend gives units to another fid, in place of those that the author lent to it before; 0 units end that. */
export const storageLendEffects: Effects = {
  needs: (candidate) => ({ units: [Number(bodyOf(candidate).toFid)] }),
  part: LENDS,
  rules: [{ check: checkNotEnded }, { checkNow: checkUnits }],
  // What a fid may lend follows from the units that it has rented.
  growsStorage: false,
  merged: (id, candidate, state) => state.part(LENDS).merge(id, candidate),
  removed: removeLends,
  // Others depend on it.
  outlivesKey: true,
  verify: checkLends,
  verifyRows: checkLentUnits,
}

const bodyOf = ({ body }: Pick<Candidate, 'body'>) => body.value as LendStorageBody

/** A lend that was ended since does not come back. */
function checkNotEnded(candidate: Candidate, state: MergeState): void {
  const { fid, timestamp } = candidate.row
  const to = state.part(LENDS).to(Number(bodyOf(candidate).toFid))
  const own = to.filter(({ lender }) => lender === fid)
  const isEndedLater = own.some(({ ended_at, ended_by }) => ended_at > 0 && ended_by >= timestamp)
  if (isEndedLater && own.every(({ ended_at }) => ended_at > 0)) {
    throw new Rejection('bad_request.conflict', 'message conflicts with a more recent lend')
  }
}

/** An author lends what it has, to a fid that has not too many lends. */
function checkUnits(candidate: Candidate, state: MergeState): void {
  const { fid } = candidate.row
  const { storage } = state
  const body = bodyOf(candidate)
  const type = unitTypeOf(body.unitType)
  const borrower = Number(body.toFid)
  // What covers too little no longer counts, but has to be ended before more is lent.
  const { purchased } = storage.active(fid)
  const rest = purchased[type] - storage.holding(fid).lent[type]
  const isTooSmall = storage.clock.network === MAINNET && purchased[type] < MIN_PURCHASED_UNITS
  if (body.numUnits > 0n && (isTooSmall || rest < Number(body.numUnits) + 1)) {
    throw invalid('insufficient storage', 'lendStorageBody.numUnits')
  }
  if (body.numUnits > 0n && state.part(LENDS).to(borrower).length >= MAX_LENDS_TO_FID) {
    throw invalid(`fid ${borrower} has ${MAX_LENDS_TO_FID} lends`, 'lendStorageBody.toFid')
  }
}

/** The lends to fids that a batch concerns. */
class StorageLends extends Part {
  readonly #storage: StorageUnits
  readonly #lends: Map<number, StorageLend>
  readonly #changed = new Set<number>()
  readonly #borrowers = new Set<number>()

  constructor(storage: StorageUnits) {
    super()
    this.#storage = storage
    this.#lends = new Map(storage.lends.map((lend) => [lend.id, lend]))
  }

  to(borrower: number): StorageLend[] {
    return [...this.#lends.values()].filter((lend) => lend.borrower === borrower)
  }

  /** Whether this batch has lent to the author, whose storage must be read again. */
  override isStale({ fid }: Pick<CheckedRow, 'fid'>): boolean {
    return this.#borrowers.has(fid)
  }

  /** Notes a lend that is merged as the message with this id. One that only ends an earlier one is not kept. */
  merge(id: number, candidate: Candidate): Stay {
    const { fid: lender, timestamp } = candidate.row
    const body = bodyOf(candidate)
    const { now } = this.#storage.clock
    const [borrower, units] = [Number(body.toFid), Number(body.numUnits)]
    const old = this.#inForce(lender, borrower)
    const isSameType = old?.unit_type === body.unitType
    const lend = { id, lender, borrower, unit_type: body.unitType, units, since: now }
    if (old) {
      const lost = old.units - (isSameType ? units : 0)
      const ended_at = this.#endOf(old)
      this.#storage.addLent(old, -old.units)
      this.#put({ ...old, units: Math.max(0, lost), ended_at, ended_by: timestamp })
    } else if (units === 0) this.#put({ ...lend, ended_at: now, ended_by: timestamp })
    if (units > 0) {
      const since = old && isSameType && units <= old.units ? old.since : now
      this.#put({ ...lend, since, ended_at: 0, ended_by: 0 })
      this.#storage.addLent(lend, units)
    }
    this.#borrowers.add(borrower)
    return units === 0 ? 'pruned' : 'stored'
  }

  override async write(tx: Writer): Promise<void> {
    if (this.#changed.size === 0) return
    await tx.storageLends.put([...this.#changed].map((id) => this.#lends.get(id)!))
  }

  #inForce(lender: number, borrower: number): StorageLend | undefined {
    return this.to(borrower).find((lend) => lend.lender === lender && lend.ended_at === 0)
  }

  /** The time at which a lend ends now: in the past when its lender's units have ended before. */
  #endOf({ lender, unit_type }: StorageLend): number {
    const { clock } = this.#storage
    const end = endOfLends(this.#storage.holding(lender), unitTypeOf(unit_type), clock)
    return Math.max(1, Math.min(clock.now, end))
  }

  #put(lend: StorageLend): void {
    this.#lends.set(lend.id, lend)
    this.#changed.add(lend.id)
  }
}

/** Ends the lends of removed messages, at once or with the grace time, which what is pruned has had. */
async function removeLends(
  tx: Pick<Writer, 'storageLends'>,
  rows: readonly StoredMessage[],
  { reason, now }: Removed,
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const lends = await tx.storageLends.byIds(ids)
  const lent = await tx.storageLends.lentBy([...new Set(lends.map(({ lender }) => lender))])
  const left = lent.map((total) => {
    const ended = lends.filter(
      (one) => one.lender === total.lender && one.unit_type === total.unit_type,
    )
    return { ...total, units: ended.reduce((rest, { units }) => rest - units, total.units) }
  })
  await tx.storageLends.putLent(left)
  if (reason === 'prune') await tx.storageLends.remove(ids)
  else await tx.storageLends.put(lends.map((one) => ({ ...one, ended_at: now })))
}

/** Forgets lends by which nothing is kept any more. Returns how many there were. */
export const forgetLends = (tx: Pick<Writer, 'storageLends'>, now: number): Promise<number> =>
  tx.storageLends.forget(now, { graceSeconds: STORAGE_GRACE_SECONDS, minSeconds: REPLAY_SECONDS })

/** Each message that lends storage is in force as it says. */
async function checkLends(
  storage: Storage,
  messages: readonly Readable[],
  found: Findings,
): Promise<void> {
  const lends = await storage.storageLends.byIds(messages.map(({ row }) => row.id))
  const byId = new Map(lends.map((lend) => [lend.id, lend]))
  for (const { row, name, message } of messages) {
    const lend = byId.get(row.id)
    const { body } = message.data
    const isRight =
      body.case === 'lendStorageBody' &&
      lend?.lender === row.fid &&
      lend.borrower === Number(body.value.toFid) &&
      lend.units === Number(body.value.numUnits) &&
      lend.unit_type === body.value.unitType &&
      lend.ended_at === 0
    if (!isRight) found.add('lent storage', `${name} is not in force as it says`)
  }
}

async function checkLentUnits({ storageLends }: Storage, found: Findings): Promise<void> {
  for (const { what } of await storageLends.wrong(MAX_WRONG_LENDS)) found.add('lent storage', what)
}
