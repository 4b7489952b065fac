import type { ListStatement, Sql } from './sql.ts'

/** The full-text indexes: the words of casts by doc, and of users by fid. */
export const WORD_TABLES = ['view_words', 'view_user_words'] as const
export type WordTable = (typeof WORD_TABLES)[number]

/** What is searched for. A negated part stands beside others that must be there. */
export type Match =
  | { readonly kind: 'token'; readonly token: string; readonly isPrefix: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Match[] }
  | { readonly kind: 'not'; readonly part: Match }

/** A statement that adds or removes rows of an index by their keys. */
type WordStatement = ListStatement<{ key: 'bigint'; words: 'text' }>
type KeyStatement = ListStatement<{ key: 'bigint' }>

/** Full-text search of an engine. The tokens come from words.ts, so no engine cuts text. */
export type WordIndex = {
  /** The statements that create a table. */
  create(table: WordTable): readonly string[]
  /** The column that holds the doc or fid. */
  readonly keys: Readonly<Record<WordTable, string>>
  readonly insert: Readonly<Record<WordTable, WordStatement>>
  readonly remove: Readonly<Record<WordTable, KeyStatement>>
  /** The statement that deletes all rows. */
  empty(table: WordTable): string
  /**
   * Writes a part of an index anew, without the words of deleted rows. The first call of a pass begins with everything.
   * Returns 0 when nothing is left to do.
   */
  merge(sql: Sql, table: WordTable, begins: boolean): Promise<number>
  /** A condition on rows of the table as `w`. Its parameter is an `expression`. */
  matches(table: WordTable): string
  expression(match: Match): string
  /** Whether matches are read in the order of their keys, up to the end of a page. Otherwise all of them are. */
  readonly isOrdered: boolean
}
