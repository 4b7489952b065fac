// Gasless keys, lent storage and sign-ins under kill -9: one program on the embedded store, four on one PostgreSQL. What was
// acknowledged is there afterwards, and in a backup; what was spent stays spent.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSiweMessage } from 'viem/siwe'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLedger } from '../src/kernel/accounts/ledger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { buildMessage, castAdd, lendStorage } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { keyAdd, keyOf, keyRemove, type Owner, ownerOf } from './gasless-keys-support.ts'
import { createPlace, type Env, type Program, startCommands, startProgram } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { accountEvents, DEVNET, ENGINES, type TestAccount, testAccount } from './world.ts'

const seed = runSeed()
console.log(`keys-crash: TEST_SEED=${seed}`)

/** A fid adds one key a minute, so each round has fids of its own. */
const ROUNDS = effort(2, 9)
const FIDS_OF_ROUND = 10
const UNITS = 10
/** What has to have happened to one fid before a program is killed, and then a random time. */
const STEPS = ['signedIn', 'removal', 'added', 'lent'] as const
const LONGEST_LIFE_MS = 100
const DOMAIN = 'app.example'
/** So that tokens name the same server wherever they are asked for. */
const PUBLIC_URL = 'http://social.example'
const LIMITS: Env = {
  ROOKERY_SUBMIT_LIMIT: '1000000',
  ROOKERY_LOG_LEVEL: 'fatal',
}

const real = { clock: { now: () => Date.now() } }
/** Whom a fid lends a unit; it has no storage of its own. */
const borrowerOf = ({ fid }: Owner): TestAccount => testAccount(1_000 + fid)

/** What one fid was promised. */
type Promised = {
  readonly user: Owner
  /** The KEY_ADD, once acknowledged. */
  added?: Uint8Array
  /** Its removal was asked for, and then acknowledged. */
  removal?: 'asked' | 'acknowledged'
  readonly casts: string[]
  lent?: boolean
  /** A proof whose nonce has counted, and what it was exchanged for. */
  signedIn?: { readonly proof: object; readonly token: string }
  /** A channel of the relay that waits for a user. */
  channel?: string
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of several interfaces
type Json = any
type Reply = { readonly status: number; readonly body: Json }

describe('killing programs that add keys, lend and sign in', {
  concurrency: ENGINES.length,
}, () => {
  for (const engine of ENGINES) {
    const count = engine === 'postgres' ? 4 : 1
    test(`${count === 1 ? 'a program' : 'one of four programs'} killed on ${engine} loses nothing that was acknowledged, and nothing counts twice`, async (t) => {
      const place = await createPlace(engine)
      const env = {
        ...place.env,
        ...LIMITS,
        ROOKERY_NETWORK: 'devnet',
        ROOKERY_PUBLIC_URL: PUBLIC_URL,
      }
      t.after(place.remove)
      await inStore(env, addAccounts)
      const random = randomFrom(seed)
      const programs: Program[] = []
      t.after(() => programs.forEach(({ child }) => void child.kill('SIGKILL')))
      for (let i = 0; i < count; i++) programs.push(await startProgram('start', env))
      const all: Promised[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const made = fidsOf(round).map((fid): Promised => ({ user: ownerOf(fid), casts: [] }))
        all.push(...made)
        const load = Promise.all(made.map((one) => useAll(one, programs)))
        await untilSome(made, STEPS[round % STEPS.length]!)
        await sleep(random.int(LONGEST_LIFE_MS))
        const victim = random.int(count)
        await programs[victim]!.stop('SIGKILL')
        await load
        programs[victim] = await startProgram('start', env)
        await Promise.all(all.map((one, i) => checkPromised(one, programs[i % count]!)))
      }
      const counted = (of: (one: Promised) => unknown) => all.filter(of).length
      t.diagnostic(
        `${counted((one) => one.added)} keys, ${counted((one) => one.lent)} lends, ${counted((one) => one.signedIn)} sign-ins`,
      )
      assert.ok(counted((one) => one.lent && one.signedIn) > 0, 'it worked before it was killed')
      if (engine === 'sqlite') await checkBackup(t, env, all)
      for (const program of programs) await program.stop()
      await inStore(env, checkWhole)
    })
  }
})

const fidsOf = (round: number) =>
  Array.from({ length: FIDS_OF_ROUND }, (_, i) => 1 + round * FIDS_OF_ROUND + i)

async function inStore(env: Env, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStore(readConfig(env, 'development'))
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

async function addAccounts(storage: Storage): Promise<void> {
  const ledger = createLedger({ storage, clock: real.clock, settings: { network: DEVNET } })
  const seconds = Math.floor(Date.now() / 1_000)
  for (let round = 0; round < ROUNDS; round++) {
    for (const fid of fidsOf(round)) {
      const user = ownerOf(fid)
      await ledger.importEvents(accountEvents(user, seconds, UNITS))
      await ledger.importEvents(accountEvents(borrowerOf(user), seconds, 1).slice(0, 2))
    }
  }
}

async function checkWhole(storage: Storage): Promise<void> {
  assert.deepEqual((await verifyStore(storage, { network: DEVNET })).examples, [])
}

/** When the first of these fids has done this. */
async function untilSome(made: readonly Promised[], step: keyof Promised): Promise<void> {
  while (!made.some((one) => one[step])) await sleep(5)
}

const keyOfUser = ({ fid }: Owner) => keyOf(10_000 + fid)

/** Adds a key, posts by it, lends, signs in and perhaps removes the key, at one program after the other. */
async function useAll(promised: Promised, programs: readonly Program[]): Promise<void> {
  const { user } = promised
  let turn = user.fid
  const next = () => programs[turn++ % programs.length]!
  const key = keyOfUser(user)
  const added = await keyAdd(real, user, key, { nonce: 5 })
  if (!(await isAccepted(submit(next(), added)))) return
  promised.added = added
  const text = castAdd(originOf(user), { text: `by the key of ${user.fid}` })
  const cast = buildMessage(text, key.seed)
  if (await isAccepted(submit(next(), encodeEnvelope(cast)))) promised.casts.push(toHex(cast.hash))
  const lend = lendStorage(originOf(user), { toFid: borrowerOf(user).fid, units: 1 })
  if (await isAccepted(submit(next(), encodeEnvelope(buildMessage(lend, user.seed))))) {
    promised.lent = true
  }
  await signIn(promised, programs)
  const asked = { domain: DOMAIN, siweUri: 'https://app.example/' }
  const opened = await post(`${next().platform}/v1/channel`, asked)
  if (opened?.status === 201) promised.channel = opened.body.channelToken
  if (user.fid % 2 === 0) return
  promised.removal = 'asked'
  const removal = await keyRemove(real, user, key, { nonce: 6 })
  if (await isAccepted(submit(next(), removal))) promised.removal = 'acknowledged'
}

/** Uses one nonce at every program at once, twice. */
async function signIn(promised: Promised, programs: readonly Program[]): Promise<void> {
  const given = await post(`${programs[0]!.platform}/nonce`, {})
  if (given?.status !== 200) return
  const proof = await proofOf(promised.user, given.body.nonce)
  const answers = await Promise.all(
    [...programs, ...programs].map(({ platform }) => post(`${platform}/verify-siwf`, proof)),
  )
  const won = answers.flatMap((answer) => (answer?.status === 200 ? [answer.body.token] : []))
  assert.ok(won.length <= 1, 'a nonce counts once')
  if (won[0]) promised.signedIn = { proof, token: won[0] }
}

async function proofOf({ account, fid }: Owner, nonce: string): Promise<object> {
  const message = createSiweMessage({
    ...{ domain: DOMAIN, uri: 'https://app.example/', version: '1', chainId: 10, nonce },
    ...{ statement: 'Farcaster Auth', resources: [`farcaster://fid/${fid}`] },
    ...{ address: account.address, issuedAt: new Date() },
  })
  return { message, signature: await account.signMessage({ message }), domain: DOMAIN }
}

async function checkPromised(promised: Promised, at: Program): Promise<void> {
  const { user, added, removal, casts, lent, signedIn, channel } = promised
  const { hub, platform } = at
  if (added) {
    const key = toHex(keyOfUser(user).key)
    const { status } = await get(`${hub}/v1/signer?fid=${user.fid}&signer=${key}`)
    const expected = { asked: [200, 404], acknowledged: [404] }[removal as string] ?? [200]
    assert.ok(expected.includes(status), `the key of ${user.fid}: ${status}, not ${expected}`)
    const again = await submit(at, added)
    const code = status === 200 ? 'bad_request.duplicate' : 'bad_request.conflict'
    assert.deepEqual([again!.status, again!.body.errCode], [400, code], 'its nonce is spent')
  }
  for (const hash of removal ? [] : casts) {
    const found = await get(`${hub}/v1/castById?fid=${user.fid}&hash=${hash}`)
    assert.equal(found.status, 200, `${hash} was acknowledged`)
  }
  const limits = await get(`${hub}/v1/storageLimitsByFid?fid=${borrowerOf(user).fid}`)
  if (lent) assert.equal(limits.body.units, 1, `fid ${user.fid} has lent a unit`)
  if (signedIn) {
    const query = new URLSearchParams({ token: signedIn.token, domain: DOMAIN })
    const claims = await get(`${platform}/verify-jwt?${query}`)
    assert.deepEqual([claims.status, claims.body.sub], [200, user.fid])
    const again = await post(`${platform}/verify-siwf`, signedIn.proof)
    assert.deepEqual([again!.status, again!.body.error], [400, 'invalid_nonce'])
  }
  if (channel) {
    const headers = { authorization: `Bearer ${channel}` }
    assert.equal((await get(`${platform}/v1/channel/status`, headers)).status, 202)
  }
}

/** A server on a restored backup has everything, and what was spent is spent there. */
async function checkBackup(
  t: { after(work: () => unknown): void },
  env: Env,
  all: readonly Promised[],
): Promise<void> {
  const commands = startCommands()
  const dir = mkdtempSync(join(tmpdir(), 'rookery-keys-crash-'))
  const elsewhere = await createPlace('sqlite')
  t.after(async () => {
    commands.stop()
    rmSync(dir, { recursive: true, force: true })
    await elsewhere.remove()
  })
  const backup = await commands.run(env, 'backup', join(dir, 'backup'))
  assert.equal(backup.code, 0, backup.stderr)
  const settings = { ...env, ROOKERY_DATA_DIR: elsewhere.env.ROOKERY_DATA_DIR! }
  const restored = await commands.run(settings, 'restore', join(dir, 'backup'))
  assert.equal(restored.code, 0, restored.stderr)
  const server = await startProgram('start', settings)
  t.after(() => server.stop('SIGKILL'))
  for (const one of all) await checkPromised(one, server)
  await server.stop()
  const verified = await commands.run(settings, 'verify')
  assert.match(verified.stdout, /are as they should be/)
}

const originOf = ({ fid }: Owner) => ({ fid, timestamp: networkTime(Date.now()), network: DEVNET })

/** Undefined when the program was killed: what was asked may have been stored or not. */
async function answered(asking: Promise<Response>): Promise<Reply | undefined> {
  try {
    const response = await asking
    return { status: response.status, body: await response.json() }
  } catch {
    return undefined
  }
}

const get = async (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  (await answered(fetch(url, { headers })))!

const post = (url: string, body: object) =>
  answered(
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

const submit = ({ hub }: Program, message: Uint8Array) =>
  answered(
    fetch(`${hub}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: message as Uint8Array<ArrayBuffer>,
    }),
  )

async function isAccepted(answer: Promise<Reply | undefined>): Promise<boolean> {
  const given = await answer
  if (given) assert.equal(given.status, 200, JSON.stringify(given.body))
  return given !== undefined
}
