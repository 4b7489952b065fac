// Published clients of other languages and of packages that this project does not depend on, unmodified, against a hub:
// test/client-programs has a program with each. TEST_LONG=1 installs their pinned versions into a temporary folder.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { frameAction } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { appAccountEvents } from './app-account.ts'
import { findProgram } from './debian.ts'
import { LONG } from './effort.ts'
import { accepted, inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'
import { testAccount, type World } from './world.ts'

const PROGRAMS = join(ROOT, 'test', 'client-programs')
const FRAME_URL = 'https://frame.example/'
const FID = 51
const APP_FID = 9_152
const BUTTON = 2
const start = promisify(execFile)

if (LONG) {
  inWorld('published clients in programs of their own', clients, { startMs: Date.now() })
} else {
  test('published clients in programs of their own', {
    skip: 'TEST_LONG=1 installs them',
  }, () => {})
}

function clients(world: () => World) {
  const author = testAccount(FID)
  const stranger = testAccount(FID + 1)
  let place: string
  let python: string
  let given: string
  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'rookery-client-programs-'))
    cpSync(PROGRAMS, place, { recursive: true })
    const seconds = Math.floor(world().clock.now() / 1_000)
    await world().app.ledger!.importEvents(appAccountEvents(author, seconds, APP_FID))
    await world().account(stranger.fid)
    given = JSON.stringify({
      hub: world().app.urls.hub,
      grpc: world().app.urls.grpc,
      fid: FID,
      seed: toHex(author.seed),
      otherSeed: toHex(stranger.seed),
      // The second one is signed by a key that its fid does not have.
      frames: [author.seed, stranger.seed].map((seed) => pressed(world(), seed)),
    })
    await Promise.all([installPython(), npm('install', '--no-audit', '--no-fund')])
  })
  after(() => rmSync(place, { recursive: true, force: true }))

  const npm = (...args: string[]) => start('npm', args, { cwd: join(place, 'node') })
  async function installPython() {
    const folder = join(place, 'python')
    await start('python3', ['-m', 'venv', join(folder, 'venv')])
    python = join(folder, 'venv', 'bin', 'python')
    const requirements = join(folder, 'requirements.txt')
    await start(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements])
  }
  /** What a program prints, which is one line of JSON. */
  async function printed(command: string, ...args: string[]) {
    const { stdout } = await start(command, [...args, given])
    return JSON.parse(stdout)
  }
  const inPython = (name: string) => printed(python, join(place, 'python', name))
  const inNode = (name: string) => printed(process.execPath, join(place, 'node', name))
  const texts = async () => {
    const { messages } = accepted(await world().get(`/v1/castsByFid?fid=${FID}`))
    return messages.map((one: { data: { castAddBody: { text: string } } }) => {
      return one.data.castAddBody.text
    }) as string[]
  }
  const version = async () => accepted(await world().get('/v1/info')).version

  test('farcaster-py signs a cast, submits it and reads it back', async () => {
    const seen = await inPython('farcaster_py.py')
    assert.deepEqual(seen, { text: 'from farcaster-py', listed: true })
    assert.ok((await texts()).includes('from farcaster-py'))
  })

  test('fc-nmap reads the description of a hub, which has no peers', async () => {
    const seen = await inPython('fc_nmap_client.py')
    assert.deepEqual(seen, { version: await version(), peers: 0 })
  })

  test('framelib takes a press that the person has signed, and refuses a forged one', async () => {
    const [taken, forged] = await inPython('framelib_frame.py')
    assert.deepEqual(taken, { fid: FID, button: BUTTON })
    assert.match(forged.refused, /invalid/)
  })

  test('frog answers a press that the person has signed, and refuses a forged one', async () => {
    const [taken, forged] = await inNode('frog.mjs')
    assert.deepEqual(taken, { ok: true, image: `${FID}-${BUTTON}` })
    assert.equal(forged.ok, false)
  })

  test('@farcaster/frame-node verifies a signature of an app key, and refuses one of another key', async () => {
    const seen = await inNode('frame-node.mjs')
    const refused = 'VerifyJsonFarcasterSignature.InvalidAppKeyError'
    assert.deepEqual(seen, { fid: FID, appFid: APP_FID, refused })
  })

  test('fhub signs a cast and submits it', async () => {
    const { hash } = await inNode('fhub.mjs')
    const cast = accepted(await world().get(`/v1/castById?fid=${FID}&hash=${hash}`))
    assert.equal(cast.data.castAddBody.text, 'from fhub')
  })

  test('farcaster-go signs a cast, submits it and reads it back', async (t) => {
    // The compiler of Debian is older than the module asks for.
    const go = await findProgram(['go'], undefined).catch(() => undefined)
    if (!go) return t.skip('go is not installed')
    const cwd = join(place, 'go')
    await start(go, ['build', '-o', 'client', '.'], { cwd })
    const seen = await printed(join(cwd, 'client'))
    assert.deepEqual(seen, { version: await version(), text: 'from farcaster-go', listed: true })
  })

  test('hub-rs reads the description of a hub and the casts of a fid', async (t) => {
    // The compiler of Debian is older than what the packages below hub-rs ask for.
    const cargo = await findProgram(['cargo'], undefined).catch(() => undefined)
    if (!cargo) return t.skip('cargo is not installed')
    await findProgram(['protoc'], 'protobuf-compiler')
    const manifest = join(place, 'rust', 'Cargo.toml')
    const seen = await printed(cargo, 'run', '--quiet', '--manifest-path', manifest, '--')
    assert.deepEqual(seen, { version: await version(), texts: await texts() })
    assert.ok(seen.texts.length > 0)
  })
}

/** What a client of frames sends to a frame's server after a press. */
function pressed(world: World, seed: Uint8Array) {
  const castId = { fid: BigInt(FID), hash: Buffer.alloc(20, 7) }
  const origin = world.origin(testAccount(FID))
  const action = { url: Buffer.from(FRAME_URL), buttonIndex: BUTTON, castId }
  const message = world.sign({ ...testAccount(FID), seed }, frameAction(origin, action))
  return {
    untrustedData: {
      fid: FID,
      url: FRAME_URL,
      messageHash: toHex(message.hash),
      timestamp: world.clock.now(),
      network: 1,
      buttonIndex: BUTTON,
      castId: { fid: FID, hash: toHex(castId.hash) },
    },
    trustedData: { messageBytes: toHex(encodeMessage(message)).slice(2) },
  }
}
