import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The limits of new accounts: one row, or none before there was a limit. */
export const NEWCOMER_RULES = table('newcomer_rule', {
  name: { type: 'line', values: ['rule'], key: true },
  /** How long an account is new; 0: the rule is off, and keeps its numbers. */
  days: { type: 'integer' },
  /** Casts in 24 hours; null: as many as others. */
  posts: { type: 'integer', null: true },
  /** Links in one cast; null: as many as others. */
  links: { type: 'integer', null: true },
  /** Mentions in one cast; null: as many as others. */
  mentions: { type: 'integer', null: true },
  changed_at: { type: 'seconds' },
  changed_by: { type: 'line', words: false },
})
export type NewcomerRule = Omit<RowOf<typeof NEWCOMER_RULES>, 'name'>

const RULE = { name: 'rule' } as const

export const newcomerReader = (sql: Sql) => ({
  /** The rule that is in force. */
  async rule(): Promise<NewcomerRule | undefined> {
    const kept = await NEWCOMER_RULES.find(sql, RULE.name)
    return kept && kept.days > 0 ? kept : undefined
  },
  /** In force or off. */
  kept: (): Promise<NewcomerRule | undefined> => NEWCOMER_RULES.find(sql, RULE.name),
})

export const newcomerWriter = (sql: Sql) => ({
  ...newcomerReader(sql),
  put: (rule: NewcomerRule) => NEWCOMER_RULES.upsert(sql, [{ ...RULE, ...rule }]),
})

/** `storage.of(newcomerRows)` reads this table, and `tx.of(newcomerRows)` writes it. */
export const newcomerRows = rowsOf(newcomerReader, ({ sql }) => newcomerWriter(sql))
