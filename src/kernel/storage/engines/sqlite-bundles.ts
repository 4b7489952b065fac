// The rows of a select as two values: all numbers, and all byte strings. SQLite finds a byte string in a fraction of the
// time in which node:sqlite makes an ArrayBuffer of it.

import type { BundledColumns, BundledSelect, Row } from './sql.ts'

/** The select as one of a single row: `numbers` as JSON, where a byte string is its length, and `bytes`. */
export function bundledText({ columns, text }: BundledSelect): string {
  const names = Object.keys(columns)
  const byteNames = names.filter((name) => columns[name] === 'bytea')
  const numbers = names.map((name) => (columns[name] === 'bytea' ? `octet_length(${name})` : name))
  const bytes = byteNames.map((name) => `coalesce(${name}, x'')`).join(' || ')
  // What is joined has the type text, whatever its bytes are.
  return `select json_group_array(json_array(${numbers.join(', ')})) as numbers,
    cast(group_concat(${bytes}, '') as blob) as bytes from (${text})`
}

/**
 * The rows of what such a select has found. Their byte strings are views of one: a row that is kept holds the bytes of all.
 * Throws an Error where a column is not of the type that is said, or a number is not exact.
 */
export function unbundled(columns: BundledColumns, found: Row): Row[] {
  const names = Object.keys(columns)
  const areBytes = names.map((name) => columns[name] === 'bytea')
  const { buffer, byteOffset, length } = (found.bytes ?? new Uint8Array(0)) as Uint8Array
  const bytes = Buffer.from(buffer, byteOffset, length)
  let at = 0
  const rows = (JSON.parse(found.numbers as string) as (number | null)[][]).map((numbers) => {
    const row: Row = {}
    for (let i = 0; i < names.length; i++) {
      const number = numbers[i]!
      if (number !== null && !Number.isSafeInteger(number))
        throw new Error(`${names[i]}: ${number}`)
      if (areBytes[i] && number !== null) {
        row[names[i]!] = bytes.subarray(at, at + number)
        at += number
      } else row[names[i]!] = number
    }
    return row
  })
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes of ${names} are left`)
  return rows
}
