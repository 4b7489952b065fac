// Loaded in every process of a run and in its threads: notes each statement that an engine runs, once in a run, for
// scripts/statements.ts.

import { hash } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import type { ToldStatement } from '../src/kernel/storage/engines/statements.ts'

/** A folder with one for each engine, in which each statement is a file. */
const { TEST_STATEMENTS } = process.env

if (TEST_STATEMENTS) {
  const noted = { sqlite: new Set<string>(), postgres: new Set<string>() }
  subscribe('rookery:statement', (message) => {
    const statement = message as ToldStatement
    const { engine, text } = statement
    if (noted[engine].has(text)) return
    noted[engine].add(text)
    const note = serialize({ ...statement, stack: new Error().stack })
    try {
      writeFileSync(join(TEST_STATEMENTS, engine, hash('sha1', text)), note, { flag: 'wx' })
    } catch (error) {
      // Another process has noted it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}
