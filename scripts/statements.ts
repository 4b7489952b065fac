// Tries each statement that a run of the tests has run on one engine alone on the other one too, with the values that it had, in an
// empty store: what an engine does not know, or takes for another type, it refuses without rows as well.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import type { Engine, EngineName } from '../src/kernel/storage/engines/engine.ts'
import { openPostgres, sqlState } from '../src/kernel/storage/engines/postgres.ts'
import type { InputColumns, InputRow, Sql, SqlValue } from '../src/kernel/storage/engines/sql.ts'
import { errcode, openSqlite, STORE_FILE } from '../src/kernel/storage/engines/sqlite.ts'
import type { ToldStatement } from '../src/kernel/storage/engines/statements.ts'
import { createViews } from '../src/kernel/storage/views/view-schema.ts'
import { createDatabase } from '../test/postgres.ts'
import { copyStoreTemplate } from '../test/store-template.ts'

/** What is written into the folder for each statement. */
export type Note = ToldStatement & { readonly stack?: string }

const OTHER = { sqlite: 'postgres', postgres: 'sqlite' } as const
/**
 * What the sources write for one engine. Suites on both have it: tables, search, rows of messages, locks, snapshots and the
 * database itself.
 */
const OF_ONE_ENGINE = [
  /^\s*(?:create|drop|alter|truncate|analyze|explain|pragma|vacuum|set|listen)\b|^$/,
  /^\s*(?:begin|commit|rollback|savepoint|release)\b/,
  /\b(?:pg_|pragma_|sqlite_|total_changes\b)|\bcurrent_(?:database|setting)\b|\bset_config\b|\bclock_timestamp\b/,
  /\bview_(?:user_)?words\b/,
  /\bsigner_key\b|\bwhole_hash\b|^insert into message \(/,
  /\bfor (?:no key )?(?:update|share)\b/,
  /\brookery_snapshot_|\bto_regclass\b|\bxmin\b/,
]
/** As lines of a stack begin the path of a source. */
const ROOT = new URL('..', import.meta.url).href
/**
 * Paths below it, and threads that a test writes as text: of tests, scripts and migrations, whose statements are not tried. Migrations are run on both
 * by the suites of the store.
 */
const SOURCES = /^(?:src\/|test\/|scripts\/|data:)/
/** What passes statements on: engines, and what notes them. */
const ENGINES = /\/engines\/[\w-]+\.ts|^test\/statements\.ts/
const ELSEWHERE = /\.test\.ts|^(?:test|scripts)\/|^data:|\/migrations\/|\/tables\/schema\.ts/
/** Values may break a rule of the data, as they do in their own store; the statement was understood then. */
const BROKEN_RULE = { sqlite: 19, postgres: '23' } as const

/** Makes the folder whose name test processes find in TEST_STATEMENTS. */
export function makeNotes(folder: string): string {
  for (const engine of Object.keys(OTHER)) mkdirSync(join(folder, engine), { recursive: true })
  return folder
}

/** How many were tried, and those that the other engine does not take, each with what that says. It never throws. */
export async function tryStatements(
  folder: string,
): Promise<{ readonly tried: number; readonly refused: readonly string[] }> {
  let tried = 0
  const refused: string[] = []
  for (const own of ['sqlite', 'postgres'] as const) {
    try {
      const notes = notesOf(own, folder)
      tried += notes.length
      refused.push(...(await refusedBy(OTHER[own], notes)))
    } catch (error) {
      refused.push(`${OTHER[own]}: nothing can be tried: ${(error as Error).message}`)
    }
  }
  return { tried, refused }
}

async function refusedBy(name: EngineName, notes: readonly Note[]): Promise<string[]> {
  if (notes.length === 0) return []
  const refused: string[] = []
  const { engine, close } = await emptyStore(name)
  try {
    for (const note of notes) {
      const error = await errorOf(engine, note)
      if (error !== undefined) refused.push(`${name}: ${error}, in: ${note.text}`)
    }
  } finally {
    await close()
  }
  return refused
}

/** Statements of the sources that were run on this engine alone and are not written for it. */
function notesOf(engine: EngineName, folder: string): Note[] {
  const others = new Set(readdirSync(join(folder, OTHER[engine])))
  return readdirSync(join(folder, engine))
    .filter((name) => !others.has(name))
    .map((name) => deserialize(readFileSync(join(folder, engine, name))) as Note)
    .filter((note) => !isElsewhere(note) && !OF_ONE_ENGINE.some((one) => one.test(note.text)))
}

/** Whether a test or a migration asked for it, by the first line of the stack above the engines. */
function isElsewhere({ stack = '' }: Note): boolean {
  const asker = stack
    .split('\n')
    .map((line) => line.split(ROOT)[1] ?? /data:.*/.exec(line)?.[0] ?? '')
    .find((path) => SOURCES.test(path) && !ENGINES.test(path))
  return asker !== undefined && ELSEWHERE.test(asker)
}

async function emptyStore(name: EngineName): Promise<{ engine: Engine; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-statements-'))
  const database = name === 'postgres' ? await createDatabase() : undefined
  copyStoreTemplate(folder)
  const engine = database ? openPostgres(database.url) : openSqlite(join(folder, STORE_FILE))
  await createViews(engine)
  return {
    engine,
    async close() {
      await engine.close()
      await database?.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Runs a statement, and leaves nothing of it. */
async function errorOf(engine: Engine, note: Note): Promise<string | undefined> {
  const understood = new Error('the transaction is undone')
  try {
    await engine.transaction(async (sql) => {
      await run(sql, note)
      throw understood
    })
  } catch (error) {
    return error === understood || breaksRule(error) ? undefined : (error as Error).message
  }
  return undefined
}

const breaksRule = (error: unknown) =>
  errcode(error) === BROKEN_RULE.sqlite || sqlState(error).startsWith(BROKEN_RULE.postgres)

function run(sql: Sql, { text, columns, values }: Note) {
  return columns
    ? sql.each({ columns, text }, [values as InputRow<InputColumns>])
    : sql.all(text, values as readonly SqlValue[])
}
