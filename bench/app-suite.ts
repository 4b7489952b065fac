// A test suite as developers of apps write one, with node:test and a network of its own. bench/suites.ts starts it several times.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { treeSeconds } from '../scripts/processor-time.ts'
import {
  castAdd,
  createNetwork,
  keySigner,
  linkAdd,
  reactionAdd,
  signMessage,
  userData,
} from '../src/client/index.ts'
import { type Network, startNetwork } from '../src/testing/index.ts'

const { SUITE_TESTS, SUITE_FROM, SUITE_SEED, SUITE_REVERTS, DATABASE_URL } = process.env
const POLL_MS = 2
/** A minute and more, on a machine that is busy. */
const POLLS = 20_000
const KEY = { 'x-api-key': 'development' }

let network: Network
let api: ReturnType<typeof createNetwork>
let begun: { readonly ms: number; readonly cpuSeconds: number } | undefined

before(async () => {
  network = await startNetwork({
    env: { ROOKERY_LOG_LEVEL: 'fatal', ...(DATABASE_URL && { DATABASE_URL }) },
    ...(SUITE_FROM && { from: SUITE_FROM }),
  })
  api = createNetwork({ url: network.urls.web })
  if (SUITE_SEED) await network.seed(SUITE_SEED as 'small')
  const base = await network.snapshot('base')
  // The first requests of a server take longer than the others.
  for (let n = 0; n < 10; n++) await publishesAndReads(n)
  await network.revert(base)
  // With the one that counts.
  process.once('disconnect', () => process.exit(1))
  process.send!('ready')
  await once(process, 'message')
  begun = { ms: performance.now(), cpuSeconds: treeSeconds(process.pid) }
})
if (SUITE_REVERTS) beforeEach(() => network.revert('base'))
after(async () => {
  // The network did not start.
  if (!begun) return network?.stop()
  const ms = performance.now() - begun.ms
  const cpuSeconds = treeSeconds(process.pid) - begun.cpuSeconds
  await network.stop()
  process.send!({ ms, cpuSeconds })
  process.removeAllListeners('disconnect').disconnect!()
})

/** What tests of an app do. */
const KINDS = [publishesAndReads, answers, likesAndFollows, editsProfile, opensPage]

for (let n = 0; n < Number(SUITE_TESTS); n++) {
  const run = KINDS[n % KINDS.length]!
  test(`${run.name} works as person ${n}`, () => run(n))
}

async function publishesAndReads(n: number): Promise<void> {
  const { fid } = person(n)
  const text = `Post ${n} of a suite`
  await publish(fid, castAdd({ text }))
  await shown(`/feed/user/casts?fid=${fid}&limit=5`, text)
  await read(`/user/bulk?fids=${fid}`)
  await read(`/notifications?fid=${fid}`)
}

async function answers(n: number): Promise<void> {
  const [one, other] = [person(n).fid, person(n + 1).fid]
  const hash = await publish(one, castAdd({ text: `Question ${n}` }))
  const text = `Answer ${n}`
  await publish(other, castAdd({ text, parent: { fid: one, hash } }))
  await shown(`/cast/conversation?identifier=${hash}&type=hash&reply_depth=2`, text)
  await shown(`/notifications?fid=${one}`, text)
}

async function likesAndFollows(n: number): Promise<void> {
  const [one, other] = [person(n).fid, person(n + 1).fid]
  const hash = await publish(one, castAdd({ text: `Liked ${n}` }))
  await publish(other, reactionAdd('like', { fid: one, hash }))
  await publish(other, linkAdd('follow', one))
  await shown(`/feed/following?fid=${other}`, `Liked ${n}`)
  await read(`/notifications?fid=${one}`)
}

async function editsProfile(n: number): Promise<void> {
  const { fid, name } = person(n)
  const bio = `Biography ${n}`
  await publish(fid, userData('bio', bio))
  await shown(`/user/bulk?fids=${fid}`, bio)
  await read(`/user/search?q=${name}`)
  await read(`/feed/for_you?fid=${fid}`)
}

async function opensPage(n: number): Promise<void> {
  const { fid, name } = person(n)
  const hash = await publish(fid, castAdd({ text: `Seen ${n}` }))
  await shown(`/cast?identifier=${hash}&type=hash`, `Seen ${n}`)
  for (const path of [`/@${name}`, `/cast/${hash}`]) {
    const response = await fetch(network.urls.web + path)
    assert.equal(response.status, 200)
    await response.text()
  }
}

const person = (n: number) => network.accounts[n % network.accounts.length]!

async function publish(fid: number, body: Parameters<typeof signMessage>[0]): Promise<string> {
  const signer = await keySigner(network.accounts.find((one) => one.fid === fid)!.appPrivateKey)
  const { bytes, hash } = await signMessage(body, { fid, network: 'devnet' }, signer)
  await api.hub.post('/v1/submitMessage', bytes)
  return hash
}

async function read(path: string): Promise<string> {
  const response = await fetch(`${network.urls.app}/v2/farcaster${path}`, { headers: KEY })
  const text = await response.text()
  assert.ok(response.ok, `${path}: ${text}`)
  return text
}

/** The views follow the hub a moment later. */
async function shown(path: string, text: string): Promise<void> {
  for (let n = 0; n < POLLS; n++) {
    const found = await read(path).catch(() => '')
    if (found.includes(text)) return
    await sleep(POLL_MS)
  }
  assert.fail(`${path} never shows ${text}: ${await read(path)}`)
}
