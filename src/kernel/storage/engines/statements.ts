import { channel } from 'node:diagnostics_channel'
import type { EngineName } from './engine.ts'
import type { InputColumns, ListStatement, SqlValue } from './sql.ts'

/** A statement that is run, before it is written for its engine; of a list the values of its first row. */
export type ToldStatement = {
  readonly engine: EngineName
  readonly text: string
  readonly columns?: InputColumns
  readonly values: readonly SqlValue[] | Readonly<Record<string, SqlValue>>
}

/** Tells of every statement. Tests listen, and try each on the engine on which nothing ran it (scripts/statements.ts). */
export const STATEMENTS = channel('rookery:statement')

export function tellStatement(
  engine: EngineName,
  text: string,
  values: readonly SqlValue[] = [],
): void {
  if (STATEMENTS.hasSubscribers) {
    STATEMENTS.publish({ engine, text, values } satisfies ToldStatement)
  }
}

export function tellList(
  engine: EngineName,
  { text, columns }: ListStatement,
  rows: readonly object[],
): void {
  if (!STATEMENTS.hasSubscribers || rows.length === 0) return
  const values = rows[0] as Readonly<Record<string, SqlValue>>
  STATEMENTS.publish({ engine, text, columns, values } satisfies ToldStatement)
}
