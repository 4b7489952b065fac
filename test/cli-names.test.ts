// Names on the command line.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  advanceClock,
  type Commands,
  createPlace,
  type Env,
  type Program,
  startCommands,
  startProgram,
} from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
const json = async (response: Response): Promise<any> => response.json()

describe('names on the command line', { concurrency: 1 }, () => {
  let program: Program
  let commands: Commands
  let env: Env
  let remove: () => Promise<void>
  before(async () => {
    const place = await createPlace('sqlite')
    remove = place.remove
    program = await startProgram('start', place.env)
    env = program.client
    commands = startCommands()
  })
  after(async () => {
    commands.stop()
    await program.stop()
    await remove()
  })

  const succeed = async (...args: string[]) => {
    const result = await commands.run(env, ...args)
    assert.equal(result.code, 0, result.stderr)
    return result.stdout
  }
  const fail = async (...args: string[]) => {
    const result = await commands.run(env, ...args)
    assert.equal(result.code, 1, result.stdout)
    return result.stderr
  }

  it('name register takes a name and sets it as the username', async () => {
    const { fid } = JSON.parse(await succeed('account', 'create', '--json'))
    assert.match(await succeed('name', 'register', 'newcomer'), /newcomer registered by fid 11\n/)
    const proof = await fetch(`${program.hub}/v1/userNameProofByName?name=newcomer`)
    assert.equal((await json(proof)).fid, fid)
    const profile = await fetch(`${program.hub}/v1/userDataByFid?fid=${fid}&user_data_type=6`)
    assert.equal((await json(profile)).data.userDataBody.value, 'newcomer')
  })

  it('name register --reserve takes a name without setting the username', async () => {
    const { fid } = JSON.parse(await succeed('account', 'create', '--json'))
    const printed = JSON.parse(
      await succeed('name', 'register', 'quiet', '--reserve', '--json', '--fid', `${fid}`),
    )
    assert.deepEqual([printed.username, printed.to], ['quiet', fid])
    const profile = await fetch(`${program.hub}/v1/userDataByFid?fid=${fid}&user_data_type=6`)
    assert.equal(profile.status, 404)
  })

  it('a refused name command says what to do', async () => {
    // A name that is older than the time in which its holder may release it.
    await advanceClock(program, 86_401)
    assert.match(await fail('name', 'register', 'raven'), /raven.*held by fid 2|release that first/)
    assert.match(
      await fail('name', 'release', 'rook', '--fid', '1'),
      /you can transfer or release it from \d\d \w{3} 2\d{3}, \d\d:\d\d UTC/,
    )
    assert.match(await fail('name', 'history'), /give a name or --fid/)
  })

  it('a received name can be released at once, and its history shows every transfer', async () => {
    await advanceClock(program, 28 * 86_400)
    await succeed('account', 'create', '--json')
    await succeed('name', 'transfer', 'heron', '13', '--fid', '3')
    await advanceClock(program, 2) // a name changes once a second at most
    await succeed('name', 'release', 'heron', '--fid', '13')
    const history = (await succeed('name', 'history', 'heron')).trim().split('\n')
    const what = history.map((line) => line.split(' ').slice(2).join(' '))
    assert.deepEqual(what, [
      'heron registered by fid 3',
      'heron transferred from fid 3 to fid 13',
      'heron released by fid 13',
    ])
    assert.match(
      await succeed('name', 'history', '--fid', '13'),
      /^\d+ \S+ heron transferred[\s\S]*released/,
    )
  })
})
