import type { Dialect, Engine } from '../engines/engine.ts'
import type { Sql } from '../engines/sql.ts'
import { WORD_TABLES } from '../engines/word-index.ts'
import { createOrFind } from '../tables/schema.ts'
import { POSITION, VIEW_STATES, viewReader } from './views.ts'

/** Grows with every change of the tables or of their content: views of another version are rebuilt. */
export const VIEWS_VERSION = 8

const tables = ({ bytes, rowKey, clustered, covering }: Dialect) => [
  `create table view_post (
     doc ${rowKey}, id bigint not null, fid bigint not null, kind bigint not null,
     key ${bytes}, target ${bytes}, root bigint, place bigint)`,
  'create unique index view_post_key on view_post (key) where key is not null',
  'create index view_post_author on view_post (fid, doc) where kind <> 2',
  'create index view_post_newest on view_post (doc, fid) where kind <> 2',
  'create index view_post_target on view_post (target, kind, doc) where target is not null',
  'create index view_post_place on view_post (place, kind, doc) where place is not null',
  `create table view_place (id ${rowKey}, target ${bytes} not null, url text not null)`,
  'create unique index view_place_target on view_place (target)',
  `create table view_count (
     key ${bytes} not null primary key, likes bigint not null, recasts bigint not null,
     replies bigint not null, quotes bigint not null) ${clustered}`,
  `create table view_quote (
     key ${bytes} not null, doc bigint not null, primary key (key, doc)) ${clustered}`,
  `create table view_follow (
     fid bigint not null, target bigint not null, at bigint not null, id bigint not null,
     primary key (fid, target)) ${clustered}`,
  `create table view_user (
     fid ${rowKey}, name text, card text, profile text,
     followers bigint not null, following bigint not null)`,
  'create index view_user_name on view_user (name) where name is not null',
  `create table view_notice (
     fid bigint not null, at bigint not null, id bigint not null,
     kind bigint not null, actor bigint not null, key ${bytes},
     primary key (fid, at, id) ${covering('kind, actor, key')}) ${clustered}`,
  'create index view_notice_id on view_notice (id)',
  `create table view_trend (
     generation bigint not null, list text not null, rank bigint not null,
     doc bigint not null, score bigint not null, primary key (generation, list, rank)) ${clustered}`,
  `create table view_activity (
     place ${rowKey}, casts_1d bigint not null, casts_7d bigint not null,
     casts_30d bigint not null)`,
  `create table view_aside (
     part text not null, id bigint not null, reason text not null, version text not null,
     at bigint not null, primary key (part, id)) ${clustered}`,
]

/** Kept by rebuilds. */
const keptTables = ({ clustered }: Dialect) => [
  'create table if not exists view_state (name text not null primary key, value text not null)',
  `create table if not exists view_delivery (
  webhook text not null, event bigint not null, n bigint not null, type text not null,
  subject text not null, attempts bigint not null, due bigint not null,
  primary key (webhook, event, n)) ${clustered}`,
]

const VIEW_VERSION =
  'create table if not exists view_version (id bigint not null primary key, version bigint not null)'

/** Tables that a rebuild empties: all but deliveries and named values. */
const DERIVED = [
  ...['view_post', 'view_place', 'view_count', 'view_quote', 'view_follow', 'view_user'],
  ...['view_notice', 'view_trend', 'view_activity', 'view_aside'],
]

/** Creates the tables, or creates them anew when they are of another version. */
export async function createViews(engine: Engine): Promise<void> {
  const { dialect, words, isExclusive } = engine
  await createOrFind(engine, VIEW_VERSION, 'select version from view_version')
  return engine.transaction(
    async (sql) => {
      await sql.all(
        'insert into view_version (id, version) values (1, 0) on conflict (id) do nothing',
      )
      const lock = isExclusive ? '' : ' for update'
      const [row] = await sql.all(`select version from view_version where id = 1${lock}`)
      if (row?.version === VIEWS_VERSION) return
      for (const name of [...DERIVED, ...WORD_TABLES]) {
        await sql.all(`drop table if exists ${name}`)
      }
      for (const text of [...tables(dialect), ...keptTables(dialect)]) await sql.all(text)
      for (const text of WORD_TABLES.flatMap(words.create)) await sql.all(text)
      // The position in the log stays: no webhook must miss an event. The content is built anew.
      const position = await viewReader(sql).position()
      if (position) {
        const build = { scanned: 0, messages: 0 }
        const { setAside: _, earlierBuilds = 0, ...kept } = position
        const value = JSON.stringify({ ...kept, build, earlierBuilds: earlierBuilds + 1 })
        await VIEW_STATES.upsert(sql, [{ name: POSITION, value }])
      }
      await sql.all('update view_version set version = ? where id = 1', [VIEWS_VERSION])
    },
    { isUnlimited: true },
  )
}

/** Deletes all derived rows. */
export async function emptyViews(
  sql: Sql,
  { dialect, words }: Pick<Engine, 'dialect' | 'words'>,
): Promise<void> {
  for (const name of DERIVED) await sql.all(dialect.empty(name))
  for (const name of WORD_TABLES) await sql.all(words.empty(name))
}
