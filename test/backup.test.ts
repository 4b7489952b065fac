// Backups of a store in use, and their way back.

import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createPlace, type Env, startCommands, startProgram } from './program.ts'
import type { EngineName } from './world.ts'

const KEY = `0x${'1f'.repeat(32)}\n`
const commands = startCommands()
after(() => commands.stop())

/** What the hub of a server answers; `from` is one of its addresses. */
const jsonOf = async (from: string, path: string) => (await fetch(from + path)).json()

describe('backup and restore of the embedded store', () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-backups-'))
  after(() => rmSync(dir, { recursive: true, force: true }))

  const place = async (t: { after(work: () => unknown): void }, engine: EngineName = 'sqlite') => {
    const made = await createPlace(engine)
    t.after(made.remove)
    return made.env
  }
  const restore = (env: Env, from: string) => commands.run(env, 'restore', from)

  it('a backup under load holds what was acknowledged before, and starts elsewhere', async (t) => {
    const env = await place(t)
    const server = await startProgram('start', env)
    // A development network has a key that everybody knows; a server in production keeps this file.
    mkdirSync(env.ROOKERY_DATA_DIR!, { recursive: true })
    writeFileSync(join(env.ROOKERY_DATA_DIR!, 'registry.key'), KEY)
    t.after(() => server.stop())
    const cast = (text: string) => commands.run(server.client, 'cast', '--fid', '1', text)
    assert.equal((await cast('Before the backup')).code, 0)
    let writing = true
    const load = (async () => {
      let accounts = 0
      for (; writing; accounts++) {
        await (await fetch(`${server.operations}/dev/accounts`, { method: 'POST' })).text()
      }
      return accounts
    })()
    const target = join(dir, 'under-load')
    const backup = await commands.run(env, 'backup', target)
    writing = false
    assert.ok((await load) > 0)
    assert.equal(backup.code, 0, backup.stderr)
    assert.equal(existsSync(join(target, 'registry.key')), true)
    await server.stop()

    const elsewhere = await place(t)
    const restored = await restore(elsewhere, target)
    assert.equal(restored.code, 0, restored.stderr)
    assert.match(restored.stdout, /is in place\..* as they should be/)
    assert.equal(readFileSync(join(elsewhere.ROOKERY_DATA_DIR!, 'registry.key'), 'utf8'), KEY)
    const again = await startProgram('start', elsewhere)
    t.after(() => again.stop())
    const { messages } = (await jsonOf(again.hub, '/v1/castsByFid?fid=1&reverse=1')) as {
      messages: { data: { castAddBody: { text: string } } }[]
    }
    assert.equal(messages[0]!.data.castAddBody.text, 'Before the backup')
    const posted = await commands.run(again.client, 'cast', '--fid', '2', 'After the restore')
    assert.equal(posted.code, 0, posted.stderr)
    await again.stop()
    const verified = await commands.run(elsewhere, 'verify')
    assert.match(verified.stdout, /are as they should be/)
  })

  it('a restore refuses what is not whole, not this network, or not empty', async (t) => {
    const source = join(dir, 'under-load')
    const copy = (name: string) => {
      cpSync(source, join(dir, name), { recursive: true })
      return join(dir, name)
    }
    const half = copy('half')
    unlinkSync(join(half, 'manifest.json'))
    const changed = copy('changed')
    appendFileSync(join(changed, 'rookery.sqlite'), 'x')
    const ofRows = copy('of-rows')
    const manifest = JSON.parse(readFileSync(join(ofRows, 'manifest.json'), 'utf8'))
    const made = { ...manifest, engine: 'postgres', version: '0.0.9' }
    writeFileSync(join(ofRows, 'manifest.json'), JSON.stringify(made))
    const env = await place(t)
    for (const [from, settings, reason] of [
      [half, {}, /no complete backup/],
      [changed, {}, /missing or was changed/],
      [source, { ROOKERY_NETWORK: 'mainnet' }, /is of the network .*ROOKERY_NETWORK/],
      [join(dir, 'none'), {}, /no complete backup/],
      [ofRows, {}, /is of PostgreSQL: restore it with version 0\.0\.9/],
    ] as const) {
      const { code, stderr } = await restore({ ...env, ...settings }, from)
      assert.deepEqual([code, reason.test(stderr)], [1, true], stderr)
    }
    assert.equal((await restore(env, source)).code, 0)
    assert.match((await restore(env, source)).stderr, /exists already/)
    const again = await commands.run(env, 'backup', source)
    assert.match(again.stderr, /exists already/)
  })

  it('on PostgreSQL the commands and the schedule name what to use instead', async (t) => {
    const env = await place(t, 'postgres')
    const scheduled = { ...env, ROOKERY_BACKUP_DIR: dir }
    for (const [settings, ...command] of [
      [env, 'backup', join(dir, 'of-postgres')],
      [env, 'restore', join(dir, 'under-load')],
      [scheduled, 'serve'],
    ] as const) {
      const { code, stderr } = await commands.run(settings, ...command)
      assert.equal(code, 1, command[0])
      assert.match(stderr, /DATABASE_URL.*pg_dump or pgBackRest.*docs\/postgresql\.md/s)
    }
  })
})
