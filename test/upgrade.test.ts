// A rolling upgrade: two processes of an earlier version on one PostgreSQL are replaced one after the other, under
// load. TEST_LONG=1 runs it; TEST_UPGRADE_FROM names another commit than the one below.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { checkOutVersion } from './earlier-version.ts'
import { LONG } from './effort.ts'
import { PATIENCE_MS, patient } from './patience.ts'
import { createDatabase } from './postgres.ts'
import { createPlace, type Program, rookery, startProgram } from './program.ts'
import { DEVNET } from './world.ts'

/** Before the migrations of activity, locks of parts and quotas. */
const FROM = process.env.TEST_UPGRADE_FROM ?? '9499559'
/** Acknowledged writes of each kind between two steps. */
const WRITES_PER_STEP = 25
const STEP_MS = patient(24_000)
const TEST_MS = patient(90_000)
const REQUEST_MS = PATIENCE_MS
const RETRY_MS = 50
const LIMITS = {
  ROOKERY_ACCOUNTS_LIMIT: '100000',
  ROOKERY_REGISTRY_LIMIT: '100000',
  ROOKERY_SUBMIT_LIMIT: '100000',
  ROOKERY_VIEWS: 'on',
}

const SIGNER = { ROOKERY_SIGNER_SECRET: `0x${'5e'.repeat(32)}` }

type Kind = 'casts' | 'accounts' | 'names' | 'channels'
type Interface = 'hub' | 'accounts' | 'registry' | 'operations'
type Person = { readonly fid: number; readonly appPrivateKey: string }

/** Sends requests to the processes in turn, and none to a process that is about to stop. */
class LoadBalancer {
  readonly failures: string[] = []
  /** Answers of 503. */
  readonly unavailable: string[] = []
  readonly #members: { readonly program: Program; inFlight: number }[] = []
  #turn = 0

  add(program: Program): void {
    this.#members.push({ program, inFlight: 0 })
  }

  async takeOut(program: Program): Promise<void> {
    const [member] = this.#members.splice(
      this.#members.findIndex((one) => one.program === program),
      1,
    )
    while (member!.inFlight > 0) await sleep(10)
  }

  /** The answer of 200; a 503 is sent again, everything else is a failure. */
  async ask(name: Interface, path: string, body?: object): Promise<unknown> {
    for (const until = Date.now() + REQUEST_MS; ; ) {
      const member = this.#members[this.#turn++ % this.#members.length]!
      member.inFlight++
      try {
        const response = await fetch(member.program[name] + path, requestOf(body))
        const answer = (await response.json()) as object
        if (response.ok) return answer
        if (response.status !== 503 || Date.now() > until)
          this.failures.push(`${response.status} ${path}: ${JSON.stringify(answer)}`)
        if (response.status !== 503) return
        this.unavailable.push(`${path}: ${JSON.stringify(answer)}`)
      } catch (error) {
        this.failures.push(`${path}: ${error} ${(error as Error).cause}`)
        return
      } finally {
        member.inFlight--
      }
      if (Date.now() > until) return
      await sleep(RETRY_MS)
    }
  }
}

const requestOf = (body: object | undefined): RequestInit => {
  if (body === undefined) return {}
  const isBytes = body instanceof Uint8Array
  return {
    method: 'POST',
    headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
    body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  }
}

const now = () => Math.floor(Date.now() / 1000)
const accountOf = (n: number) => privateKeyToAccount(`0x7${n.toString(16).padStart(63, '0')}`)

describe('a rolling upgrade of two processes', () => {
  test(`no request fails and nothing is lost while two processes of ${FROM} are replaced one by one`, {
    skip: !LONG && 'TEST_LONG=1 runs it',
    timeout: TEST_MS,
  }, async (t) => {
    const earlier = await checkOutVersion(FROM)
    if (typeof earlier === 'string') return t.skip(earlier)
    t.after(earlier.remove)
    const place = await createPlace('sqlite')
    t.after(place.remove)
    // The earlier version makes its own tables.
    const database = await createDatabase('template0')
    t.after(database.drop)
    const env = { ...place.env, ...LIMITS, ...SIGNER, DATABASE_URL: database.url }
    const balancer = new LoadBalancer()
    const start = async (root?: string) => {
      const settings = root === undefined ? env : earlier.known(env)
      const program = await startProgram('start', settings, [], root)
      balancer.add(program)
      return program
    }
    const stop = async (program: Program) => {
      await balancer.takeOut(program)
      const { code, stderr } = await program.stop()
      assert.equal(code, 0, stderr)
    }
    const old = [await start(earlier.root), await start(earlier.root)] as const
    const load = startLoad(balancer, await peopleOf(old[0]))
    t.after(load.end)

    await load.step('both are of the earlier version')
    await stop(old[0])
    await load.step('one of the earlier version is left')
    const first = await start()
    await load.step('both versions work')
    await stop(old[1])
    const second = await start()
    await load.step('both are of this version')
    await load.end()

    t.diagnostic(`${JSON.stringify(load.counts())}, ${balancer.unavailable.length} times 503`)
    assert.deepEqual(balancer.failures, [])
    for (const program of [first, second]) await load.check(program)
    // Moving the clock runs every job, which is what time does too.
    await balancer.ask('operations', '/dev/clock', { advanceSeconds: 1 })
    await stop(first)
    await stop(second)
    const { code, stdout, stderr } = await rookery(env, 'verify')
    assert.equal(code, 0, stdout + stderr)
  })
})

const peopleOf = async ({ operations }: Program): Promise<Person[]> => {
  const answer = await fetch(`${operations}/dev/accounts`)
  return ((await answer.json()) as { accounts: Person[] }).accounts
}

function startLoad(balancer: LoadBalancer, people: readonly Person[]) {
  const casts = new Map<string, number>()
  const accounts = new Map<string, number>()
  const names = new Map<string, number>()
  const channels: string[] = []
  const counts = () => ({
    casts: casts.size,
    accounts: accounts.size,
    names: names.size,
    channels: channels.length,
  })
  let isOver = false
  const repeat = async (write: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver; n++) await write(n)
  }
  const cast = ({ fid, appPrivateKey }: Person) => {
    return async (n: number) => {
      const origin = { fid, timestamp: networkTime(Date.now()), network: DEVNET }
      const message = buildMessage(castAdd(origin, `cast ${n}`), fromHex(appPrivateKey)!)
      const hash = toHex(message.hash)
      if (!(await balancer.ask('hub', '/v1/submitMessage', encodeEnvelope(message)))) return
      casts.set(hash, fid)
      // An acknowledged cast is read back at once; the balancer picks the process.
      await balancer.ask('hub', `/v1/castById?fid=${fid}&hash=${hash}`)
    }
  }
  const account = async (n: number) => {
    const owner = accountOf(n)
    const call = await signRegister(owner, { deadline: BigInt(now() + 3_600) })
    const answer = await balancer.ask('accounts', '/v1/registerFor', callJson(call))
    if (!answer) return
    const { fid } = answer as { fid: number }
    accounts.set(owner.address, fid)
    const name = `upgraded${n}`
    const change = { name, from: 0, to: fid, timestamp: now() }
    const named = await balancer.ask('registry', '/transfers', await signNameChange(owner, change))
    if (named) names.set(name, fid)
  }
  const channel = async (n: number) => {
    const ids = [`kept${n}`]
    if (await balancer.ask('operations', '/platform/channels/reserved', { ids }))
      channels.push(...ids)
    await sleep(RETRY_MS)
  }
  const running = [
    repeat(account),
    repeat(channel),
    ...people.slice(0, 4).map((person) => repeat(cast(person))),
  ]
  const end = async () => {
    isOver = true
    await Promise.all(running)
  }
  return {
    counts,
    end,
    /** Waits until every kind of write was acknowledged some more times. */
    async step(what: string): Promise<void> {
      const kinds = Object.keys(counts()) as Kind[]
      const aims = Object.entries(counts()).map(([, count]) => count + WRITES_PER_STEP)
      const isDone = () => kinds.every((kind, i) => counts()[kind] >= aims[i]!)
      for (const until = Date.now() + STEP_MS; !isDone() && balancer.failures.length === 0; ) {
        assert.ok(Date.now() < until, `${what}: ${JSON.stringify({ aims, counts: counts() })}`)
        await sleep(RETRY_MS)
      }
      if (balancer.failures.length > 0) await end()
      const { failures, unavailable } = balancer
      assert.deepEqual(failures, [], `${what}, after ${unavailable.slice(-3).join()}`)
    },
    /** Everything that was acknowledged is there. */
    async check({ hub, registry }: Program): Promise<void> {
      for (const [hash, fid] of casts) {
        const { status } = await fetch(`${hub}/v1/castById?fid=${fid}&hash=${hash}`)
        assert.equal(status, 200, `the cast ${hash} was acknowledged`)
      }
      for (const [address, fid] of accounts) {
        const answer = await fetch(`${hub}/v1/onChainIdRegistryEventByAddress?address=${address}`)
        assert.equal(((await answer.json()) as { fid: number }).fid, fid, address)
      }
      for (const [name, fid] of names) {
        const answer = await fetch(`${registry}/transfers?name=${name}`)
        const { transfers } = (await answer.json()) as { transfers: { to: number }[] }
        assert.equal(transfers[0]?.to, fid, `the name ${name} was acknowledged`)
      }
    },
  }
}
