// How the embedded store runs the statement of a list: prepared once, then row by row.

import type { ListStatement } from './sql.ts'

/** Lists of numbers, such as ids, are handed over as one JSON text, and the statement runs once. */
export const isOneNumber = ({ columns }: ListStatement): boolean => {
  const types = Object.values(columns)
  return types.length === 1 && types[0] === 'bigint'
}

/** The text to prepare; its parameters are the columns in their order. A text without `input` names them ?1, ?2 and so on. */
export function textOfList(statement: ListStatement): string {
  if (!/\binput\b/.test(statement.text)) return statement.text
  if (isOneNumber(statement)) return withInput(statement, 'select value from json_each(?)')
  return insertOfValues(statement) ?? updateOfValues(statement) ?? withInputRow(statement)
}

/** The meaning of the statement, for any text. */
export function withInputRow(statement: ListStatement): string {
  const marks = Object.keys(statement.columns).map(() => '?')
  return withInput(statement, `values (${marks.join(', ')})`)
}

const withInput = ({ columns, text }: ListStatement, rows: string): string =>
  `with recursive input(${Object.keys(columns).join(', ')}) as (${rows}) ${text}`

// A write that selects its row costs SQLite two to four times as much as one that is given its values: it may be
// many rows, so SQLite keeps a journal of the statement, and an update collects its rows in a table first.

const INSERT =
  /^insert into (.+?\))\s+select (.+?) from input( where true)?(\s+(on|returning)\s.+)?$/s
const UPDATE = /^update (\w+) set (.+) from input i where (.+)$/s
const COMMENT = /\/\*.*?\*\//gs

/** `insert into t (a, b) values (?1, ?2)`, where the statement inserts columns of `input` and constants. */
function insertOfValues({ columns, text }: ListStatement): string | undefined {
  const [, target, selected = '', , rest = ''] = INSERT.exec(text.trimEnd()) ?? []
  if (!target) return undefined
  const values = selected
    .replace(COMMENT, '')
    .split(',')
    .map((value) => value.trim())
  const parameters = new Parameters(columns)
  const given = values.map((value) => (/^\d+$/.test(value) ? value : parameters.of(value)))
  if (!parameters.areAllUsed || given.includes(undefined)) return undefined
  return `insert into ${target} values (${given.join(', ')})${rest}`
}

/** `update t set a = ?2 where t.b = ?1`. */
function updateOfValues({ columns, text }: ListStatement): string | undefined {
  const [, table, set = '', where = ''] = UPDATE.exec(text) ?? []
  if (!table) return undefined
  const parameters = new Parameters(columns)
  const withValues = (part: string) =>
    part.replace(/\bi\.(\w+)/g, (name, column) => parameters.of(column) ?? name)
  const update = `update ${table} set ${withValues(set)} where ${withValues(where)}`
  return parameters.areAllUsed ? update : undefined
}

/** The numbers of the columns as parameters. */
class Parameters {
  readonly #columns: readonly string[]
  readonly #used = new Set<number>()

  constructor(columns: ListStatement['columns']) {
    this.#columns = Object.keys(columns)
  }

  of(column: string): string | undefined {
    const number = this.#columns.indexOf(column) + 1
    if (number === 0) return undefined
    this.#used.add(number)
    return `?${number}`
  }

  /** A statement takes exactly the parameters that it names. */
  get areAllUsed(): boolean {
    return this.#used.size === this.#columns.length
  }
}
