import { listStatement } from './sql.ts'
import type { Match, WordIndex, WordTable } from './word-index.ts'

const KEYS = { view_words: 'doc', view_user_words: 'fid' } as const

const insert = (table: WordTable) =>
  listStatement(
    { key: 'bigint', words: 'text' },
    `insert into ${table} (${KEYS[table]}, words)
     select key, array_to_tsvector(string_to_array(words, ' ')) from input`,
  )
const remove = (table: WordTable) =>
  listStatement(
    { key: 'bigint' },
    `delete from ${table} where ${KEYS[table]} in (select key from input)`,
  )

/** A table of lexemes with a GIN index. */
export const POSTGRES_WORDS: WordIndex = {
  create: (table) => [
    `create table ${table} (${KEYS[table]} bigint primary key, words tsvector not null)`,
    `create index ${table}_index on ${table} using gin (words)`,
  ],
  keys: KEYS,
  insert: { view_words: insert('view_words'), view_user_words: insert('view_user_words') },
  remove: { view_words: remove('view_words'), view_user_words: remove('view_user_words') },
  empty: (table) => `truncate ${table}`,
  /** A deleted row has no words. */
  merge: async () => 0,
  matches: () => 'w.words @@ cast(? as tsquery)',
  expression,
  isOrdered: false,
}

/** Quoted lexemes, which PostgreSQL does not cut. */
function expression(match: Match): string {
  switch (match.kind) {
    case 'token':
      return `'${match.token.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${match.isPrefix ? ':*' : ''}`
    case 'not':
      return `!(${expression(match.part)})`
    default:
      return `(${match.parts.map(expression).join(match.kind === 'and' ? ' & ' : ' | ')})`
  }
}
