import type { UnitType } from './kinds/kind.ts'
import { ALL_MESSAGE_SETS } from './kinds/kinds.ts'

export type { UnitType }

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
const MAINNET = 1

/** Units of each type. How long a unit lasts and how much it holds depends on when it was rented. */
export type Units = Readonly<Record<UnitType, number>>

/** Message sets by number, those that units limit. */
const LIMITS = new Map(
  ALL_MESSAGE_SETS.flatMap(({ number, messagesPerUnit }) =>
    messagesPerUnit ? [[number, messagesPerUnit] as const] : [],
  ),
)

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

/** The Unix second at which a unit rented at a time (Unix seconds) expires; it counts before that second. */
export function unitExpiry(rentedAt: number, network: number): number {
  return rentedAt + yearsOf(rentedAt, network) * YEAR_SECONDS
}

function yearsOf(rentedAt: number, network: number): number {
  const type = unitTypeAt(rentedAt, network)
  if (type === 'legacy') return 4
  if (type === 'u2024') return 3
  return rentedAt < onNetwork(EXTENDED_UNTIL, network) ? 2 : 1
}

export type Rent = {
  /** Block time of the rent, Unix seconds. */
  readonly rentedAt: number
  readonly units: number
}

/** Units of each type that have not expired at a time (Unix seconds). */
export function activeUnits(rents: readonly Rent[], now: number, network: number): Units {
  const units = { legacy: 0, u2024: 0, u2025: 0 }
  for (const rent of rents) {
    if (now < unitExpiry(rent.rentedAt, network)) {
      units[unitTypeAt(rent.rentedAt, network)] += rent.units
    }
  }
  return units
}

/** How many messages these units allow in a message set (by number); 0 for sets without a limit. */
export function limitOf(units: Units, messageSet: number): number {
  const limits = LIMITS.get(messageSet)
  if (!limits) return 0
  return units.legacy * limits.legacy + units.u2024 * limits.u2024 + units.u2025 * limits.u2025
}

/** Whether messages of a set (by number) are counted against the author's units. */
export function isLimited(messageSet: number): boolean {
  return LIMITS.has(messageSet)
}

function onNetwork(times: { mainnet: number; other: number }, network: number): number {
  return network === MAINNET ? times.mainnet : times.other
}
