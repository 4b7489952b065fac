import type { SqlValue } from './sql.ts'

// Numbers of many rows as one text, because to hand over a row costs several times as much as to find it.

/** Selects the values of all rows, in their order. */
export const numbersOf = (value: string, name: string): string =>
  `string_agg(cast(${value} as text), ',') as ${name}`

export const numbersIn = (list: SqlValue | undefined): number[] => JSON.parse(`[${list ?? ''}]`)
