import { openWholeStore } from '../src/store.ts'
// Merging is order-free: in any order of arrival, and with messages cut in any way into
// batches, the same rows, counters and lists remain. docs/decisions/0014-order-free-merging.md says what that
// does and does not cover.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { createLedger } from '../src/kernel/accounts/ledger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { Candidate } from '../src/kernel/hub/submit/candidate.ts'
import { mergeBatch } from '../src/kernel/hub/submit/merge.ts'
import type { Outcome } from '../src/kernel/hub/submit/run.ts'
import { buildMessage, type DataInit, userDataAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetKey,
  MESSAGE_SETS,
  reactionsByTargetKey,
  urlTargetKey,
  verificationsByAddressKey,
} from '../src/kernel/protocol/slots.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { MessageType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import {
  AUTHORS,
  arbitraryCompactions,
  arbitraryDraft,
  byTime,
  type Draft,
  honestCompactState,
  isRemoval,
  type Kept,
  messagesOf,
  modelOf,
  Scene,
  STORE_OF_KIND,
  TARGETS,
} from './message-sets.ts'
import { createDatabase } from './postgres.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import {
  accountEvents,
  createWorld,
  DEVNET,
  ENGINES,
  type EngineName,
  testAccount,
  WORLD_START_MS,
  type World,
} from './world.ts'

const seed = runSeed()
console.log(`merge order: TEST_SEED=${seed}`)

const { USER_DATA_PRIMARY_ADDRESS_ETHEREUM, USER_DATA_TYPE_USERNAME } = UserDataType
const NOW_MS = WORLD_START_MS
const START = networkTime(NOW_MS) - 1_000
/** What one unit of 2025 holds. */
const LIMITS = { casts: 100, links: 200, reactions: 200, verifications: 5 }
const NO_LIMITS = { casts: 1e6, links: 1e6, reactions: 1e6, verifications: 1e6 }
const RUNS = { sqlite: effort(6, 150), postgres: effort(3, 75) }
/** Room between the fids of one run and those of the next. */
const FIDS_PER_RUN = 1_000
const LONGEST_BATCH = 12

const setOfMessages = fc
  .record({
    drafts: fc.array(arbitraryDraft, { maxLength: 60, size: 'max' }),
    compactions: arbitraryCompactions,
    order: fc.integer(),
  })
  .map(({ drafts, compactions, order }) => ({
    order,
    drafts: [...drafts, ...compactions.map((one) => honestCompactState(drafts, one))],
  }))

for (const engine of ENGINES) {
  describe(`merging on ${engine}`, () => {
    let storage: Storage
    let drop: () => Promise<void>
    let nextFid = 1

    before(async () => {
      ;({ storage, drop } = await openEmpty(engine))
    })
    after(async () => {
      await storage.close()
      await drop()
    })

    async function newScene(units = 1): Promise<Scene> {
      const accounts = Array.from({ length: AUTHORS }, (_, i) => testAccount(nextFid + i))
      nextFid += FIDS_PER_RUN
      const ledger = createLedger({
        storage,
        clock: { now: () => NOW_MS },
        settings: { network: DEVNET },
      })
      const seconds = NOW_MS / 1000
      await ledger.importEvents(accounts.flatMap((one) => accountEvents(one, seconds, units)))
      return new Scene(accounts, START)
    }

    const merge = (candidates: readonly Candidate[], areStored = false) =>
      storage.write('hub', (tx) =>
        mergeBatch(tx, candidates, {
          nowMs: NOW_MS,
          network: DEVNET,
          storageEnds: true,
          enforceBlocks: false,
          limits: areStored ? undefined : {},
        }),
      )

    async function mergeInOrder(
      scene: Scene,
      drafts: readonly Draft[],
      random: Random,
      areStored = false,
    ) {
      const messages = messagesOf(scene, drafts)
      const candidates = random.shuffled(messages).map(({ draft }) => scene.candidate(draft))
      for (const batch of random.cut(candidates, LONGEST_BATCH)) {
        for (const outcome of await merge(batch, areStored)) checkRefusal(outcome)
      }
      await checkStore(storage, scene, modelOf(messages, areStored ? NO_LIMITS : LIMITS))
    }

    test('any order and any batching of a set of messages end in the same store', async () => {
      const check = fc.asyncProperty(setOfMessages, async ({ drafts, order }) => {
        const random = randomFrom(order)
        for (let permutation = 0; permutation < 2; permutation++) {
          await mergeInOrder(await newScene(), drafts, random)
        }
      })
      await fc.assert(check, { seed, numRuns: RUNS[engine] })
    })

    test('messages of a mirrored hub end in the same store in any order, without storage of their authors', async () => {
      const check = fc.asyncProperty(setOfMessages, async ({ drafts, order }) => {
        const random = randomFrom(order)
        for (let permutation = 0; permutation < 2; permutation++) {
          await mergeInOrder(await newScene(0), drafts, random, true)
        }
      })
      await fc.assert(check, { seed, numRuns: RUNS[engine] })
    })

    test('at the limit of a store ordered by time the newest winners stay', async () => {
      const random = randomFrom(seed)
      const drafts = Array.from({ length: 300 }, (): Draft => {
        const kind = random.int(4) === 0 ? 'unlink' : 'link'
        const target = random.int(250)
        return { kind, author: 0, at: random.int(50), type: 'follow', target }
      })
      for (let permutation = 0; permutation < 3; permutation++) {
        await mergeInOrder(await newScene(), drafts, random)
      }
    })

    test('at the limit of casts no more than the limit stays, and no cast beside its remove', async () => {
      const random = randomFrom(seed)
      const casts = Array.from({ length: 150 }, (_, text): Draft & { kind: 'cast' } => {
        return { kind: 'cast', author: 0, at: random.int(50), text, parent: 0, mentions: [] }
      })
      const removes = casts
        .filter(() => random.int(3) === 0)
        .map((cast): Draft => ({ kind: 'uncast', author: 0, at: random.int(50), cast }))
      const scene = await newScene()
      const messages = random.shuffled(messagesOf(scene, [...casts, ...removes]))
      const candidates = messages.map(({ message }) => Candidate.of(message))
      for (const batch of random.cut(candidates, LONGEST_BATCH)) {
        for (const outcome of await merge(batch)) checkRefusal(outcome)
      }
      const { fid } = scene.accounts[0]!
      const list = { fid, store: MESSAGE_SETS.casts, types: [1, 2] }
      const { items } = await storage.messages.listByFid(list, { size: 1_000 })
      assert.equal(items.length, LIMITS.casts)
      assert.equal(new Set(items.map(({ slot }) => toHex(slot))).size, LIMITS.casts)
    })

    test('one batch gives the same state as its messages one by one, with lost and regained claims', async () => {
      for (const together of [true, false]) {
        const scene = await newScene()
        const account = scene.accounts[0]!
        const address = scene.address(1)
        const name = scene.name(0)
        const at = (seconds: number) => scene.origin({ author: 0, at: seconds })
        const primary = (seconds: number) =>
          userDataAdd(at(seconds), USER_DATA_PRIMARY_ADDRESS_ETHEREUM, toHex(address))
        const username = (author: number, seconds: number): DataInit =>
          userDataAdd(scene.origin({ author, at: seconds }), USER_DATA_TYPE_USERNAME, name)
        const steps: Candidate[] = [
          scene.candidate({ kind: 'verify', author: 0, at: 1, address: 1 }),
          Candidate.of(buildMessage(primary(1), account.seed)),
          scene.candidate({ kind: 'unverify', author: 0, at: 2, address: 1 }),
          Candidate.of(buildMessage(primary(3), account.seed)),
          scene.candidate({ kind: 'verify', author: 0, at: 3, address: 1 }),
          Candidate.of(buildMessage(primary(2), account.seed)),
          scene.candidate({ kind: 'prove', author: 0, at: 1, name: 0 }),
          Candidate.of(buildMessage(username(0, 1), account.seed)),
          scene.candidate({ kind: 'prove', author: 1, at: 2, name: 0 }),
          Candidate.of(buildMessage(username(1, 1), scene.accounts[1]!.seed)),
          Candidate.of(buildMessage(username(0, 5), account.seed)),
          scene.candidate({ kind: 'prove', author: 0, at: 3, name: 0 }),
          Candidate.of(buildMessage(username(0, 4), account.seed)),
        ]
        const outcomes: Outcome[] = []
        for (const batch of together ? [steps] : steps.map((step) => [step])) {
          outcomes.push(...(await merge(batch)))
        }
        const refused = outcomes.flatMap((one, i) => (one instanceof Rejection ? [i] : []))
        assert.deepEqual(refused, [3, 10], 'what claims what its author does not hold')
        const profile = async (author: number) => {
          const { fid } = scene.accounts[author]!
          const list = { fid, store: MESSAGE_SETS.userData, types: [MessageType.USER_DATA_ADD] }
          const { items } = await storage.messages.listByFid(list, { size: 10 })
          return items.map(({ timestamp }) => timestamp - START)
        }
        assert.deepEqual([await profile(0), await profile(1)], [[2, 4], []])
      }
    })

    test('verify finds no difference after random merges', async () => {
      const report = await verifyStore(storage, { network: DEVNET })
      assert.deepEqual(report.examples, [])
      assert.ok(report.messages > 0)
    })
  })

  describe(`submitting on ${engine}`, () => {
    let world: World
    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_ENFORCE_BLOCKS: 'false' } })
    })
    after(() => world.close())

    test('any order and any concurrency of submits end in the same store', async () => {
      let nextFid = 1
      const check = fc.asyncProperty(setOfMessages, async ({ drafts, order }) => {
        const random = randomFrom(order)
        const accounts = await world.accounts([nextFid, nextFid + 1, nextFid + 2], { units: 1 })
        nextFid += FIDS_PER_RUN
        const scene = new Scene(accounts, START)
        const messages = messagesOf(scene, drafts.filter(isValid))
        const groups = random.cut(random.shuffled(messages), 2 * LONGEST_BATCH)
        for (const group of groups) await submitTogether(world, group, random)
        await checkStore(world.app.storage, scene, modelOf(messages, LIMITS))
        await checkHttp(world, scene, modelOf(messages, LIMITS))
      })
      await fc.assert(check, { seed, numRuns: 15 })
      const report = await verifyStore(world.app.storage, { network: DEVNET })
      assert.deepEqual(report.examples, [])
    })
  })
}

async function openEmpty(engine: EngineName) {
  const network = String(DEVNET)
  if (engine === 'postgres') {
    const { url, drop } = await createDatabase()
    return { storage: await openWholeStore({ databaseUrl: url, dataDir: '', network }), drop }
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-merge-'))
  const drop = async () => rmSync(dataDir, { recursive: true })
  return { storage: await openWholeStore({ dataDir, network }), drop }
}

/** Claims need a wallet's signature and names a resolver: those are merged directly only. */
function isValid(draft: Draft): boolean {
  if (draft.kind === 'link' || draft.kind === 'unlink') return draft.target !== draft.author
  if (draft.kind === 'compact')
    return draft.targets.length > 0 && !draft.targets.includes(draft.author)
  if (draft.kind === 'profile') return draft.type !== 7
  return !['verify', 'unverify', 'prove'].includes(draft.kind)
}

const REFUSALS = ['bad_request.duplicate', 'bad_request.conflict', 'bad_request.prunable']

function checkRefusal(outcome: unknown): void {
  if (outcome instanceof Rejection) assert.ok(REFUSALS.includes(outcome.code), outcome.message)
}

async function submitTogether(
  world: World,
  group: ReturnType<typeof messagesOf>,
  random: Random,
): Promise<void> {
  if (random.int(2) === 0) {
    const answers = await Promise.all(group.map(({ message }) => world.submit(message)))
    for (const { status, body } of answers) {
      assert.ok(status === 200 || REFUSALS.includes(body.errCode), JSON.stringify(body))
    }
    return
  }
  const response = await fetch(`${world.app.urls.hub}/v1/submitBulkMessages`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: encodeList(group.map(({ message }) => message)) as Uint8Array<ArrayBuffer>,
  })
  assert.equal(response.status, 200)
}

/** Rows, counters and every list of the store against the model. */
async function checkStore(storage: Storage, scene: Scene, kept: readonly Kept[]): Promise<void> {
  const { messages } = storage
  const all = { size: 1_000 }
  for (const [author, { fid }] of scene.accounts.entries()) {
    const own = kept.filter(({ draft }) => draft.author === author)
    for (const [name, store] of Object.entries(STORE_NUMBERS)) {
      const expected = own.filter(({ draft }) => STORE_OF_KIND[draft.kind] === name)
      const types = Array.from({ length: 20 }, (_, type) => type)
      const page = await messages.listByFid({ fid, store, types }, all)
      same(page.items, expected.toSorted(byTime), `${name} of author ${author}`)
      const [counter] = (await messages.usage([fid])).filter((usage) => usage.store === store)
      assert.equal(counter?.count ?? 0, expected.length, `counter of ${name}`)
    }
  }
  const adds = kept.filter(({ draft }) => !isRemoval(draft)).toSorted(byTimeAndAuthor)
  const about = async (what: string, target: Uint8Array, of: (draft: Draft) => boolean) => {
    const page = await messages.listByTargets([target], all)
    same(
      page.items,
      adds.filter(({ draft }) => of(draft)),
      what,
    )
  }
  for (let target = 0; target < TARGETS; target++) {
    const mentions = await messages.listByMention(scene.fid(target), all)
    const mentioning = adds.filter(
      ({ draft }) => draft.kind === 'cast' && draft.mentions.includes(target),
    )
    same(mentions.items, mentioning, `mentions of ${target}`)
    const { fid, hash } = scene.castId(target)
    const key = target === 3 ? urlTargetKey(scene.url(target)) : castTargetKey(fid, hash)
    await about(
      `replies to ${target}`,
      castsByParentKey(key),
      (draft) => target !== 0 && draft.kind === 'cast' && draft.parent === target,
    )
    for (const type of [1, 2]) {
      await about(
        `reactions ${type} to ${target}`,
        reactionsByTargetKey(type, key),
        (draft) => draft.kind === 'react' && draft.type === type && draft.target === target,
      )
    }
    for (const type of ['follow', 'block', 'a']) {
      await about(
        `links ${type} to ${target}`,
        linksByTargetKey(scene.fid(target), type),
        (draft) => draft.kind === 'link' && draft.type === type && draft.target === target,
      )
    }
  }
  for (let address = 0; address < 8; address++) {
    await about(
      `verifications of ${address}`,
      verificationsByAddressKey(scene.address(address)),
      (draft) => draft.kind === 'verify' && draft.address === address,
    )
  }
}

const STORE_NUMBERS = {
  casts: MESSAGE_SETS.casts,
  links: MESSAGE_SETS.links,
  reactions: MESSAGE_SETS.reactions,
  profiles: MESSAGE_SETS.userData,
  verifications: MESSAGE_SETS.verifications,
  proofs: MESSAGE_SETS.usernameProofs,
  'compact states': MESSAGE_SETS.linkCompactState,
}

const byTimeAndAuthor = (a: Kept, b: Kept) => byTime(a, b) || a.draft.author - b.draft.author

function same(
  rows: readonly { hash: Uint8Array }[],
  expected: readonly Kept[],
  what: string,
): void {
  const hashes = expected.map(({ hash }) => toHex(hash))
  assert.deepEqual(
    rows.map(({ hash }) => toHex(hash)),
    hashes,
    what,
  )
}

/** What clients read. */
async function checkHttp(world: World, scene: Scene, kept: readonly Kept[]): Promise<void> {
  const lists = { castsByFid: 'cast', reactionsByFid: 'react', linksByFid: 'link' }
  for (const [author, { fid }] of scene.accounts.entries()) {
    for (const [list, kind] of Object.entries(lists)) {
      const { body } = await world.get(`/v1/${list}?fid=${fid}&pageSize=1000`)
      const expected = kept.filter(({ draft }) => draft.author === author && draft.kind === kind)
      assert.deepEqual(
        body.messages.map(({ hash }: { hash: string }) => hash),
        expected.toSorted(byTime).map(({ hash }) => toHex(hash)),
        `${list} of ${author}`,
      )
    }
  }
}
