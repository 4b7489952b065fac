import type { UnitType } from './kinds/kind.ts'
import { ALL_MESSAGE_SETS, MESSAGE_SETS } from './kinds/kinds.ts'
import { MAX_UINT32 } from './sizes.ts'
import { DAY_SECONDS } from './time.ts'

export type { UnitType }

const YEAR_SECONDS = 365 * DAY_SECONDS
export const MAINNET = 1

/** Units of each type. How long a unit lasts and how much it holds depends on when it was rented. */
export type Units = Readonly<Record<UnitType, number>>

/** Message sets by number, those that units limit. */
const LIMITS = new Map(
  ALL_MESSAGE_SETS.flatMap(({ number, messagesPerUnit }) =>
    messagesPerUnit ? [[number, messagesPerUnit] as const] : [],
  ),
)

/** What a fid has rented, and how many of these units it lends to others. */
export type Lender = { readonly rents: readonly Rent[]; readonly lent: Units }

/** Units that a fid borrows from another, or borrowed: see `storage_lend`. */
export type Borrowed = {
  readonly unit_type: number
  readonly units: number
  /** Unix seconds since when the fid has had at least so many. */
  readonly since: number
  /** Unix seconds when the lender ended it; 0: it has not. */
  readonly ended_at: number
  readonly lender: Lender
}

/** All that says how many units a fid has. */
export type Holding = Lender & { readonly borrowed: readonly Borrowed[] }

/** Units that a fid has to use, and what they consist of. */
export type HeldUnits = Units & {
  readonly purchased: Units
  readonly lent: Units
  readonly borrowed: Units
}

/** Wire numbers of the unit types. */
export const UNIT_TYPE_NUMBERS: Readonly<Record<UnitType, number>> = {
  legacy: 0,
  u2024: 1,
  u2025: 2,
}

/** Unix seconds from which rented units are of the 2024 type: 2024-08-29 00:00 UTC. */
const UNIT_2024_FROM = 1_724_889_600
/** Unix seconds from which rented units are of the 2025 type: 2025-07-16 17:00 UTC on mainnet. */
const UNIT_2025_FROM = { mainnet: 1_752_685_200, other: 1_752_426_000 }
/** 2025 units rented before this time last two years, later ones one: 2026-06-22 17:00 UTC on mainnet. */
const EXTENDED_UNTIL = { mainnet: 1_782_147_600, other: 1_781_283_600 }

/** The type of units rented at this time (Unix seconds) on this network. */
export function unitTypeAt(rentedAt: number, network: number): UnitType {
  if (rentedAt < UNIT_2024_FROM) return 'legacy'
  return rentedAt < onNetwork(UNIT_2025_FROM, network) ? 'u2024' : 'u2025'
}

/** A rent of storage units; its place in the chain orders the rents of a fid. */
export type Rent = {
  readonly block_number: number
  readonly log_index: number
  /** Block time of the rent, Unix seconds. */
  readonly rented_at: number
  readonly units: number
  /** Unix seconds: the end that the event declares, NO_END, or 0 when it follows from `rented_at` (`declaredEnd`). */
  readonly ends_at: number
}

/** How long storage lasts on a network. */
export type StorageTerms = {
  /** 1 is mainnet; the times above depend on it. */
  readonly network: number
  /** False on a ledger whose operator has set no end: then every unit counts, whatever its event declares. */
  readonly storageEnds: boolean
}

/** The expiry in rent events of units that do not end: the greatest value of the field, in 2106. */
export const NO_END = 2 ** 32 - 1

/** Messages are kept this long after the units that held them have ended. The documents of the deployed network promise it. */
export const STORAGE_GRACE_SECONDS = 30 * DAY_SECONDS

/** People, metrics and renewals learn of an end this long before. */
export const STORAGE_NOTICE_SECONDS = 30 * DAY_SECONDS

/**
 * The end of units by their event. The deployed contracts' events all declare a year, and hubs ignore it: they derive
 * the end from the time of the rent. So does this hub, unless the event declares another end, as a ledger's do.
 * Hubble declares a year in seconds since 2021, which is before the rent.
 */
export function declaredEnd(rentedAt: number, expiry: number): number {
  return expiry <= rentedAt || expiry === rentedAt + YEAR_SECONDS ? 0 : expiry
}

/** The Unix second at which the units of a rent end; they count before that second. Infinity: they do not end. */
export function rentEnd(
  { rented_at, ends_at }: Pick<Rent, 'rented_at' | 'ends_at'>,
  { network, storageEnds }: StorageTerms,
): number {
  if (!storageEnds || ends_at === NO_END) return Number.POSITIVE_INFINITY
  return ends_at || rented_at + yearsOf(rented_at, network) * YEAR_SECONDS
}

function yearsOf(rentedAt: number, network: number): number {
  const type = unitTypeAt(rentedAt, network)
  if (type === 'legacy') return 4
  if (type === 'u2024') return 3
  return rentedAt < onNetwork(EXTENDED_UNTIL, network) ? 2 : 1
}

/**
 * The rents of a fid that were not renewed. Units without an end take the place of the fid's earlier units with an
 * end: a ledger never rents some without renewing the others (`renewalUnits`).
 */
export function currentRents<R extends Rent>(rents: readonly R[]): R[] {
  let last: Rent | undefined
  for (const rent of rents) {
    if (rent.ends_at === NO_END && (!last || isAfter(rent, last))) last = rent
  }
  return rents.filter((rent) => rent.ends_at === NO_END || !last || isAfter(rent, last))
}

const isAfter = (a: Rent, b: Rent): boolean =>
  a.block_number > b.block_number ||
  (a.block_number === b.block_number && a.log_index > b.log_index)

/** Rented units of each type that count at a time (Unix seconds). */
export function purchasedUnits(rents: readonly Rent[], now: number, terms: StorageTerms): Units {
  const units = { legacy: 0, u2024: 0, u2025: 0 }
  for (const rent of currentRents(rents)) {
    if (now < rentEnd(rent, terms)) {
      units[unitTypeAt(rent.rented_at, terms.network)] += rent.units
    }
  }
  return units
}

/**
 * Units of each type that a fid may use at a time (Unix seconds): what it rented, without what it lends, and with what it
 * borrows.
 */
export const activeUnits = (holding: Holding, now: number, terms: StorageTerms): HeldUnits =>
  unitsOf(holding, now, 0, terms)

/** Units that messages are pruned by: they count through the grace time. */
export function keptUnits(holding: Holding, now: number, terms: StorageTerms): HeldUnits {
  const active = activeUnits(holding, now, terms)
  const kept = unitsOf(holding, now, STORAGE_GRACE_SECONDS, terms)
  // A lender whose loans have ended has units that it did not have in the grace time.
  return { ...kept, ...ofEachType((type) => Math.max(active[type], kept[type])) }
}

function unitsOf(holding: Holding, now: number, grace: number, terms: StorageTerms): HeldUnits {
  const at = now - grace
  const purchased = purchasedUnits(holding.rents, at, terms)
  const lent = ofEachType((type) =>
    at < endOfLends(holding, type, terms) ? holding.lent[type] : 0,
  )
  const counted = holding.borrowed.filter((loan) => {
    const { end, prunedFrom } = endOfLoan(loan, terms)
    return now < (grace > 0 ? prunedFrom : end)
  })
  const borrowed = ofEachType((type) =>
    counted.reduce((sum, loan) => sum + (unitTypeOf(loan.unit_type) === type ? loan.units : 0), 0),
  )
  const units = ofEachType((type) => purchased[type] - lent[type] + borrowed[type])
  return { ...units, purchased, lent, borrowed }
}

export const UNIT_TYPES = Object.keys(UNIT_TYPE_NUMBERS) as UnitType[]

const ofEachType = (count: (type: UnitType) => number): Units => ({
  legacy: count('legacy'),
  u2024: count('u2024'),
  u2025: count('u2025'),
})

/** The unit type with a wire number, which must be known. */
export const unitTypeOf = (number: number): UnitType => UNIT_TYPES[number]!

/** The Unix second at which what a fid lends of a type ends: when its rented units no longer cover all of it. */
export function endOfLends({ rents, lent }: Lender, type: UnitType, terms: StorageTerms): number {
  if (lent[type] === 0) return Number.POSITIVE_INFINITY
  const ends = currentRents(rents).map((rent) => rentEnd(rent, terms))
  const isTooLittle = (at: number) => purchasedUnits(rents, at, terms)[type] < lent[type]
  return [0, ...ends].sort((a, b) => a - b).find(isTooLittle) ?? Number.POSITIVE_INFINITY
}

/**
 * When a fid has no longer what it borrows, and when it is pruned by that. What the lender ends at will counts for as
 * long again as it was lent, at most for the grace time: otherwise the same units could serve many fids in turn.
 */
function endOfLoan(loan: Borrowed, terms: StorageTerms): StorageEnd {
  const { since, ended_at, lender } = loan
  if (ended_at > 0) {
    const grace = Math.min(STORAGE_GRACE_SECONDS, Math.max(0, ended_at - since))
    return { end: ended_at, prunedFrom: ended_at + grace }
  }
  const end = endOfLends(lender, unitTypeOf(loan.unit_type), terms)
  return { end, prunedFrom: end + STORAGE_GRACE_SECONDS }
}

/** Unix seconds from which units do not count, and from which messages are pruned by that. */
export type StorageEnd = { readonly end: number; readonly prunedFrom: number }

/** The ends of all that a fid has, the first one first; of units without an end Infinity. */
export function storageEnds(holding: Holding, terms: StorageTerms): StorageEnd[] {
  const rented = currentRents(holding.rents).map((rent) => {
    const end = rentEnd(rent, terms)
    return { end, prunedFrom: end + STORAGE_GRACE_SECONDS }
  })
  const borrowed = holding.borrowed.map((loan) => endOfLoan(loan, terms))
  return [...rented, ...borrowed].sort((a, b) => a.end - b.end)
}

/**
 * The first end, in the future or in its grace time, after which the units that are left hold less than is stored, or
 * nothing at all; undefined when nothing is lost.
 */
export function firstLoss(
  holding: Holding,
  usages: readonly { readonly store: number; readonly count: number }[],
  now: number,
  terms: StorageTerms,
): StorageEnd | undefined {
  return storageEnds(holding, terms)
    .filter(({ end, prunedFrom }) => Number.isFinite(end) && now < prunedFrom)
    .find(({ end }) => {
      const left = activeUnits(holding, end, terms)
      const isTooMuch = (count: number, store: number) =>
        LIMITS.has(store) && count > limitOf(left, store)
      return unitCount(left) === 0 || usages.some(({ store, count }) => isTooMuch(count, store))
    })
}

export const unitCount = ({ legacy, u2024, u2025 }: Units): number => legacy + u2024 + u2025

/** How many units of the present type hold at least what these hold; 0 when there are none. */
export function renewalUnits(units: Units): number {
  const needed = [...LIMITS.values()].map((perUnit) =>
    Math.ceil(messagesOf(units, perUnit) / perUnit.u2025),
  )
  return Math.min(Math.max(...needed), MAX_UINT32)
}

/**
 * How many messages these units allow in a message set (by number); 0 for sets without a limit. Borrowed units cannot be
 * lent, and those that are lent still count for lending.
 */
export function limitOf(units: HeldUnits, messageSet: number): number {
  const perUnit = LIMITS.get(messageSet)
  if (!perUnit) return 0
  return messagesOf(messageSet === MESSAGE_SETS.storageLends ? units.purchased : units, perUnit)
}

/** How many more units of the type that is rented now a fid needs to keep so many messages of a set; 0 when it has them. */
export function missingUnits(
  held: HeldUnits,
  { set, count, type }: { readonly set: number; readonly count: number; readonly type: UnitType },
): number {
  const perUnit = LIMITS.get(set)
  if (!perUnit) return 0
  return Math.max(0, Math.ceil((count - limitOf(held, set)) / perUnit[type]))
}

const messagesOf = (units: Units, perUnit: Units): number =>
  units.legacy * perUnit.legacy + units.u2024 * perUnit.u2024 + units.u2025 * perUnit.u2025

/** Whether messages of a set (by number) are counted against the author's units. */
export function isLimited(messageSet: number): boolean {
  return LIMITS.has(messageSet)
}

function onNetwork(times: { mainnet: number; other: number }, network: number): number {
  return network === MAINNET ? times.mainnet : times.other
}
