// Followers of `rookery/client` that keep their position: they and the server are killed, and no event is lost or has its
// effect twice.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import * as client from 'rookery/client'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { inWorld } from './hub-support.ts'
import { freePort } from './postgres.ts'
import { createPlace, type Program, ROOT, startProgram } from './program.ts'
import { until } from './until.ts'
import { enginesOf } from './world.ts'

type Store = 'file' | 'effect'
const STORES: readonly Store[] = ['file', 'effect']

for (const engine of enginesOf('followers that are killed')) {
  test(`killed followers and a killed server on ${engine}: every event comes, and has one effect when its position is stored with it`, async (t) => {
    const place = await createPlace(engine)
    t.after(place.remove)
    const env = { ...place.env, ROOKERY_WEB_PORT: String(await freePort()) }
    let server = await startProgram('start', env)
    t.after(() => server.stop('SIGKILL'))
    const fid = 1
    const followers = STORES.map((store) => follower(t, server.web, fid, store))
    const said: string[] = []
    const say = async (...texts: string[]) => {
      for (const text of texts) await post(server, fid, text)
      said.push(...texts)
    }
    const restart = () => Promise.all(followers.map((one) => one.start()))
    const dead = () => Promise.all(followers.map((one) => one.died()))

    await restart()
    await say('one', 'two', 'die after the effect 1', 'four')
    await dead()
    await say('five, while nobody follows')
    await restart()
    await say('die before the effect 1', 'seven')
    await dead()
    await restart()
    await Promise.all(followers.map((one) => one.has(said)))
    await server.stop('SIGKILL')
    server = await startProgram('start', env)
    await say('eight, after the server was killed', 'die after the effect 2', 'ten')
    await dead()
    await server.stop('SIGKILL')
    await restart()
    server = await startProgram('start', env)
    await say('eleven')
    await Promise.all(followers.map((one) => one.has(said)))

    const [file, effect] = followers.map((one) => one.effects())
    assert.deepEqual(
      effect!.map(({ text }) => text),
      said,
    )
    // At least once: what was killed before its position was kept comes again, and its id tells.
    const again = file!.filter(({ event }, n) => file!.findIndex((one) => one.event === event) < n)
    assert.deepEqual(
      again.map(({ text }) => text),
      ['die after the effect 1', 'die after the effect 2'],
    )
    assert.deepEqual(
      file!.filter((one) => !again.includes(one)).map(({ text }) => text),
      said,
    )
  })
}

/** A follower in a process of its own, which may be started again and again. */
function follower(t: TestContext, url: string, fid: number, store: Store) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-follower-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, store)
  let child: ChildProcess | undefined
  let ended: Promise<unknown[]> | undefined
  t.after(() => child?.kill('SIGKILL'))
  const effects = () => {
    const db = new DatabaseSync(`${path}.db`, { readOnly: true })
    const rows = db.prepare('select event, text from effect order by n').all()
    db.close()
    return rows as { event: string; text: string }[]
  }
  const position = () => {
    if (store === 'file') return existsSync(`${path}.position`)
    const db = new DatabaseSync(`${path}.db`, { readOnly: true })
    const row = db.prepare('select event from position').get()
    db.close()
    return row !== undefined
  }
  return {
    effects,
    /** Resolves when the first run has a position, from which on nothing may be lost. */
    async start() {
      const given = JSON.stringify({ url, fid, path, store })
      child = fork(join(ROOT, 'test', 'follower-process.ts'), [given], { execArgv: [] })
      ended = once(child, 'exit')
      await until(position, `the ${store} follower has a position`)
    },
    async died() {
      assert.deepEqual(await ended, [null, 'SIGKILL'])
    },
    has: (texts: readonly string[]) =>
      until(() => {
        const found = new Set(effects().map(({ text }) => text))
        return texts.every((text) => found.has(text))
      }, `the ${store} follower has the effects`),
  }
}

async function post({ web, operations }: Program, fid: number, text: string): Promise<void> {
  const { hub } = client.createNetwork({ url: web })
  const answer = await fetch(`${operations}/dev/accounts`)
  const { accounts } = (await answer.json()) as { accounts: { appPrivateKey: string }[] }
  const signer = await client.keySigner(accounts[fid - 1]!.appPrivateKey)
  const author = { fid, network: 'devnet' } as const
  const { bytes } = await client.signMessage(client.castAdd({ text }), author, signer)
  await hub.post('/v1/submitMessage', bytes)
}

inWorld('rookery/client with a store of positions', (world) => {
  const network = () => client.createNetwork({ url: world().app.urls.web })
  const followed = (given: client.FollowMessagesOptions) =>
    client.followMessages(network().hub, { fromStart: true }, given)

  test('a follower that leaves its loop gets the event again, and one that is stopped by its signal does not', async () => {
    const { seed } = await world().account(90)
    const timestamp = networkTime(world().clock.now())
    const author = { fid: 90, network: 'devnet', timestamp } as const
    for (const text of ['first', 'second', 'third']) {
      const body = client.castAdd({ text })
      const { bytes } = await client.signMessage(body, author, await client.keySigner(seed))
      await network().hub.post('/v1/submitMessage', bytes)
    }
    const positions = client.memoryPositions()
    const seen: string[] = []
    for await (const { id } of followed({ positions })) {
      seen.push(id)
      break
    }
    const stop = new AbortController()
    for await (const { id } of followed({ positions, signal: stop.signal })) {
      seen.push(id)
      stop.abort()
    }
    for await (const { id } of followed({ positions })) {
      seen.push(id)
      break
    }
    assert.equal(seen[0], seen[1])
    assert.notEqual(seen[1], seen[2])
  })

  test('a position that cannot be saved ends the follower with the error of its store', async () => {
    const full = new TypeError('the disk is full')
    const positions = { load: () => undefined, save: () => Promise.reject(full) }
    const following = followed({ positions })
    await assert.rejects(
      async () => {
        for await (const _ of following);
      },
      (error) => error === full,
    )
  })

  test('a store without its two functions, and a file without a position, are refused', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-positions-'))
    t.after(() => rmSync(dir, { recursive: true }))
    const path = join(dir, 'bot.position')
    const first = (positions: client.PositionStore) => followed({ positions }).next()
    await assert.rejects(first({ load: () => undefined } as never), /positions.save must be a func/)
    await assert.rejects(first('bot.position' as never), /positions must be an object such as file/)
    assert.throws(() => client.filePositions(1 as never), /path of the positions must be a string/)
    for (const text of ['', '12', '12\n13\n', ' \n', `${'1'.repeat(201)}\n`]) {
      writeFileSync(path, text)
      await assert.rejects(first(client.filePositions(path)), /has no position: delete it/)
    }
    rmSync(path)
    const positions = client.filePositions(path)
    assert.equal(await positions.load(), undefined)
    await positions.save('12')
    assert.equal(readFileSync(path, 'utf8'), '12\n')
    assert.equal(await client.filePositions(path).load(), '12')
  })
})
