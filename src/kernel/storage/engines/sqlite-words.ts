import { listStatement } from './sql.ts'
import type { Match, WordIndex, WordTable } from './word-index.ts'

/** Pages of an index that one statement writes: about 10 ms. */
const MERGED_PAGES = 500

const insert = (table: WordTable) => ({
  columns: { key: 'bigint', words: 'text' } as const,
  text: `insert into ${table} (rowid, words) select key, words from input`,
  rowText: `insert into ${table} (rowid, words) values (?, ?)`,
})
const remove = (table: WordTable) =>
  listStatement({ key: 'bigint' }, `delete from ${table} where rowid in (select key from input)`)

/** FTS5 without the texts themselves. */
export const SQLITE_WORDS: WordIndex = {
  create: (table) => [
    `create virtual table ${table} using fts5(
       words, content='', contentless_delete=1, tokenize='ascii', detail=none, prefix='3')`,
  ],
  keys: { view_words: 'rowid', view_user_words: 'rowid' },
  insert: { view_words: insert('view_words'), view_user_words: insert('view_user_words') },
  remove: { view_words: remove('view_words'), view_user_words: remove('view_user_words') },
  empty: (table) => `insert into ${table} (${table}) values ('delete-all')`,
  /** FTS5 only marks rows as deleted. */
  async merge(sql, table, begins) {
    const changes = async () => Number((await sql.all('select total_changes() as n'))[0]?.n)
    const before = await changes()
    const pages = begins ? -MERGED_PAGES : MERGED_PAGES
    await sql.all(`insert into ${table} (${table}, rank) values ('merge', ?)`, [pages])
    // FTS5: a merge that found nothing to do changes fewer than two rows.
    const changed = (await changes()) - before
    return changed < 2 ? 0 : changed
  },
  matches: (table) => `w.${table} match ?`,
  expression,
  isOrdered: true,
}

/** Tokens have no quotes, and the tokenizer keeps them whole. */
function expression(match: Match): string {
  switch (match.kind) {
    case 'token':
      return `"${match.token.replaceAll('"', '""')}"${match.isPrefix ? '*' : ''}`
    case 'or':
      return `(${match.parts.map(expression).join(' OR ')})`
    case 'and': {
      const positive = match.parts.filter(({ kind }) => kind !== 'not').map(expression)
      const negative = match.parts.flatMap((part) => (part.kind === 'not' ? [part.part] : []))
      const all = `(${positive.join(' AND ')})`
      return negative.length > 0 ? `(${all} NOT (${negative.map(expression).join(' OR ')}))` : all
    }
    case 'not':
      throw new TypeError('a negated part stands beside others')
  }
}
