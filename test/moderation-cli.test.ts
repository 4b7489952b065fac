// Moderation on the command line of a running server.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Commands,
  createPlace,
  type Env,
  type Program,
  startCommands,
  startProgram,
} from './program.ts'

const TOKEN = 'a-token-of-the-operator'
const WHY = ['--reason', 'because', '--actor', 'mod']

describe('rookery moderate', { concurrency: 1 }, () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let program: Program
  let commands: Commands
  let env: Env

  before(async () => {
    place = await createPlace('sqlite')
    program = await startProgram('start', { ...place.env, ROOKERY_OPS_TOKEN: TOKEN })
    commands = startCommands()
    env = { ...program.client, ROOKERY_OPS_TOKEN: TOKEN }
  })
  after(async () => {
    commands.stop()
    await program.stop()
    await place.remove()
  })

  const succeed = async (...args: string[]) => {
    const result = await commands.run(env, 'moderate', ...args)
    assert.equal(result.code, 0, result.stderr)
    return result.stdout
  }
  const fail = async (...args: string[]) => {
    const result = await commands.run(env, 'moderate', ...args)
    assert.notEqual(result.code, 0, result.stdout)
    return result.stderr
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
  const get = async (url: string): Promise<any> => (await fetch(url)).json()
  const castsOf = async (fid: number) =>
    (await get(`${program.hub}/v1/castsByFid?fid=${fid}`)).messages

  test('the commands suspend, restore, hide and unhide, and the log shows who did it and why', async () => {
    const casts = await castsOf(3)
    assert.ok(casts.length > 0)
    assert.equal(await succeed('suspend', '3', ...WHY), 'fid 3 is suspended\n')
    assert.deepEqual(await castsOf(3), [])
    assert.deepEqual(JSON.parse(await succeed('restore', '3', ...WHY, '--json')), {
      fid: 3,
      suspended: false,
      suspendedUntil: null,
      limited: false,
      erasing: false,
      erasedBefore: 0,
    })
    assert.deepEqual(await castsOf(3), casts)
    const { hash } = casts[0]
    await succeed('hide', `${program.web}/cast/${hash}`, ...WHY)
    assert.equal((await castsOf(3)).length, casts.length - 1)
    assert.equal(await succeed('unhide', `3/${hash}`, ...WHY), `cast ${hash} can be read\n`)
    assert.deepEqual(await castsOf(3), casts)
    const lines = (await succeed('log', '--fid', '3')).trim().split('\n')
    assert.deepEqual(
      lines.map((line) => /mod: (\S+)/.exec(line)?.[1]),
      ['unhide', 'hide', 'restore', 'suspend'],
    )
    assert.match(lines[0]!, /because$/)
    assert.match(await fail('suspend', '3'), /--reason/)
    assert.match(await fail('suspend', '12345', ...WHY), /not registered/)
    // A name may change hands between reading and deciding.
    assert.match(await fail('erase', 'raven', '--yes', ...WHY), /whole number/)
    assert.match(await fail('take-name', 'raven', '--fid', 'raven', ...WHY), /whole number/)
  })

  test('a warning is taken back by the number that the log begins with, and a number of anything else is refused', async () => {
    const send = async (url: string, token: string, body: object) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(answer.status, 200)
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return (await answer.json()) as any
    }
    const token = (await commands.run(env, 'token', '--fid', '2')).stdout.trim()
    const reported = await send(`${program.platform}/v1/reports`, token, { fid: 4, reason: 'rude' })
    const path = `/moderation/cases/${reported.result.id}/decide`
    const warning = { act: 'warn', reason: 'because', actor: 'mod' }
    await send(`${program.operations}${path}`, TOKEN, warning)
    const lines = async () => (await succeed('log', '--fid', '4')).trim().split('\n')
    const [resolve, warn] = (await lines()).map((line) => line.split(' '))
    assert.deepEqual([resolve![3], warn![3]], ['resolve', 'warn'])
    const number = warn![0]!
    for (let i = 0; i < 2; i++) {
      assert.equal(await succeed('unwarn', number, ...WHY), `warning ${number} is taken back\n`)
    }
    assert.match((await lines())[0]!, new RegExp(` mod: unwarn fid 4, ${number}: because$`))
    assert.match(await fail('unwarn', resolve![0]!, ...WHY), /there is no warning/)
    assert.match(await fail('unwarn', number), /--reason/)
  })

  test('a list without items says so to people, and nothing to programs', async () => {
    const people = await commands.run(env, 'moderate', 'appeals')
    assert.deepEqual([people.code, people.stdout, people.stderr], [0, '', 'There are none.\n'])
    const program = await commands.run(env, 'moderate', 'appeals', '--json')
    assert.deepEqual([program.code, program.stdout, program.stderr], [0, '', ''])
  })

  test('what an account is already is a success that says so', async () => {
    const said = await succeed('restore', '5', ...WHY)
    assert.equal(said, 'fid 5 was not suspended: there is nothing to restore\n')
    assert.equal(await succeed('suspend', '5', ...WHY), 'fid 5 is suspended\n')
    assert.equal(await succeed('suspend', '5', ...WHY), 'fid 5 was suspended already\n')
    const over = await succeed('restore', '5', ...WHY)
    assert.equal(over, 'fid 5 is restored: its suspension is over\n')
    assert.equal((await succeed('log', '--fid', '5')).trim().split('\n').length, 2)
  })

  test('commands for operators name the setting of the token when it is missing or wrong', async () => {
    for (const args of [
      ['moderate', 'log'],
      ['invite', 'create'],
      ['badge', 'list'],
      ['action', 'list'],
      ['credit', '3'],
    ]) {
      const without = await commands.run(program.client, ...args)
      assert.match(
        without.stderr,
        /unauthenticated.* Set ROOKERY_OPS_TOKEN to the token/,
        args.join(' '),
      )
      const wrong = { ...program.client, ROOKERY_OPS_TOKEN: 'another' }
      const refused = await commands.run(wrong, ...args)
      assert.match(refused.stderr, /ROOKERY_OPS_TOKEN is set, and is not the token/, args.join(' '))
      assert.deepEqual([without.code, refused.code], [1, 1])
    }
  })

  test('a name that is taken back leaves the registry, the hub and the profile', async () => {
    const { transfers } = await get(`${program.registry}/transfers/current?fid=4`)
    const name = transfers[0].username
    assert.match(await fail('take-name', name, '--fid', '5', ...WHY), /belongs to fid 4 now/)
    assert.equal(
      await succeed('take-name', name, '--fid', '4', ...WHY),
      `${name} was taken from fid 4\n`,
    )
    const log = await get(`${program.registry}/transfers?name=${name}`)
    const last = log.transfers.at(-1)
    assert.deepEqual([last.from, last.to], [4, 0])
    const proof = `${program.hub}/v1/userNameProofByName?name=${name}`
    while ((await fetch(proof)).status !== 404) await new Promise(setImmediate)
    const username = `${program.hub}/v1/userDataByFid?fid=4&user_data_type=6`
    assert.equal((await fetch(username)).status, 404)
    assert.match(await fail('take-name', name, '--fid', '4', ...WHY), /is not registered/)
  })

  test('an export prints every message, and an erasure leaves none', async () => {
    const lines = (await succeed('export', '5')).trim().split('\n')
    assert.ok(lines.length > (await castsOf(5)).length)
    const rows = (await succeed('export-rows', '5')).trim().split('\n')
    assert.match(rows.join('\n'), /^custody \{"fid":5,/m)
    assert.match(await fail('erase', '5', ...WHY), /--yes/)
    await succeed('erase', '5', '--yes', ...WHY)
    assert.deepEqual(await castsOf(5), [])
    const state = async () =>
      (
        await fetch(`${program.operations}/moderation/accounts/5`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        })
      ).json() as Promise<{ erasing: boolean }>
    while ((await state()).erasing) await new Promise(setImmediate)
    assert.equal(await succeed('export', '5'), '')
  })

  test('reports are listed and resolved', async () => {
    assert.equal(await succeed('reports'), '')
    assert.match(await fail('resolve', '1000', ...WHY), /does not exist/)
  })
})
