// Votes under kill -9: what was acknowledged counts afterwards, and once.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { pollRows, votesIn } from '../src/features/polls/tables/polls.ts'
import { createLedger } from '../src/kernel/accounts/ledger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { signJfs, signToken } from '../src/kernel/platform/sign.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { createPlace, type Env, type Program, startProgram } from './program.ts'
import { accountEvents, DEVNET, ENGINES, type TestAccount, testAccount } from './world.ts'

const KILLS = effort(1, 10)
const VOTERS = 40
/** Votes that are acknowledged before the program is killed, while others are under way. */
const ACKNOWLEDGED = 15
const ANSWERS = ['Yes', 'No'] as const
/** Of the settings, as votes name it; the program has another port. */
const ORIGIN = 'http://127.0.0.1:2290'

const nowSeconds = () => Math.floor(Date.now() / 1_000)

describe('killing a program in which people vote', { concurrency: ENGINES.length }, () => {
  for (const engine of ENGINES) {
    test(`votes survive a program that is killed on ${engine}, and count once`, async (t) => {
      const place = await createPlace(engine)
      t.after(place.remove)
      const env = {
        ...place.env,
        ROOKERY_NETWORK: 'devnet',
        ROOKERY_PUBLIC_URL: ORIGIN,
        ROOKERY_LOG_LEVEL: 'fatal',
      }
      await inStore(env, addAccounts)
      const voters = Array.from({ length: VOTERS }, (_, i) => testAccount(i + 1))
      const promised = new Map<number, Promised>()
      let id = ''
      for (let round = 0; round < KILLS; round++) {
        const program = await startProgram('serve', env)
        t.after(() => void program.child.kill('SIGKILL'))
        id ||= await makePoll(program)
        let acknowledged = 0
        const enough = Promise.withResolvers<void>()
        const voting = voters.map(async (voter, i) => {
          // Some vote again, for another answer.
          for (let n = 0; n < 1 + (i % 3); n++) {
            const answer = ANSWERS[(i + n + round) % 2]!
            const known = promised.get(voter.fid) ?? { counted: undefined, asked: [] }
            promised.set(voter.fid, { ...known, asked: [...known.asked, answer] })
            if (!(await vote(program, voter, id, answer))) return
            promised.set(voter.fid, { counted: answer, asked: [] })
            acknowledged += 1
            if (acknowledged === ACKNOWLEDGED) enough.resolve()
          }
        })
        await enough.promise
        await program.stop('SIGKILL')
        await Promise.all(voting)
      }
      await inStore(env, async (storage) => {
        const rows = storage.of(pollRows)
        let votes = 0
        for (const [fid, { counted, asked }] of promised) {
          const stored = await rows.voteOf(id, fid)
          const chosen = stored && ANSWERS[stored.answer - 1]
          if (chosen) votes += 1
          // What was cut off may have been stored or not.
          assert.ok([counted, ...asked].includes(chosen), `fid ${fid}: ${chosen} is stored`)
        }
        const poll = await rows.find(id)
        assert.equal(votesIn(poll!), votes)
        assert.ok(votes > 0, 'people voted before the program was killed')
        assert.deepEqual((await verifyStore(storage, { network: DEVNET })).examples, [])
      })
    })
  }
})

type Promised = {
  /** The last answer that was acknowledged. */
  readonly counted: string | undefined
  /** Since then. */
  readonly asked: readonly string[]
}

async function inStore(env: Env, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStore(readConfig(env, 'production'))
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

async function addAccounts(storage: Storage): Promise<void> {
  const clock = { now: () => Date.now() }
  const ledger = createLedger({ storage, clock, settings: { network: DEVNET } })
  for (let fid = 1; fid <= VOTERS; fid++) {
    await ledger.importEvents(accountEvents(testAccount(fid), nowSeconds(), 1))
  }
}

async function makePoll({ platform }: Program): Promise<string> {
  const token = signToken(testAccount(1), {
    expiresAt: nowSeconds() + 300,
    audience: `${ORIGIN}/platform`,
  })
  const response = await fetch(`${platform}/fc/polls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ question: 'Is it on?', answers: ANSWERS, seconds: 86_400 }),
  })
  assert.equal(response.status, 200, await response.clone().text())
  // biome-ignore lint/suspicious/noExplicitAny: one field is read
  return ((await response.json()) as any).result.poll.id
}

/** Whether the vote was acknowledged; false when the program is gone. */
async function vote({ web }: Program, voter: TestAccount, id: string, answer: string) {
  const { fid } = voter
  const body = signJfs(voter, {
    ...{ fid, user: { fid }, timestamp: nowSeconds(), audience: ORIGIN },
    inputs: { [`answer-${id}`]: answer },
    surface: { type: 'standalone' },
  })
  try {
    const response = await fetch(`${web}/polls/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return true
  } catch (failure) {
    if (failure instanceof assert.AssertionError) throw failure
    return false
  }
}
