// Exports to an HTTP endpoint: what fails is sent again, and the receiver has every row once.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { ExportRefused, runExport, TargetAway } from '../src/features/exports/export.ts'
import { directoryTarget, followExport, httpTarget } from '../src/features/exports/follow.ts'
import { BODY_BYTES, type Endpoint, TRIES } from '../src/features/exports/http.ts'
import { TABLE_NAMES } from '../src/features/exports/tables.ts'
import { castAdd, castRemove, linkAdd } from '../src/kernel/protocol/build.ts'
import { FAULTS, Receiver } from './export-receiver.ts'
import { exportItems, headOf, LAST_EVENT, read, sorted, withoutEvent } from './export-support.ts'
import { rookery } from './program.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const place = mkdtempSync(join(tmpdir(), 'rookery-export-'))
after(() => rmSync(place, { recursive: true, force: true }))

let receiver: Receiver
beforeEach(async () => {
  receiver = new Receiver()
  await receiver.start()
})
afterEach(() => receiver.die())

const endpointOf = (more: Partial<Endpoint> = {}): Endpoint => ({
  url: receiver.url,
  position: receiver.positionUrl,
  headers: {},
  ...more,
})

async function send(items = exportItems(), more: Partial<Endpoint> = {}) {
  const sink = await httpTarget(endpointOf(more)).open(undefined)
  await sink.write(items)
  return sink.finish(headOf(undefined, LAST_EVENT))
}

test('bodies are bounded, say what they are of, and hold every row once', async () => {
  const items = exportItems(12_000)
  const tables = await send(items)
  for (const table of TABLE_NAMES) {
    const own = items.filter((item) => item.table === table)
    assert.deepEqual([receiver.tables[table].length, tables[table].rows], [own.length, own.length])
  }
  assert.ok(receiver.requests.length > TABLE_NAMES.length)
  for (const { bytes, headers } of receiver.requests) {
    assert.ok(bytes < BODY_BYTES + 10_000, `${bytes} bytes`)
    assert.equal(headers['content-type'], 'application/x-ndjson')
  }
  assert.equal(receiver.position, LAST_EVENT)
})

for (const fault of FAULTS) {
  test(`a receiver that ${fault} gets the rows again, and has each once`, async () => {
    const waits: string[] = []
    let count = 0
    receiver.fault = () => (++count % 2 === 1 ? fault : undefined)
    const items = exportItems(20)
    await send(items, { onFailure: (text) => waits.push(text) })
    assert.equal(receiver.taken.length, items.length)
    assert.match(waits[0]!, /^127\.0\.0\.1:\d+\/rows\/\w+ .*; the next try is in \d+ s$/)
  })
}

test('what no repetition mends is refused with what the receiver says', async () => {
  await receiver.die()
  const { createServer } = await import('node:http')
  const server = createServer((_, response) => {
    response.writeHead(400).end(`\u001b[31mno such column\nand \u009b1m${'x'.repeat(10_000)}`)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const { port } = server.address() as { port: number }
    await assert.rejects(send(undefined, { url: `http://127.0.0.1:${port}/` }), (error: Error) => {
      // On one line, and without what would command a terminal.
      assert.match(
        error.message,
        /^127\.0\.0\.1:\d+\/ answered 400: "\[31mno such column and {2}1mx+"$/,
      )
      assert.ok(error.message.length < 500)
      return true
    })
  } finally {
    server.closeAllConnections()
    server.close()
    await receiver.start()
  }
})

test('a request is tried some times and not for ever, and not at all when it cannot be sent', async () => {
  const waits: string[] = []
  const more = { onFailure: (text: string) => waits.push(text), retry: { firstMs: 1, maxMs: 2 } }
  receiver.fault = () => 'refuses'
  await assert.rejects(send(exportItems(20), more), (error: Error) => {
    assert.ok(error instanceof TargetAway)
    return /answered 503: "refuses"$/.test(error.message)
  })
  assert.equal(waits.length, TRIES - 1)
  // A port that browsers do not connect to.
  await assert.rejects(send(undefined, { ...more, url: 'http://127.0.0.1:6000/' }), (error) => {
    assert.ok(error instanceof ExportRefused && !(error instanceof TargetAway))
    return /cannot be reached: bad port/.test(error.message)
  })
  assert.equal(waits.length, TRIES - 1)
})

for (const engine of enginesOf(import.meta.url)) {
  describe(`a follower into an HTTP endpoint on ${engine}`, () => {
    let world: World
    let account: TestAccount
    before(async () => {
      world = await createWorld({ engine })
      account = await world.account(1)
    })
    after(() => world.close())

    const say = async (init: Parameters<World['sign']>[1]) => {
      const message = world.sign(account, init)
      assert.equal((await world.submit(message)).status, 200)
      return message
    }
    const whole = async () => {
      const directory = mkdtempSync(join(place, 'whole-'))
      const target = directoryTarget(directory, 'ndjson', 'none')
      const request = { network: 'devnet' }
      const manifest = await runExport(world.app.storage, await target.open(undefined), request)
      return read(directory, manifest, 'ndjson')
    }
    const checkSame = async () => {
      const expected = await whole()
      for (const table of TABLE_NAMES) {
        if (table === 'removals') continue
        const [left, right] = [receiver.tables, expected].map((all) =>
          sorted(all[table].map(withoutEvent)),
        )
        assert.deepEqual(left, right, table)
      }
    }

    test('a follower goes on where the receiver says that it is, also after the receiver was gone', async () => {
      const cast = await say(castAdd(world.origin(account), { text: 'first' }))
      const stop = new AbortController()
      const waits: string[] = []
      const following = followExport(
        world.app.storage,
        httpTarget(endpointOf({ stop: stop.signal, onFailure: (text) => waits.push(text) })),
        { network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
      )
      const isThere = async () => receiver.position === (await world.app.storage.events.newestId())
      await until(isThere, 'everything')
      await receiver.die()
      world.clock.advance(1_000)
      await say(castRemove(world.origin(account), cast.hash))
      await say(linkAdd(world.origin(account), 'follow', 2))
      await until(
        () => waits.some((text) => text.includes('cannot be reached')),
        'a try that fails',
      )
      await receiver.start()
      await until(isThere, 'what happened meanwhile')
      await checkSame()
      await receiver.die()
      await say(castAdd(world.origin(account), { text: 'nobody takes it' }))
      const failures = waits.length
      await until(() => waits.length > failures, 'another try that fails')
      // A stop ends the tries; the batch is sent again by the next follower.
      stop.abort()
      await following
      await receiver.start()
      assert.equal(await isThere(), false)
      const again = new AbortController()
      const next = followExport(world.app.storage, httpTarget(endpointOf({ stop: again.signal })), {
        ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: again.signal },
        onBatch: () => again.abort(),
      })
      await next
      await checkSame()
    })

    test('a receiver that lost its newest batches refuses what does not continue, and gets them again', async () => {
      await say(castAdd(world.origin(account), { text: 'before the copy' }))
      const stop = new AbortController()
      const said: string[] = []
      const endpoint = endpointOf({ stop: stop.signal })
      const target = httpTarget(endpoint)
      let copy: ReturnType<Receiver['copy']> | undefined
      let isLost = false
      const following = followExport(
        world.app.storage,
        {
          ...target,
          async open(since) {
            // After its position was asked for.
            if (isLost) receiver.restore(copy!)
            isLost = false
            return target.open(since)
          },
        },
        {
          ...{ network: 'devnet', fids: undefined, everySeconds: 1, stop: stop.signal },
          onFailure: (text) => said.push(text),
        },
      )
      const isThere = async () => receiver.position === (await world.app.storage.events.newestId())
      await until(isThere, 'everything')
      copy = receiver.copy()
      world.clock.advance(1_000)
      await say(castAdd(world.origin(account), { text: 'after the copy' }))
      await until(isThere, 'a batch')
      receiver.restore(copy)
      await until(isThere, 'the batch again, after a copy was restored between two batches')
      isLost = true
      world.clock.advance(1_000)
      await say(castAdd(world.origin(account), { text: 'in a batch that does not continue' }))
      await until(isThere, 'both batches, after a copy was restored in one')
      assert.match(said.join(), /answered 409: "it does not continue"; the next try is in \d+ s/)
      stop.abort()
      await following
      await checkSame()
    })

    test('the command sends headers of a file, and wants to know where the position is', async () => {
      const headers = join(place, 'headers')
      writeFileSync(headers, 'Authorization: Bearer secret\n\nX-Other: a: b\n')
      const to = ['--to', receiver.url, '--headers', headers]
      const ran = await rookery({ ...world.env }, 'export', ...to)
      assert.deepEqual([ran.code, ran.stderr], [0, ''])
      for (const { headers: sent } of receiver.requests) {
        assert.deepEqual([sent.authorization, sent['x-other']], ['Bearer secret', 'a: b'])
      }
      await checkSame()
      const nowhere = await rookery({ ...world.env }, 'export', '--to', receiver.url, '--follow')
      assert.match(nowhere.stderr, /needs --position/)
      for (const [text, message] of [
        ['no header', /line 1 of --headers must be like/],
        [
          'X-A: b\nAuthorization: Bearer “secret”',
          /the value in line 2 of --headers must be ASCII/,
        ],
        ['Content-Length: 3', /line 1 of --headers sets Content-Length, .*: remove it/],
        ['transfer-encoding: gzip', /line 1 of --headers sets transfer-encoding/],
      ] as const) {
        writeFileSync(headers, text)
        const wrong = await rookery({ ...world.env }, 'export', ...to)
        assert.match(wrong.stderr, message)
        assert.doesNotMatch(wrong.stderr, /secret/)
      }
      rmSync(headers)
      const missing = await rookery({ ...world.env }, 'export', ...to)
      assert.match(missing.stderr, /the file of --headers, .*, cannot be read \(ENOENT\)/)
      for (const user of ['somebody:password@', 'token@']) {
        const secret = receiver.url.replace('://', `://${user}`)
        const shown = await rookery({ ...world.env }, 'export', '--to', secret)
        assert.match(shown.stderr, /a user or password in --to .* --headers/)
        assert.doesNotMatch(shown.stderr, /token|somebody/)
      }
    })
  })
}
