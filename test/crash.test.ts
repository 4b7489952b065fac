// Nothing acknowledged is lost: the real program, killed at random moments under load, again and again.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLedger } from '../src/kernel/accounts/ledger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { buildMessage, castAdd, castRemove, reactionAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { checkReplay, follow } from './feed.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { accountEvents, DEVNET, ENGINES, testAccount } from './world.ts'

const seed = runSeed()
console.log(`crash: TEST_SEED=${seed}`)

/** TEST_KILLS says another number (npm run test:crash). */
const KILLS = Number(process.env.TEST_KILLS ?? effort(1, 50))
const SUBMITTERS = 16
/** The longest a program lives after its first acknowledgement; less is as likely as more. */
const LONGEST_LIFE_MS = 600
/** Looking at the whole store takes longer than everything else in a round. */
const ROUNDS_PER_VERIFY = 10

describe('killing the program', { concurrency: ENGINES.length }, () => {
  for (const engine of ENGINES) {
    test(`killing the program ${KILLS} times on ${engine} loses no acknowledged message`, async (t) => {
      const place = await createPlace(engine)
      t.after(place.remove)
      const env = {
        ...place.env,
        ROOKERY_NETWORK: 'devnet',
        ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
        ROOKERY_LOG_LEVEL: 'fatal',
      }
      await inStore(env, addAccounts)
      const random = randomFrom(seed)
      const promised: Promised = { casts: new Map(), removed: new Set() }
      let program: Program | undefined
      let hub = ''
      let busy = true
      t.after(() => {
        busy = false
        program?.child.kill('SIGKILL')
      })
      const reading = follow(
        () => hub,
        () => busy,
        20,
      )

      for (let round = 0; round < KILLS; round++) {
        program = await startProgram('serve', env)
        hub = program.hub
        const before = [...promised.casts].slice(-300)
        await Promise.all(before.map(([hash, fid]) => checkCast(hub, fid, hash, promised)))
        const already = promised.casts.size
        const load = submitUntilItEnds(hub, round, promised)
        while (promised.casts.size === already) {
          await Promise.race([load, sleep(5)])
          assert.equal(program.child.exitCode, null, program.output.stderr)
        }
        await sleep(random.int(LONGEST_LIFE_MS))
        await program.stop('SIGKILL')
        await load
        if (round % ROUNDS_PER_VERIFY === 0) await inStore(env, checkWhole)
      }

      program = await startProgram('serve', env)
      hub = program.hub
      for (const group of randomFrom(seed).cut([...promised.casts], 64)) {
        await Promise.all(group.map(([hash, fid]) => checkCast(hub, fid, hash, promised)))
      }
      busy = false
      const events = await reading
      await program.stop()
      await inStore(env, async (storage) => {
        await checkWhole(storage)
        await checkReplay(storage, events)
      })
      t.diagnostic(`${promised.casts.size} casts were acknowledged, ${events.length} events read`)
      assert.ok(promised.casts.size > KILLS, 'the program worked before it was killed')
    })
  }
})

/** What got a 200: casts with their author, and those of them whose remove was asked for. */
type Promised = { readonly casts: Map<string, number>; readonly removed: Set<string> }

async function inStore(env: Env, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStore(readConfig(env, 'production'))
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

async function addAccounts(storage: Storage): Promise<void> {
  const clock = { now: () => Date.now() }
  const ledger = createLedger({ storage, clock, settings: { network: DEVNET } })
  const seconds = Math.floor(Date.now() / 1000)
  for (let fid = 1; fid <= SUBMITTERS; fid++) {
    await ledger.importEvents(accountEvents(testAccount(fid), seconds, 1_000))
  }
}

async function checkWhole(storage: Storage): Promise<void> {
  const report = await verifyStore(storage, { network: DEVNET })
  assert.deepEqual(report.examples, [])
}

async function checkCast(hub: string, fid: number, hash: string, promised: Promised) {
  const response = await fetch(`${hub}/v1/castById?fid=${fid}&hash=${hash}`)
  const text = await response.text()
  // A remove that was cut off may have been stored or not.
  if (promised.removed.has(hash) && response.status === 404) return
  assert.equal(response.status, 200, `${hash} was acknowledged: ${text}`)
}

/** Every account submits messages of several kinds, one after the other, until the server is gone. */
async function submitUntilItEnds(hub: string, round: number, promised: Promised): Promise<void> {
  await Promise.all(
    Array.from({ length: SUBMITTERS }, async (_, i) => {
      const fid = i + 1
      let own: SignedMessage | undefined
      for (let n = 0; ; n++) {
        const message = nextMessage(fid, `${round} ${n}`, n, own)
        const { body } = message.data
        if (body.case === 'castRemoveBody') promised.removed.add(toHex(body.value.targetHash))
        const status = await submit(hub, message)
        if (status === undefined) return
        assert.equal(status, 200)
        if (body.case === 'castAddBody') {
          own = message
          promised.casts.set(toHex(message.hash), fid)
        }
      }
    }),
  )
}

function nextMessage(
  fid: number,
  text: string,
  n: number,
  own: SignedMessage | undefined,
): SignedMessage {
  const { seed: key } = testAccount(fid)
  const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
  if (own && n % 5 === 4) return buildMessage(castRemove(origin, own.hash), key)
  if (n % 5 === 2) {
    return buildMessage(reactionAdd(origin, 1, { url: `https://example.com/${text}` }), key)
  }
  return buildMessage(castAdd(origin, `cast ${text}`), key)
}

/** The status; undefined when the program is gone. */
async function submit(hub: string, message: SignedMessage): Promise<number | undefined> {
  try {
    const response = await fetch(`${hub}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: encodeEnvelope(message) as Uint8Array<ArrayBuffer>,
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}
