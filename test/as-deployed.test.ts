// Clients that are built for the deployed network, unmodified, against `rookery start --as-deployed`.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import * as core from '@farcaster/core'
import { HubRestAPIClient, UserDataType } from '@standard-crypto/farcaster-js-hub-rest'
import axios from 'axios'
import { AS_DEPLOYED, withDefaults } from '../src/cli/as-deployed.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { storageGrows } from '../src/kernel/accounts/settings.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { createPlace, type Env, type Program, ROOT, rookery, startProgram } from './program.ts'

const OPTIONS = { fid: 1, network: core.FarcasterNetwork.MAINNET }
const SEED = devAccount(0).appSeed

describe('a development network as deployed', { concurrency: 1 }, () => {
  let program: Program
  let env: Env
  let remove: () => Promise<void>
  before(async () => {
    ;({ env, remove } = await createPlace('sqlite'))
    // From the sources, as in a clone: its banner names the commands of a clone.
    program = await startProgram('start', env, ['--as-deployed'], ROOT)
  })
  after(async () => {
    await program.stop()
    await remove()
  })

  test('/v1/info names the network of its messages', async () => {
    const info = await (await fetch(`${program.hub}/v1/info`)).json()
    assert.equal((info as { network: string }).network, 'mainnet')
  })

  test('hub-rest writes and removes casts, reactions and follows, and reads them', async () => {
    const client = new HubRestAPIClient({ hubUrl: program.hub, axiosInstance: axios.create() })
    const signer = toHex(SEED)
    const cast = await client.submitCast({ text: 'from hub-rest' }, 1, signer)
    assert.equal(cast.data.network, 'FARCASTER_NETWORK_MAINNET')
    const target = { fid: 1, hash: cast.hash }
    await client.submitReaction({ type: 'like', target }, 1, signer)
    await client.removeReaction({ type: 'like', target }, 1, signer)
    await client.followUser(9, 1, signer)
    await client.unfollowUser(9, 1, signer)
    assert.deepEqual(await client.getCastById(target), cast)
    await client.removeCast(cast.hash, 1, signer)
    assert.equal(await client.getCastById(target), null)
    const name = await client.getSpecificUserDataByFid(1, UserDataType.Username)
    assert.equal(name?.data.userDataBody.value, 'rook')
  })

  test('@farcaster/core signs a cast that is stored, and reads the JSON back as the same message', async () => {
    const signer = new core.NobleEd25519Signer(SEED)
    const body = { text: 'from core', embeds: [], embedsDeprecated: [], mentions: [], type: 0 }
    const cast = await core.makeCastAdd({ ...body, mentionsPositions: [] }, OPTIONS, signer)
    const message = cast._unsafeUnwrap()
    const stored = await post('/v1/submitMessage', core.Message.encode(message).finish())
    // The same generated reader is in frames.js and frog; it takes bytes from base64 alone.
    assert.deepEqual(core.MessageData.fromJSON(stored.data), message.data)
  })

  test('a validated frame action has url, input text and state as frame servers read them', async () => {
    const frame = {
      url: Buffer.from('https://frame.example/?a=ü'),
      buttonIndex: 2,
      inputText: Buffer.from('typed 🐦'),
      state: Buffer.from('{"page":1}'),
      castId: { fid: 1, hash: new Uint8Array(20).fill(7) },
      transactionId: Buffer.alloc(0),
      address: Buffer.alloc(0),
    }
    const signer = new core.NobleEd25519Signer(SEED)
    const action = (await core.makeFrameAction(frame, OPTIONS, signer))._unsafeUnwrap()
    const reply = await post('/v1/validateMessage', core.Message.encode(action).finish())
    assert.equal(reply.valid, true)
    const read = core.Message.fromJSON(reply.message).data?.frameActionBody
    assert(read)
    for (const field of ['url', 'inputText', 'state'] as const) {
      assert.equal(Buffer.from(read[field]).toString(), frame[field].toString(), field)
    }
    assert.equal(read.buttonIndex, 2)
  })

  test('every command that the banner prints works as printed', async () => {
    const commands = bannerCommands(program.output.stdout)
    assert.equal(commands.length, 3)
    for (const command of commands) {
      const { code, output } = await shell(command)
      assert.equal(code, 0, `${command}\n${output}`)
      assert.match(output, /FARCASTER_NETWORK_MAINNET|is stored/, command)
    }
  })

  test('a command needs no --network, and one of another network is told what to set', async () => {
    const posted = await rookery(program.client, 'cast', 'plain', '--fid', '1')
    assert.equal(posted.code, 0, posted.stderr)
    const other = await rookery(program.client, 'cast', 'x', '--fid', '1', '--network', 'devnet')
    assert.equal(other.code, 1)
    assert.match(other.stderr, /incorrect network: 3 \(expected: 1\); sign for mainnet, or start/)
  })

  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
  async function post(path: string, bytes: Uint8Array): Promise<any> {
    const headers = { 'content-type': 'application/octet-stream' }
    const body = bytes as Uint8Array<ArrayBuffer>
    const answer = await fetch(program.hub + path, { method: 'POST', headers, body })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
})

test('the option --as-deployed sets only defaults, which the environment overrides', () => {
  const env = { ROOKERY_NETWORK: 'testnet', ROOKERY_JSON: '', OTHER: 'x' }
  assert.deepEqual(withDefaults(AS_DEPLOYED, env), {
    ...AS_DEPLOYED,
    ROOKERY_NETWORK: 'testnet',
    OTHER: 'x',
  })
})

test('storage grows on a ledger, and not with --as-deployed, of a chain, of a mirror or where one has ended', () => {
  const grows = (env: Env) => storageGrows(readConfig(env, 'development'))
  const chain = { ROOKERY_CHAIN_RPC_URLS: 'http://127.0.0.1:8545' }
  const mirror = { ROOKERY_MIRROR_URLS: 'grpc://127.0.0.1:3383' }
  const asked = { ROOKERY_STORAGE_GROWS: 'on' }
  assert.equal(grows({}), true)
  assert.equal(grows({ ROOKERY_STORAGE_GROWS: 'off' }), false)
  assert.equal(grows(withDefaults(AS_DEPLOYED, {}) as Env), false)
  assert.equal(grows(withDefaults(AS_DEPLOYED, asked) as Env), true)
  for (const source of [chain, mirror, { ROOKERY_MIRROR_ENDED: 'yes' }]) {
    for (const env of [source, { ...source, ...asked }]) {
      assert.equal(grows(env), false, JSON.stringify(env))
    }
  }
})

/** Commands stand in lines that begin with curl or npm; a line that ends in | goes on in the next one. */
function bannerCommands(text: string): string[] {
  const joined = text.replaceAll(/\|\n\s+/g, '| ')
  return joined.split('\n').flatMap((line) => /^ +((?:curl|npm) .*)$/.exec(line)?.[1] ?? [])
}

async function shell(script: string): Promise<{ code: number; output: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent' }
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      output += part
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
