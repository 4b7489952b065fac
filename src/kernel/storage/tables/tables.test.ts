import { SCHEMA } from '../../../store.ts'
// Declared tables are what the migrations create: the same columns, types, nullability and primary keys.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import type { Engine } from '../engines/engine.ts'
import { openSqlite } from '../engines/sqlite.ts'
import { createViews } from '../views/view-schema.ts'
import { VIEW_TABLES } from '../views/views.ts'
import { migrate } from './schema.ts'
import { sqlTypeOf } from './table.ts'

type Column = { name: string; type: string; isNullable: boolean; isKey: boolean }

async function sqliteColumns(engine: Engine, table: string): Promise<Column[]> {
  const types = { TEXT: 'text', INTEGER: 'bigint', BIGINT: 'bigint', BLOB: 'bytea' } as Record<
    string,
    string
  >
  const rows = await engine.all(`select * from pragma_table_info('${table}')`)
  return rows.map((row) => ({
    name: String(row.name),
    type: types[String(row.type).toUpperCase()] ?? String(row.type),
    // A primary key is never null, even where the pragma does not say so.
    isNullable: row.notnull === 0 && row.pk === 0,
    isKey: Number(row.pk) > 0,
  }))
}

async function postgresColumns(engine: Engine, table: string): Promise<Column[]> {
  const rows = await engine.all(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
            case when a.attnotnull then 1 else 0 end as required,
            case when a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1]) then 1 else 0 end as key
       from pg_attribute a join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped`,
  )
  return rows.map((row) => ({
    name: String(row.name),
    type: String(row.type),
    isNullable: row.required === 0,
    isKey: row.key === 1,
  }))
}

const byName = (columns: Column[]) => columns.sort((a, b) => (a.name < b.name ? -1 : 1))

const dir = mkdtempSync(join(tmpdir(), 'rookery-tables-'))
const database = await createDatabase('template0')
const engines = [
  { engine: openSqlite(join(dir, 'rookery.sqlite')), columnsOf: sqliteColumns },
  { engine: openPatient(database.url), columnsOf: postgresColumns },
]
after(async () => {
  for (const { engine } of engines) await engine.close()
  await database.drop()
  rmSync(dir, { recursive: true })
})

for (const { engine, columnsOf } of engines) {
  describe(`a migrated schema on ${engine.dialect.engine}`, async () => {
    await migrate(engine, SCHEMA.migrations)
    await createViews(engine)
    for (const table of [...SCHEMA.tables, ...VIEW_TABLES]) {
      test(`the migrated schema has exactly the declared columns in ${table.name}`, async () => {
        const declared = Object.entries(table.fields).map(([name, field]) => ({
          name,
          type: sqlTypeOf(field),
          isNullable: field.null === true,
          isKey: field.key === true,
        }))
        assert.deepEqual(byName(await columnsOf(engine, table.name)), byName(declared))
      })
    }
  })
}
