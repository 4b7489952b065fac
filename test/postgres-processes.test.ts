// Server processes on a PostgreSQL that is stopped at once under them, as by a crash, again and again.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { effort } from './effort.ts'
import { patient } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { createPlace, type Program, startProgram } from './program.ts'
import { randomFrom, runSeed } from './random.ts'
import { DEVNET } from './world.ts'

const seed = runSeed()
console.log(`postgres-processes: TEST_SEED=${seed}`)

const ROUNDS = effort(1, 20)
/** How long PostgreSQL runs under load before it is stopped; less is as likely. */
const LONGEST_LIFE_MS = 1_500
/** Time in which everything has to be accepted again after PostgreSQL is back. */
const RECOVERY_MS = patient(10_000)

const now = () => Math.floor(Date.now() / 1000)
const accountOf = (n: number) => privateKeyToAccount(`0x${(n + 1).toString(16).padStart(64, '5')}`)

describe('two server processes whose PostgreSQL crashes', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let place: Awaited<ReturnType<typeof createPlace>>
  let programs: Program[] = []
  let isLoading = true
  before(async () => {
    server = await startPostgres()
    place = await createPlace('sqlite')
    const env = { ...place.env, DATABASE_URL: server.url }
    const limits = {
      ROOKERY_ACCOUNTS_LIMIT: '100000',
      ROOKERY_REGISTRY_LIMIT: '100000',
      ROOKERY_SUBMIT_LIMIT: '100000',
    }
    programs = [await startProgram('start', { ...env, ...limits })]
    programs.push(await startProgram('start', { ...env, ...limits }))
  })
  after(async () => {
    isLoading = false
    for (const program of programs) await program.stop()
    await place?.remove()
    await server?.stop()
  })

  test(`two server processes continue after ${ROUNDS} crashes of PostgreSQL with every acknowledged message`, async () => {
    const random = randomFrom(seed)
    const accepted = { fids: new Map<string, number>(), casts: new Map<string, number>() }
    const names = new Map<string, number>()
    const reserved = new Set<string>()
    const writes = { account: 0, registry: 0, platform: 0, merge: 0 }
    const { accounts: people } = (await json(`${programs[0]!.operations}/dev/accounts`)) as {
      accounts: { fid: number; appPrivateKey: string }[]
    }

    /** One kind of write after the other, as fast as they are answered, until the load ends. */
    const load = async (
      kind: keyof typeof writes,
      write: (n: number, at: Program) => Promise<boolean>,
    ) => {
      for (let n = 0; isLoading; n++) {
        const isAccepted = await write(n, programs[n % 2]!)
        if (isAccepted) writes[kind]++
        else await sleep(20)
      }
    }
    const register = async (n: number, { accounts }: Program) => {
      const account = accountOf(n)
      const call = await signRegister(account, { deadline: BigInt(now() + 3_600) })
      const answer = await post(`${accounts}/v1/registerFor`, callJson(call))
      if (answer.status === 200) accepted.fids.set(account.address, answer.body.fid)
      return answer.status === 200
    }
    const name = async (n: number, { registry }: Program) => {
      const [[address, fid] = []] = [...accepted.fids].slice(-1)
      if (!fid || [...names.values()].includes(fid)) return false
      const owner = accountOf([...accepted.fids.keys()].indexOf(address!))
      if (owner.address !== address) return false
      const change = { name: `name${n}`, from: 0, to: fid, timestamp: now() }
      const answer = await post(`${registry}/transfers`, await signNameChange(owner, change))
      if (answer.status === 200) names.set(change.name, fid)
      return answer.status === 200
    }
    const reserve = async (n: number, { operations }: Program) => {
      const ids = [`reserved${n}`]
      const answer = await post(`${operations}/platform/channels/reserved`, { ids })
      if (answer.status < 300) reserved.add(ids[0]!)
      return answer.status < 300
    }
    const cast =
      (person: { fid: number; appPrivateKey: string }) => async (n: number, at: Program) => {
        const origin = { fid: person.fid, timestamp: networkTime(Date.now()), network: DEVNET }
        const message = buildMessage(castAdd(origin, `cast ${n}`), fromHex(person.appPrivateKey)!)
        const answer = await post(`${at.hub}/v1/submitMessage`, encodeEnvelope(message))
        if (answer.status === 200) accepted.casts.set(toHex(message.hash), person.fid)
        return answer.status === 200
      }
    const loads = [
      load('account', register),
      load('registry', name),
      load('platform', reserve),
      ...people.slice(0, 6).map((person) => load('merge', cast(person))),
    ]

    const everythingWorks = async () => {
      const before = { ...writes }
      const deadline = Date.now() + RECOVERY_MS
      const kinds = ['account', 'platform', 'merge'] as const
      while (!kinds.every((kind) => writes[kind] > before[kind])) {
        assert.ok(Date.now() < deadline, `writes are back: ${JSON.stringify({ before, writes })}`)
        await sleep(20)
      }
    }
    await everythingWorks()
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(random.int(LONGEST_LIFE_MS))
      await server.crash()
      await sleep(random.int(LONGEST_LIFE_MS))
      await server.restart()
      await everythingWorks()
      for (const { child, output } of programs) {
        assert.equal(child.exitCode, null, `a process ended by itself: ${output.stderr}`)
      }
    }
    isLoading = false
    await Promise.all(loads)

    const [first, second] = programs as [Program, Program]
    for (const [hash, fid] of accepted.casts) {
      const { status } = await fetch(`${second.hub}/v1/castById?fid=${fid}&hash=${hash}`)
      assert.equal(status, 200, `the cast ${hash} was acknowledged`)
    }
    for (const [username, fid] of names) {
      const { transfers } = (await json(`${first.registry}/transfers?name=${username}`)) as {
        transfers: { to: number }[]
      }
      assert.equal(transfers[0]?.to, fid, `the name ${username} was acknowledged`)
    }
    const { result } = (await json(
      `${second.operations}/platform/channels/reserved?limit=1000`,
    )) as { result: { ids: string[] } }
    const kept = new Set(result.ids)
    // One page, in the order of the ids.
    const inPage = [...reserved].filter((id) => kept.size < 1_000 || id <= result.ids.at(-1)!)
    assert.ok(inPage.length > 0)
    for (const id of inPage) assert.ok(kept.has(id), `the reservation of ${id} was acknowledged`)
    for (const [address, fid] of accepted.fids) {
      const stored = await json(
        `${first.hub}/v1/onChainIdRegistryEventByAddress?address=${address}`,
      )
      assert.equal((stored as { fid?: number }).fid, fid, `the fid of ${address} was acknowledged`)
    }
  })
})

// biome-ignore lint/suspicious/noExplicitAny: JSON of several interfaces
type Answer = { status: number; body: any }

/** Status 0 when the connection was refused or cut off. */
async function post(url: string, body: object): Promise<Answer> {
  const isBytes = body instanceof Uint8Array
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
      body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    })
    return { status: response.status, body: await response.json().catch(() => ({})) }
  } catch {
    return { status: 0, body: {} }
  }
}

async function json(url: string): Promise<unknown> {
  return (await fetch(url)).json()
}
