// Two server processes on one PostgreSQL, as two machines would be: a name still has one holder.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { LocalAccount, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { signNameChange } from '../src/features/registry/sign.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { createPlace, type Program, startProgram } from './program.ts'

const CROWD = 50
const now = () => Math.floor(Date.now() / 1000)

type Person = { readonly fid: number; readonly account: LocalAccount }

describe('two processes on one PostgreSQL', () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let programs: Program[]
  let people: Person[]
  before(async () => {
    place = await createPlace('postgres')
    programs = [await startProgram('start', place.env)]
    programs.push(await startProgram('start', place.env))
    people = []
    for (let n = 0; n < CROWD; n++) people.push(await enrol(programs[n % 2]!, accountOf(n)))
  })
  after(async () => {
    for (const program of programs) await program.stop()
    await place.remove()
  })

  const send = async (n: number, body: object) => {
    const response = await fetch(`${programs[n % 2]!.registry}/transfers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const claim = ({ account, fid }: Person, name: string, timestamp: number) =>
    signNameChange(account, { name, from: 0, to: fid, timestamp })

  test('fifty registrations of one name have one winner', async () => {
    const timestamp = now()
    const bodies = await Promise.all(people.map((one) => claim(one, 'wanted', timestamp)))
    const answers = await Promise.all(bodies.map((body, n) => send(n, body)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(answers.every(({ status }) => status === 200 || status === 400))
    assert.equal((await transfersOf(programs[0]!, 'wanted')).length, 1)
    assert.deepEqual(
      await transfersOf(programs[0]!, 'wanted'),
      await transfersOf(programs[1]!, 'wanted'),
    )
  })

  test('one request sent fifty times is one row with fifty equal answers', async () => {
    const held = (await transfersOf(programs[0]!, 'wanted'))[0]?.to
    const person = people.find(({ fid }) => fid !== held)!
    const body = await claim(person, 'mine', now())
    const answers = await Promise.all(Array.from({ length: CROWD }, (_, n) => send(n, body)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map((answer) => answer.body.transfer?.id)).size, 1)
    assert.equal((await transfersOf(programs[1]!, 'mine')).length, 1)
  })
})

type Transfer = { readonly id: number; readonly to: number }
type Answer = { readonly transfer?: Transfer; readonly code?: string }

function accountOf(n: number): PrivateKeyAccount {
  return privateKeyToAccount(`0x${(n + 1).toString(16).padStart(64, '7')}`)
}

async function enrol(program: Program, account: LocalAccount): Promise<Person> {
  const call = await signRegister(account, { deadline: BigInt(now() + 3600) })
  const response = await fetch(`${program.accounts}/v1/registerFor`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(callJson(call)),
  })
  const { fid } = (await response.json()) as { fid: number }
  assert.equal(response.status, 200)
  return { fid, account }
}

async function transfersOf(program: Program, name: string): Promise<Transfer[]> {
  const response = await fetch(`${program.registry}/transfers?name=${name}`)
  return ((await response.json()) as { transfers: Transfer[] }).transfers
}
