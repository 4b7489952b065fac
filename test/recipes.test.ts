// The recipes of docs/recipes.md, each answered by every tool and by a model of the same rows. PostgreSQL and SQLite run with
// every change; TEST_LONG=1 installs the others.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { directoryTarget, postgresTarget, sqliteTarget } from '../src/features/exports/follow.ts'
import type { TableName } from '../src/features/exports/tables.ts'
import { DAY_SECONDS, SECOND_MS } from '../src/kernel/protocol/time.ts'
import { findProgram } from './debian.ts'
import { LONG } from './effort.ts'
import { exportItems, headOf, LAST_EVENT, parseCsv } from './export-support.ts'
import { createDatabase } from './postgres.ts'
import { ROOT } from './program.ts'
import { installReaders } from './readers-support.ts'

/** Installing takes most of it. */
const TIMEOUT_MS = 10 * 60_000
type Answer = string[][]
type Question = { readonly title: string; readonly sql: string; readonly python: string }

const place = mkdtempSync(join(tmpdir(), 'rookery-recipes-'))
const file = join(place, 'tables.sqlite')
const folder = join(place, 'tables')
/** The page, with the places of this test. */
const page = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')
  .replaceAll('/srv/tables.sqlite', file)
  .replaceAll('/srv/tables/', `${folder}/`)

const blocksOf = (section: string) =>
  [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }))
const [, ...sections] = page.split(/^## /m)
const titled = sections.map((section) => ({
  title: section.slice(0, section.indexOf('\n')),
  section,
}))
const opens = Object.fromEntries(
  titled[0]!.section
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), blocksOf(part)[0]!.text]),
)
const questions: Question[] = titled
  .slice(1)
  .map(({ title, section }) => ({ title, blocks: blocksOf(section) }))
  .filter(({ blocks }) => blocks.length > 0)
  .map(({ title, blocks }) => ({
    title,
    sql: blocks.find(({ language }) => language === 'sql')!.text,
    python: blocks.find(({ language }) => language === 'python')!.text,
  }))

const items = exportItems()
const rowsOf = (table: TableName) =>
  items.filter((item) => item.table === table).map(({ row }) => row)

/** Answers of the model, in which nothing is a statement. */
function model(): Record<string, Answer> {
  const [casts, reactions, links, fids, storage] = (
    ['casts', 'reactions', 'links', 'fids', 'storage'] as const
  ).map(rowsOf) as [Rows, Rows, Rows, Rows, Rows]
  type Rows = ReturnType<typeof rowsOf>
  type One = Rows[number]
  const week = ({ timestamp }: One) => {
    const day = Math.floor((timestamp as number) / DAY_SECONDS)
    // The first day of 1970 was a Thursday.
    const monday = day - ((day + 3) % 7)
    return new Date(monday * DAY_SECONDS * SECOND_MS).toISOString().slice(0, 10)
  }
  const distinct = (rows: Rows) => new Set(rows.map(({ fid }) => fid)).size
  const groups = (rows: Rows, name: (row: One) => string) => [...Map.groupBy(rows, name)]
  const most = (answer: (string | number | null)[][], column: number) =>
    answer.toSorted((a, b) => Number(b[column]) - Number(a[column]) || compare(a, b)).slice(0, 10)
  const byName = (answer: (string | number)[][]) => answer.toSorted(compare)
  const follows = links.filter(({ type }) => type === 'follow')
  const byHash = new Map(casts.map((cast) => [cast.hash, cast]))
  const answers = casts.flatMap((cast) => {
    const asked = byHash.get(cast.parent_hash ?? null)
    if (!asked || asked.fid === cast.fid) return []
    const seconds = (cast.timestamp as number) - (asked.timestamp as number)
    return seconds < 10_800 ? '0 to 3 hours' : seconds < 43_200 ? '3 to 12 hours' : 'longer'
  })
  const recasts = reactions.filter(({ kind }) => kind === 'recast')
  let total = 0
  const made = byName(groups(follows, week).map(([name, own]) => [name, own.length]))
  const all: Record<string, (string | number | null)[][]> = {
    'Who is active, by week': byName(
      groups([...casts, ...reactions], week).map(([name, own]) => [name, distinct(own)]),
    ),
    'Who stays': byName(
      groups(casts, (cast) => {
        const cohort = week(fids.find(({ fid }) => fid === cast.fid)!)
        return `${cohort} ${week(cast)}`
      }).map(([name, own]) => [...name.split(' '), distinct(own)]),
    ),
    'Who answers whom': most(
      groups(
        casts.filter((cast) => cast.parent_fid !== null && cast.parent_fid !== cast.fid),
        (cast) => `${cast.fid} ${cast.parent_fid}`,
      ).map(([name, own]) => [...name.split(' ').map(Number), own.length]),
      2,
    ),
    'Top channels': most(
      groups(
        casts.filter((cast) => cast.parent_url !== null),
        (cast) => cast.parent_url as string,
      ).map(([name, own]) => [name, own.length, distinct(own)]),
      1,
    ),
    'How follows grow': made.map(([name, count]) => {
      total += count as number
      return [name!, count!, total]
    }),
    'How long people wait for an answer': byName(
      [...Map.groupBy(answers, (waited) => waited)].map(([name, own]) => [name, own.length]),
    ),
    'How far a cast reaches': most(
      casts.map(({ hash, fid }) => {
        const spreaders = new Set([
          fid,
          ...recasts.filter((one) => one.target_hash === hash).map((one) => one.fid),
        ])
        const heard = follows.filter(({ target_fid: target }) => spreaders.has(target!))
        return [hash as string, distinct(heard)]
      }),
      1,
    ),
    'How full storage is': most(
      fids.map(({ fid }) => {
        const units = storage.filter((one) => one.fid === fid).map((one) => one.units as number)
        const messages = [...casts, ...reactions, ...links].filter((one) => one.fid === fid)
        return [fid as number, units.reduce((sum, one) => sum + one, 0), messages.length]
      }),
      2,
    ),
    'Which languages are written': most(
      groups(casts, ({ text }) => scriptOf(text as string)).map(([name, own]) => [
        name,
        own.length,
      ]),
      1,
    ),
  }
  return Object.fromEntries(
    Object.entries(all).map(([title, rows]) => [title, rows.map((row) => row.map(String))]),
  )
}

/** By the first column that differs. */
function compare(a: readonly (string | number | null)[], b: readonly (string | number | null)[]) {
  const i = a.findIndex((value, at) => value !== b[at])
  return i === -1 ? 0 : a[i]! < b[i]! ? -1 : 1
}

const SCRIPTS: Record<string, RegExp> = {
  kana: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  hangul: /\p{Script=Hangul}/u,
  han: /\p{Script=Han}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  devanagari: /\p{Script=Devanagari}/u,
  latin: /\p{Script=Latin}/u,
}
const scriptOf = (text: string) =>
  Object.keys(SCRIPTS).find((name) => SCRIPTS[name]!.test(text)) ?? 'other'

const expected = model()
const inWords = (rows: unknown[][]): Answer => rows.map((row) => row.map(String))

describe('the recipes for analysts', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  before(async () => {
    database = await createDatabase('template0')
    for (const target of [
      directoryTarget(folder, 'parquet', 'none'),
      sqliteTarget(file),
      postgresTarget(database.url),
    ]) {
      const sink = await target.open(undefined)
      await sink.write(items)
      await sink.finish(headOf(undefined, LAST_EVENT))
    }
  })
  after(async () => {
    await database.drop()
    rmSync(place, { recursive: true, force: true })
  })

  test('there are nine statements, and the model has rows for each', () => {
    assert.equal(questions.length, 9)
    assert.deepEqual(Object.keys(expected).sort(), questions.map(({ title }) => title).sort())
    for (const [title, rows] of Object.entries(expected)) assert.ok(rows.length > 2, title)
  })

  test('SQLite answers as the model does', () => {
    const opened = new DatabaseSync(file, { readOnly: true })
    try {
      opened.exec(opens.SQLite!)
      for (const { title, sql } of questions) {
        const statement = opened.prepare(sql)
        statement.setReturnArrays(true)
        assert.deepEqual(inWords(statement.all() as unknown as unknown[][]), expected[title], title)
      }
    } finally {
      opened.close()
    }
  })

  test('PostgreSQL answers as the model does', async () => {
    const client = new pg.Client(database.url)
    await client.connect()
    try {
      await client.query("set timezone = 'America/Los_Angeles'")
      await client.query(opens.PostgreSQL!)
      for (const { title, sql } of questions) {
        const { rows } = await client.query({ text: sql, rowMode: 'array' })
        assert.deepEqual(inWords(rows), expected[title], title)
      }
    } finally {
      await client.end()
    }
  })

  const long = { skip: !LONG && 'TEST_LONG=1 installs the tools', timeout: TIMEOUT_MS }

  test('DuckDB, ClickHouse, polars and pandas answer as the model does', long, () => {
    const recipes = join(place, 'recipes.json')
    writeFileSync(recipes, JSON.stringify({ opens, questions }))
    const answers = execFileSync(
      installReaders(place),
      [join(ROOT, 'test/readers/recipes.py'), recipes],
      { encoding: 'utf8', env: { ...process.env, TZ: 'America/Los_Angeles' } },
    )
    for (const [tool, own] of Object.entries<Record<string, Answer>>(JSON.parse(answers))) {
      for (const { title } of questions) {
        assert.deepEqual(own[title], expected[title], `${title} of ${tool}`)
      }
    }
  })

  test('Datasette and DuckDB open the file of SQLite', long, () => {
    const python = installReaders(place, 'file-tools.txt')
    const run = (...args: string[]) => JSON.parse(execFileSync(python, args, { encoding: 'utf8' }))
    const casts = rowsOf('casts')
    const path = '/tables/casts.json?_shape=array&_size=max&_sort=event_id'
    const served: { text: string }[] = run('-m', 'datasette', file, '--get', path)
    assert.deepEqual(
      served.map(({ text }) => text),
      casts.map(({ text }) => text),
    )
    const fids = casts.reduce((sum, { fid }) => sum + (fid as number), 0)
    const newest = Math.max(...casts.map(({ timestamp }) => timestamp as number)) * SECOND_MS
    const [, statements] = /^duckdb -c "(attach .*)"$/m.exec(
      readFileSync(join(ROOT, 'docs/export.md'), 'utf8'),
    )!
    const inPlace = statements!.replace('/srv/tables.sqlite', file)
    assert.deepEqual(run(join(ROOT, 'test/readers/file-tools.py'), inPlace), [
      casts.length,
      fids,
      new Date(newest).toISOString().replace('.000Z', 'Z'),
    ])
  })

  test('R answers as the model does', long, async () => {
    const program = await findProgram(['Rscript'], 'r-cran-rsqlite')
    const script = join(place, 'recipes.R')
    const views = opens.SQLite!.split(';\n').filter((text) => text.trim() !== '')
    const lines = [
      opens.R!,
      ...views.map((text) => `invisible(dbExecute(tables, r"(${text})"))`),
      ...questions.map(
        ({ title, sql }, i) =>
          `write.csv(ask(r"---(${sql})---"), "${join(place, `${i}.csv`)}", row.names = FALSE) # ${title}`,
      ),
    ]
    writeFileSync(script, lines.join('\n'))
    execFileSync(program, [script], { env: { ...process.env, LANG: 'C.UTF-8' } })
    for (const [i, { title }] of questions.entries()) {
      const rows = parseCsv(readFileSync(join(place, `${i}.csv`), 'utf8'))
      assert.deepEqual(inWords(rows.map((row) => Object.values(row))), expected[title], title)
    }
  })
})
