// Each feature is taken out of the list in turn, with those that need it: what is left starts and works.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FEATURES } from '../src/features/index.ts'
import { inviteRows } from '../src/features/invites/tables/invites.ts'
import { mutedTermRows } from '../src/features/mutes/tables/muted-terms.ts'
import { appFidRows } from '../src/features/registration/tables/app-fids.ts'
import { sealedKeyRows } from '../src/features/sealed-keys/tables/sealed-keys.ts'
import type { Feature } from '../src/kernel/feature.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { openWholeStore } from '../src/store.ts'
import { importsOf } from './imports.ts'
import { indexed } from './indexed.ts'
import { createWorld, enginesOf } from './world.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const LIST: readonly Feature[] = FEATURES

/** A feature and all that need it, around corners too. */
function withDependants(name: string): Set<string> {
  const found = new Set([name])
  for (const one of found) {
    for (const other of LIST) if (other.needs?.includes(one)) found.add(other.name)
  }
  return found
}

test('features need only features of the list', () => {
  const names = LIST.map(({ name }) => name)
  assert.deepEqual(
    LIST.flatMap(({ needs = [] }) => needs).filter((one) => !names.includes(one)),
    [],
  )
})

/** Rows of others that are read only where the other offers its port, or where a feature above needs it. */
const READ_WHERE_THERE: readonly string[] = ['app-api: media', 'mini-apps: signers']

test('a feature needs those whose rows it reads', () => {
  const missing = LIST.flatMap(({ name, needs = [] }) =>
    [...rowsReadBy(name)].filter((one) => !needs.includes(one)).map((one) => `${name}: ${one}`),
  )
  assert.deepEqual(missing.sort(), READ_WHERE_THERE)
})

/** The features from whose ports the files of a feature import rows. */
function rowsReadBy(name: string): Set<string> {
  const files = globSync(`features/${name}/**/*.ts`, { cwd: SRC }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const imports = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')))
  const found = imports.flatMap(({ from, names, isType }) => {
    const other = /^features\/([^/]+)\/port\.ts$/.exec(from)?.[1]
    const readsRows = !isType && names.some((one) => one.endsWith('Rows'))
    return other && other !== name && readsRows ? [other] : []
  })
  return new Set(found)
}

for (const { name } of LIST) {
  const out = withDependants(name)
  const others = [...out].slice(1)
  const which = others.length === 0 ? name : `${name} (needed by ${others.join(', ')})`
  test(`a server without ${which} starts, is ready, stores a cast, its jobs run, and its store is verified`, async (t) => {
    const logLines: string[] = []
    const world = await createWorld({
      logLines,
      env: { ROOKERY_VIEWS: 'on' },
      features: FEATURES.filter((one) => !out.has(one.name)),
    })
    t.after(() => world.close())
    const author = await world.account(1)
    const text = `without ${name}`
    const message = world.sign(author, castAdd(world.origin(author), { text }))
    assert.equal((await world.submit(message)).status, 200)
    const read = await world.get(`/v1/castById?fid=1&hash=${toHex(message.hash)}`)
    assert.equal(read.body.data.castAddBody.text, text)
    if (!out.has('operations')) {
      assert.equal((await world.operate('/health/ready')).status, 200)
    }
    await indexed(world.app)
    await world.app.jobs.runAll()
    const { examples } = await verifyStore(world.app.storage, { network: undefined })
    assert.deepEqual(examples, [])
    const failures = logLines.filter((line) => JSON.parse(line).level >= 50)
    assert.deepEqual(failures, [])
  })
}

for (const engine of enginesOf(import.meta.url)) {
  test(`features that are put back into the list get their tables, those of shared migrations too, on ${engine}`, async (t) => {
    // Their tables are made and changed by migrations whose numbers other features have as well.
    const parts = ['invites', 'registration', 'mutes', 'sealed-keys', 'actions']
    const out = new Set(parts.flatMap((name) => [...withDependants(name)]))
    const world = await createWorld({
      engine,
      features: FEATURES.filter((one) => !out.has(one.name)),
    })
    t.after(() => world.close())
    const { settings } = world.app.storage
    await world.stop()
    const whole = await openWholeStore(settings)
    t.after(() => whole.close())
    assert.deepEqual(await whole.of(inviteRows).by(1, 10), [])
    assert.equal(await whole.of(mutedTermRows).count(1, 'word'), 0)
    assert.deepEqual(await whole.of(sealedKeyRows).requestsOf(1, new Uint8Array(20), 10), [])
    assert.equal(await whole.of(appFidRows).count(), 0)
  })
}
