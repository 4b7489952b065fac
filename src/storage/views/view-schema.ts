import type { Engine, Sql } from '../engines/sql.ts'
import { spelled } from '../tables/schema.ts'
import { POSITION, VIEW_STATES, viewReader } from './views.ts'

/** Grows with every change of the tables or of what they hold: views of another version are rebuilt. */
export const VIEWS_VERSION = 3

const TABLES = [
  `create table view_post (
     doc ROWKEY, id bigint not null, fid bigint not null, kind bigint not null,
     key BYTES, target BYTES, root bigint, place bigint)`,
  'create unique index view_post_key on view_post (key) where key is not null',
  'create index view_post_author on view_post (fid, doc) where kind <> 2',
  'create index view_post_newest on view_post (doc, fid) where kind <> 2',
  'create index view_post_target on view_post (target, kind, doc) where target is not null',
  'create index view_post_place on view_post (place, kind, doc) where place is not null',
  'create table view_place (id ROWKEY, target BYTES not null, url text not null)',
  'create unique index view_place_target on view_place (target)',
  `create table view_count (
     key BYTES not null primary key, likes bigint not null, recasts bigint not null,
     replies bigint not null, quotes bigint not null) CLUSTERED`,
  `create table view_quote (
     key BYTES not null, doc bigint not null, primary key (key, doc)) CLUSTERED`,
  `create table view_follow (
     fid bigint not null, target bigint not null, at bigint not null, id bigint not null,
     primary key (fid, target)) CLUSTERED`,
  `create table view_user (
     fid bigint not null primary key, name text, card text, profile text,
     followers bigint not null, following bigint not null)`,
  'create index view_user_name on view_user (name) where name is not null',
  `create table view_notice (
     fid bigint not null, at bigint not null, id bigint not null,
     kind bigint not null, actor bigint not null, key BYTES,
     primary key (fid, at, id) COVERING (kind, actor, key)) CLUSTERED`,
  `create table view_trend (
     generation bigint not null, list text not null, rank bigint not null,
     doc bigint not null, score bigint not null, primary key (generation, list, rank)) CLUSTERED`,
  `create table view_activity (
     place bigint not null primary key, casts_1d bigint not null, casts_7d bigint not null,
     casts_30d bigint not null)`,
  `create table view_aside (
     part text not null, id bigint not null, reason text not null, version text not null,
     at bigint not null, primary key (part, id)) CLUSTERED`,
]

/** Kept by rebuilds. */
const KEPT = [
  'create table if not exists view_state (name text not null primary key, value text not null)',
  `create table if not exists view_delivery (
  webhook text not null, event bigint not null, n bigint not null, type text not null,
  subject text not null, attempts bigint not null, due bigint not null,
  primary key (webhook, event, n)) CLUSTERED`,
]

/** The full-text indexes. */
export const WORD_TABLES = ['view_words', 'view_user_words'] as const
export type WordTable = (typeof WORD_TABLES)[number]

/** The words of casts by doc, and of users by fid. The tokens come from words.ts, so no engine cuts text. */
const WORDS = {
  sqlite: WORD_TABLES.map(
    (name) =>
      `create virtual table ${name} using fts5(
         words, content='', contentless_delete=1, tokenize='ascii', detail=none, prefix='3')`,
  ),
  postgres: [
    'create table view_words (doc bigint primary key, words tsvector not null)',
    'create index view_words_index on view_words using gin (words)',
    'create table view_user_words (fid bigint primary key, words tsvector not null)',
    'create index view_user_words_index on view_user_words using gin (words)',
  ],
}

/** What a rebuild empties: everything but deliveries and the named values. */
const DERIVED = [
  ...['view_post', 'view_place', 'view_count', 'view_quote', 'view_follow', 'view_user'],
  ...['view_notice', 'view_trend', 'view_activity', 'view_aside'],
]

/** Creates the tables, or creates them anew when they are of another version. */
export function createViews(engine: Engine): Promise<void> {
  return engine.transaction(
    async (sql) => {
      await sql.all(
        'create table if not exists view_version (id bigint not null primary key, version bigint not null)',
      )
      await sql.all(
        'insert into view_version (id, version) values (1, 0) on conflict (id) do nothing',
      )
      const lock = engine.kind === 'postgres' ? ' for update' : ''
      const [row] = await sql.all(`select version from view_version where id = 1${lock}`)
      if (row?.version === VIEWS_VERSION) return
      for (const name of [...DERIVED, ...WORD_TABLES]) {
        await sql.all(`drop table if exists ${name}`)
      }
      for (const text of [...TABLES, ...KEPT]) await sql.all(spelled(text, engine.kind))
      for (const text of WORDS[engine.kind]) await sql.all(text)
      // The position in the log stays: no webhook must miss an event. The content is built anew.
      const position = await viewReader(sql).position()
      if (position) {
        const build = { scanned: 0, messages: 0 }
        const { setAside: _, ...kept } = position
        const value = JSON.stringify({ ...kept, build })
        await VIEW_STATES.upsert(sql, [{ name: POSITION, value }])
      }
      await sql.all('update view_version set version = ? where id = 1', [VIEWS_VERSION])
    },
    { isUnlimited: true },
  )
}

/** Deletes all derived rows. */
export async function emptyViews(sql: Sql, kind: Engine['kind']): Promise<void> {
  if (kind === 'postgres') {
    await sql.all(`truncate ${[...DERIVED, ...WORD_TABLES].join(', ')}`)
    return
  }
  for (const name of DERIVED) await sql.all(`delete from ${name}`)
  for (const name of WORD_TABLES) {
    await sql.all(`insert into ${name} (${name}) values ('delete-all')`)
  }
}
