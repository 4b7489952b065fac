// What the tests of the name registry share: people with custody keys, and requests over HTTP.

import assert from 'node:assert/strict'
import { toHex as keyHex } from 'viem'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { type NameChange, signNameChange } from '../src/features/registry/sign.ts'
import { buildMessage, userDataAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { type Answer, accountEvents, type TestAccount, testAccount, type World } from './world.ts'

/** An account: a fid, the key of its custody address and a key that signs messages. */
export type Person = {
  readonly fid: number
  readonly account: LocalAccount
  readonly app: TestAccount
}

/** The custody account of a fid in every test world. */
export function custodyOf(fid: number): LocalAccount {
  const seed = Buffer.concat([hashOf(Buffer.from(`custody key ${fid}`)), Buffer.alloc(12, fid)])
  return privateKeyToAccount(keyHex(seed))
}

export function registryClient(world: World, urls = () => world.app.urls) {
  const now = () => Math.floor(world.clock.now() / 1000)
  const send = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(urls().registry + path, init)
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const post = (body: unknown) =>
    send('/transfers', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const sign = ({ account }: Pick<Person, 'account'>, change: Change) =>
    signNameChange(account, { timestamp: now(), ...change })
  const change = async (person: Pick<Person, 'account'>, terms: Change) =>
    post(await sign(person, terms))
  /** Gives fids to addresses, as a chain would report it. */
  const giveAll = async (holders: readonly TestAccount[]) => {
    for (let at = 0; at < holders.length; at += 300) {
      const some = holders.slice(at, at + 300)
      await world.app.ledger!.importEvents(some.flatMap((one) => accountEvents(one, now(), 10)))
    }
  }
  const people = async (fids: readonly number[]): Promise<Person[]> => {
    const made = fids.map((fid) => {
      const account = custodyOf(fid)
      return { fid, account, app: { ...testAccount(fid), custody: fromHex(account.address)! } }
    })
    await giveAll(made.map(({ app }) => app))
    return made
  }
  return {
    now,
    get: (path: string) => send(path),
    send,
    post,
    sign,
    change,
    people,
    person: async (fid: number): Promise<Person> => (await people([fid]))[0]!,
    give: (fid: number, custody: Uint8Array) => giveAll([{ ...testAccount(fid), custody }]),
    register: (person: Person, name: string, terms: Partial<Change> = {}) =>
      change(person, { name, from: 0, to: person.fid, ...terms }),
    move: (person: Person, name: string, to: number, terms: Partial<Change> = {}) =>
      change(person, { name, from: person.fid, to, ...terms }),
    release: (person: Person, name: string, terms: Partial<Change> = {}) =>
      change(person, { name, from: person.fid, to: 0, ...terms }),
    /** Submits the username of a profile to the hub. */
    setUsername: ({ app }: Person, name: string) =>
      world.submit(
        buildMessage(
          userDataAdd(world.origin(app), UserDataType.USER_DATA_TYPE_USERNAME, name),
          app.seed,
        ),
      ),
    /** Every transfer, read page by page. */
    async history(filter = ''): Promise<Transfer[]> {
      const all: Transfer[] = []
      for (;;) {
        const from = all.at(-1)?.id ?? 0
        const { body } = await send(`/transfers?from_id=${from}${filter}`)
        if (body.transfers.length === 0) return all
        all.push(...body.transfers)
      }
    },
    accepted,
    refused,
  }
}

type Change = Omit<NameChange, 'timestamp'> & { timestamp?: number }

export type RegistryClient = ReturnType<typeof registryClient>

export type Transfer = {
  id: number
  timestamp: number
  username: string
  owner: string
  from: number
  to: number
  user_signature: string
  server_signature: string
}

/** Fails unless the answer is a 200 with one transfer; gives that. */
export function accepted({ status, body }: Answer): Transfer {
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ['transfer'])
  return body.transfer
}

/** Fails unless the answer is the registry's refusal with this code; gives its sentence. */
export function refused({ status, body }: Answer, code: string, field?: string): string {
  assert.deepEqual([status, body.code], [400, code], JSON.stringify(body))
  assert.equal(body.error, 'Validation failure')
  if (field !== undefined) assert.equal(body.field, field)
  assert.ok(body.message.length > 10 && body.requestId)
  return body.message
}
