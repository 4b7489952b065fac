import { STORES } from './slots.ts'

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
const MAINNET = 1

/** How long one rented unit lasts and how much it holds depends on when it was rented. */
export type UnitType = 'legacy' | 'u2024' | 'u2025'
export type Units = Readonly<Record<UnitType, number>>

/** Messages one unit allows in each store, adds and removes alike. */
export const UNIT_LIMITS: Readonly<Record<UnitType, Readonly<Record<number, number>>>> = {
  legacy: limits({
    casts: 5000,
    links: 2500,
    reactions: 2500,
    userData: 50,
    proofs: 5,
    claims: 25,
  }),
  u2024: limits({ casts: 2000, links: 1000, reactions: 1000, userData: 50, proofs: 5, claims: 25 }),
  u2025: limits({ casts: 100, links: 200, reactions: 200, userData: 25, proofs: 2, claims: 5 }),
}

/** Wire numbers of the unit types. */
export const UNIT_TYPE_NUMBERS: Readonly<Record<UnitType, number>> = {
  legacy: 0,
  u2024: 1,
  u2025: 2,
}

/** Unix seconds from which a rent is of the 2024 kind: 2024-08-29 00:00 UTC. */
const UNIT_2024_FROM = 1_724_889_600
/** Unix seconds from which a rent is of the 2025 kind: 2025-07-16 17:00 UTC on mainnet. */
const UNIT_2025_FROM = { mainnet: 1_752_685_200, other: 1_752_426_000 }
/** 2025 units rented before this moment got a year more: 2026-06-22 17:00 UTC on mainnet. */
const EXTENDED_UNTIL = { mainnet: 1_782_147_600, other: 1_781_283_600 }

/** The kind of unit rented at this moment (Unix seconds) on this network. */
export function unitTypeAt(rentedAt: number, network: number): UnitType {
  if (rentedAt < UNIT_2024_FROM) return 'legacy'
  return rentedAt < onNetwork(UNIT_2025_FROM, network) ? 'u2024' : 'u2025'
}

/** Unix second at which a unit rented then ends; it is active while now is smaller. */
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

/** Units of each kind that still count at this moment (Unix seconds). */
export function activeUnits(rents: readonly Rent[], now: number, network: number): Units {
  const units = { legacy: 0, u2024: 0, u2025: 0 }
  for (const rent of rents) {
    if (now < unitExpiry(rent.rentedAt, network)) {
      units[unitTypeAt(rent.rentedAt, network)] += rent.units
    }
  }
  return units
}

/** How many messages these units allow in a store (number of STORES); 0 for stores without a limit. */
export function limitOf(units: Units, store: number): number {
  let limit = 0
  for (const type of ['legacy', 'u2024', 'u2025'] as const) {
    limit += units[type] * (UNIT_LIMITS[type][store] ?? 0)
  }
  return limit
}

function onNetwork(times: { mainnet: number; other: number }, network: number): number {
  return network === MAINNET ? times.mainnet : times.other
}

function limits(
  of: Record<'casts' | 'links' | 'reactions' | 'userData' | 'proofs' | 'claims', number>,
) {
  return {
    [STORES.casts]: of.casts,
    [STORES.links]: of.links,
    [STORES.reactions]: of.reactions,
    [STORES.userData]: of.userData,
    [STORES.verifications]: of.claims,
    [STORES.usernameProofs]: of.proofs,
  }
}
