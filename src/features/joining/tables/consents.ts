import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The rules that a member has agreed to last. */
export const CONSENTS = table('rules_consent', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  /** The hash of the rules. */
  version: { type: 'line', words: false },
  /** The age that the member has said to have reached; 0: none was asked for. */
  age: { type: 'integer' },
  agreed_at: { type: 'seconds' },
})
export type Consent = RowOf<typeof CONSENTS>

export const consentReader = (sql: Sql) => ({
  find: (fid: number) => CONSENTS.find(sql, fid),
})

export const consentWriter = (sql: Sql) => ({
  ...consentReader(sql),
  put: (consent: Consent) => CONSENTS.upsert(sql, [consent]),
})

/** `storage.of(consentRows)` reads this table, and `tx.of(consentRows)` writes it. */
export const consentRows = rowsOf(consentReader, ({ sql }) => consentWriter(sql))
