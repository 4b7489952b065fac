import type { Command } from 'commander'
import { readConfig } from '../../../config.ts'
import { Failure } from '../../failure.ts'
import { note, oneLine, print, printJson } from '../../output.ts'
import { checkData } from '../../stored-data.ts'

type Env = Readonly<Record<string, string | undefined>>

const CELL_CHARACTERS = 80

/** Adds `sql`, which answers a statement on the SQL views. */
export function addSqlCommand(program: Command, env: Env): void {
  program
    .command('sql')
    .summary('ask the SQL views, while the server runs')
    .description(
      'Reads the store of the settings (ROOKERY_DATA_DIR or DATABASE_URL): sql_casts, sql_reactions, sql_links,\n' +
        'sql_user_data and sql_users, and nothing else. Columns: docs/export.md.',
    )
    .argument('<statement>', 'a select on the views')
    .option('--json', 'print each row as JSON')
    .addHelpText('after', '\nExample:\n  rookery sql "select fid, username from sql_users limit 5"')
    .action(async (statement: string, { json }: { json?: true }) => {
      const config = readConfig(env, 'development')
      await checkData(config)
      const { askViews, MAX_SQL_ROWS, SqlRefused } = await import(
        '../../../features/exports/sql.ts'
      )
      const { columns, rows, isCut } = await askViews(config, statement).catch((error: unknown) => {
        throw error instanceof SqlRefused ? new Failure(error.message) : error
      })
      if (json) {
        for (const row of rows) {
          printJson(Object.fromEntries(columns.map((column, i) => [column, row[i]])))
        }
      } else printTable(columns, rows)
      if (isCut) note(`These are the first ${MAX_SQL_ROWS} rows; rookery export has all.`)
    })
}

function printTable(columns: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const lines = [columns, ...rows.map((row) => row.map(cellOf))]
  const widths = columns.map((_, i) =>
    lines.reduce((most, line) => Math.max(most, [...(line[i] as string)].length), 0),
  )
  for (const line of lines) {
    print(
      line
        .map((cell, i) => cell + ' '.repeat(widths[i]! - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
  }
}

function cellOf(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? '')
  return oneLine(text, CELL_CHARACTERS)
}
