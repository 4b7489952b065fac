import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { createViews } from './view-schema.ts'
import { viewReader } from './views.ts'

const ROUNDS = 10
const PROCESSES = 4

test(`processes that create the views of one database at once all find them, ${ROUNDS} times`, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const database = await createDatabase('template0')
    const engines = Array.from({ length: PROCESSES }, () => openPatient(database.url))
    t.after(() => database.drop())
    await Promise.all(engines.map((engine) => engine.all('select 1 as one')))
    await Promise.all(engines.map(createViews))
    assert.equal(await viewReader(engines[0]!).position(), undefined)
    await Promise.all(engines.map((engine) => engine.close()))
  }
})
