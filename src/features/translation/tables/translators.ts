import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** By the interface that it has. */
export const TRANSLATOR_KINDS = ['libretranslate', 'deepl'] as const
export type TranslatorKind = (typeof TRANSLATOR_KINDS)[number]

/** The service that translates for members: none, or one. */
export const TRANSLATORS = table('translator', {
  name: { type: 'line', values: ['translator'], key: true },
  kind: { type: 'line', values: TRANSLATOR_KINDS },
  address: { type: 'link', words: false },
  /** 1: it is in the network of the server, where no address of a third party leads. */
  own_network: { type: 'flag' },
  /** The sealed key; empty: none. */
  secret: { type: 'bytes' },
  /** The characters that may be sent in 30 days. */
  monthly: { type: 'integer' },
  changed_at: { type: 'seconds' },
  changed_by: { type: 'line', words: false },
})
export type Translator = RowOf<typeof TRANSLATORS>

const NAME = 'translator'

export const translatorReader = (sql: Sql) => ({
  get: () => TRANSLATORS.find(sql, NAME),
})

export const translatorWriter = (sql: Sql) => ({
  ...translatorReader(sql),
  put: (row: Omit<Translator, 'name'>) => TRANSLATORS.upsert(sql, [{ name: NAME, ...row }]),
  remove: () => TRANSLATORS.removeBy(sql, 'name', [NAME]),
})

/** `storage.of(translatorRows)` reads this table, and `tx.of(translatorRows)` writes it. */
export const translatorRows = rowsOf(translatorReader, ({ sql }) => translatorWriter(sql))
