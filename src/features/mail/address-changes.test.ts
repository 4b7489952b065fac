import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openStore } from '../../../test/storage-support.ts'
import { ENGINES } from '../../../test/world.ts'
import { ENGLISH } from '../../kernel/base/languages/languages.ts'
import { translator } from '../../kernel/http/translator.ts'
import type { Sql } from '../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../kernel/storage/rows.ts'
import { pushNotice } from '../push/push-notice.ts'
import { PUSH_WAITING, pushRows } from '../push/tables/pushes.ts'
import { AddressChanges, CHANGE_WAIT_MS, changeLocks, noteMailOff } from './address-changes.ts'
import { takeHolder, takePresentAddress } from './present-address.ts'
import { MailQueue } from './queue.ts'
import { mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

const FID = 7
const CUSTODY = new Uint8Array(20).fill(1)
const OTHER = new Uint8Array(20).fill(2)
const [OLD, NEXT] = ['old@example.org', 'next@example.org']
const CALLED = '@dipper'
const sayTo = async () => () => translator(ENGLISH)
const queue = new MailQueue(sayTo, async () => true)
/** What waits for devices, in the order of its texts. */
const notices = (sql: Sql) => async (): Promise<{ title: string; body: string }[]> =>
  (await PUSH_WAITING.select(sql, '', [])).map(({ payload }) => JSON.parse(payload))
const noticeRows = rowsOf(notices, ({ sql }) => notices(sql))

const custodyRow = (fid: number, address: Uint8Array) => ({
  ...{ fid, address, block_number: 1, log_index: 0 },
  ...{ recovery: new Uint8Array(20), recovery_block: -1, recovery_log: 0 },
})

for (const engine of ENGINES) {
  /** An account with an address, and the changes of a server that pushes nothing. */
  const start = async (t: TestContext, owner = CUSTODY) => {
    const storage = await openStore(t, engine)
    const state = {
      now: 1_000_000,
      token: '',
      refused: '',
      told: 0,
      isOn: true,
      moving: [FID],
      untold: 0,
    }
    const changes = new AddressChanges({
      storage,
      publicUrl: 'https://social.example',
      queue,
      isOn: async () => state.isOn,
      page: (_, token) => {
        state.token = token
        return `https://social.example/mail#change=${token}`
      },
      pushes: () => undefined,
      isRefused: async (_, address) => address === state.refused,
      called: async () => CALLED,
      tellMoves: async (_, fid) => {
        if (fid === state.untold) throw new Error('nobody can be told')
        state.told++
      },
      moving: async (after) => state.moving.filter((fid) => fid > after),
      nowMs: () => state.now,
    })
    const add = (fid: number, address: string, custody = CUSTODY) =>
      storage.write(changeLocks(fid), async (tx) => {
        await tx.accounts.putCustodies([custodyRow(fid, fid === FID ? owner : custody)])
        await changes.addFirst(tx, { fid, address, custody })
      })
    await add(FID, OLD)
    const begin = (address: string | null, fid = FID) =>
      storage.write(changeLocks(fid), async (tx) =>
        changes.begin(tx, (await tx.of(mailAddressRows).find(fid))!, { address, called: CALLED }),
      )
    const due = () => {
      state.now += CHANGE_WAIT_MS
      const signal = new AbortController().signal
      return changes.job.run({ signal, lease: undefined, repeatAfter: () => {} })
    }
    return { storage, state, changes, add, begin, due, rows: storage.of(mailAddressRows) }
  }

  test(`a choice does not bring back an address that an erasure removes meanwhile, on ${engine}`, async (t) => {
    const { storage, rows } = await start(t)
    const removed = Promise.withResolvers<void>()
    const chosen = Promise.withResolvers<void>()
    const erasing = storage.write('hub', async (tx) => {
      await tx.of(mailAddressRows).remove(FID)
      removed.resolve()
      // On SQLite there is one writer: the choice waits for the erasure.
      if (engine === 'postgres') await Promise.race([chosen.promise, setTimeout(500)])
    })
    await removed.promise
    const choosing = storage.write('all/mails', async (tx) => {
      const choice = tx.of(mailAddressRows).choose(FID, { digest: 'off', digest_due: null })
      chosen.resolve()
      await choice
    })
    await Promise.all([erasing, choosing])
    assert.equal(await rows.find(FID), undefined)
  })

  test(`an address that an earlier owner has left is deleted, and its reader decides about nothing, on ${engine}`, async (t) => {
    const { storage, state, changes, begin, due, rows } = await start(t, OTHER)
    await begin(NEXT)
    await assert.rejects(changes.end(state.token, 'stop'), { code: 'not_found' })
    assert.equal(await rows.find(FID), undefined)
    await due()
    assert.equal(await rows.find(FID), undefined)
    const counts = await storage.write(changeLocks(FID), async (tx) => {
      await changes.addFirst(tx, { fid: FID, address: OLD, custody: CUSTODY })
      return [await takePresentAddress(tx, FID), await takeHolder(tx, OLD)]
    })
    assert.deepEqual(counts, [undefined, undefined])
  })

  test(`a change that cannot be made says so, and tells the account why, on ${engine}`, async (t) => {
    const { storage, state, changes, add, begin, due, rows } = await start(t)
    const mails = () => storage.of(mailRows).due(state.now, 10)
    await begin(NEXT)
    await add(8, NEXT)
    const told = state.told
    await assert.rejects(changes.end(state.token, 'now'), { code: 'bad_request.conflict' })
    assert.deepEqual([(await rows.find(FID))!.address, await rows.change(FID)], [OLD, undefined])
    assert.match((await mails()).at(-1)!.content, /Nothing was changed/)
    // Who has refused an address after it was confirmed by mistake does not get it after the wait either.
    await begin('mistaken@example.org')
    state.refused = 'mistaken@example.org'
    await due()
    assert.equal((await rows.find(FID))!.address, OLD)
    assert.equal(state.told, told)
    // A new address is told of the moves that wait.
    await begin('free@example.org')
    await due()
    assert.equal((await rows.find(FID))!.address, 'free@example.org')
    assert.equal(state.told, told + 1)
  })

  test(`while no mail is sent an address is only removed, and what waits begins anew with the next mail server, on ${engine}`, async (t) => {
    const { storage, state, changes, add, begin, due, rows } = await start(t)
    await begin(NEXT)
    const before = state.token
    state.isOn = false
    await add(8, 'eight@example.org')
    await begin(null, 8)
    await due()
    assert.equal(await rows.find(8), undefined)
    assert.equal((await rows.find(FID))!.address, OLD)
    const waits = async () => (await rows.change(FID))!.due - state.now
    const { told } = state
    state.isOn = true
    await due()
    assert.equal(await waits(), CHANGE_WAIT_MS)
    assert.equal(state.told, told + 1)
    const mails = await storage.of(mailRows).due(state.now, 10)
    assert.ok(mails.some(({ content }) => content.includes(state.token)))
    await assert.rejects(changes.end(before, 'stop'), { code: 'not_found' })
    // A mail server that was there again before anybody has looked.
    await storage.write('hub', noteMailOff)
    await due()
    assert.equal(await waits(), CHANGE_WAIT_MS)
    await due()
    assert.equal((await rows.find(FID))!.address, NEXT)
  })

  test(`an account that cannot be told with the next mail server keeps its address, and no other waits for it, on ${engine}`, async (t) => {
    const { storage, state, changes, add, begin, due, rows } = await start(t)
    await add(8, 'eight@example.org')
    await begin(NEXT)
    const { token } = state
    await begin('new@example.org', 8)
    await storage.write('hub', noteMailOff)
    state.untold = FID
    await assert.rejects(due(), /nobody can be told/)
    assert.equal(await rows.change(FID), undefined)
    await assert.rejects(changes.end(token, 'now'), { code: 'not_found' })
    assert.equal((await rows.change(8))!.due - state.now, CHANGE_WAIT_MS)
    await due()
    assert.equal((await rows.find(8))!.address, 'new@example.org')
    assert.equal((await rows.find(FID))!.address, OLD)
  })

  test(`devices are told when an address is added, about to change, kept, changed and removed, and choices stay with the account, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    let now = 1_000_000
    let isOn = true
    const changes = new AddressChanges({
      storage,
      publicUrl: 'https://social.example',
      queue,
      isOn: async () => isOn,
      page: (what, token) => `https://social.example/mail#${what}=${token}`,
      pushes: () => ({
        notify: pushNotice,
        tell: (tx, { texts, mail: _, ...notice }, at) =>
          pushNotice(tx, { ...notice, ...texts(translator(ENGLISH)), kind: 'account' }, at),
        announce: async () => {},
        fidsWithDevices: async () => new Set(),
      }),
      isRefused: async () => false,
      called: async () => CALLED,
      tellMoves: async () => {},
      moving: async () => [],
      nowMs: () => now,
    })
    const run = () =>
      changes.job.run({
        signal: new AbortController().signal,
        lease: undefined,
        repeatAfter: () => {},
      })
    const rows = storage.of(mailAddressRows)
    const begin = (address: string | null) =>
      storage.write(changeLocks(FID), async (tx) => {
        const present = (await tx.of(mailAddressRows).find(FID))!
        return changes.begin(tx, present, { address, called: CALLED })
      })
    await storage.write(changeLocks(FID), async (tx) => {
      await tx.accounts.putCustodies([custodyRow(FID, CUSTODY)])
      await tx.of(pushRows).putDevices([
        {
          ...{ id: 'phone', fid: FID, signer: new Uint8Array(32), name: 'phone', kinds: '' },
          ...{ endpoint: 'https://push.example/x', public_key: new Uint8Array(65) },
          ...{ secret: new Uint8Array(16), failures: 0, created_at: 0, pushed_at: null },
        },
      ])
      await changes.addFirst(tx, { fid: FID, address: OLD, custody: CUSTODY })
      await tx.of(mailAddressRows).choose(FID, { reports: 0, digest: 'weekly', digest_due: 5 })
    })
    const due = await begin(null)
    now += 1
    // Asked once more, the wait does not begin anew and nobody is told twice.
    assert.equal(await begin(null), due)
    await storage.write(changeLocks(FID), (tx) => changes.keep(tx, FID))
    now = due
    await run()
    assert.equal((await rows.find(FID))!.address, OLD)

    now = (await begin(NEXT)) - 1
    await run()
    assert.equal((await rows.find(FID))!.address, OLD)
    now += 1
    await run()
    const { address, reports, digest, digest_due } = (await rows.find(FID))!
    assert.deepEqual([address, reports, digest, digest_due], [NEXT, 0, 'weekly', 5])

    // An address that was confirmed for another account meanwhile is not taken from it.
    await begin(OLD)
    await storage.write(changeLocks(8), async (tx) => {
      await tx.accounts.putCustodies([custodyRow(8, CUSTODY)])
      await changes.addFirst(tx, { fid: 8, address: OLD, custody: CUSTODY })
    })
    now += CHANGE_WAIT_MS
    await run()
    assert.equal((await rows.find(FID))!.address, NEXT)

    isOn = false
    now = await begin(null)
    await run()
    assert.equal(await rows.find(FID), undefined)
    assert.deepEqual(await rows.changesDue(now, 10), [])
    const about = 'The e-mail address of your account is about to change'
    const told = await storage.of(noticeRows)()
    assert.deepEqual(told.map(({ title }) => title).sort(), [
      ...[about, about, about, about],
      'The e-mail address of your account stays',
      'The e-mail address of your account stays',
      'Your account has an e-mail address now',
      'Your account has another e-mail address now',
      'Your account has no e-mail address any more',
    ])
    // A link is spoken of only where one was sent.
    const bodies = told.filter(({ title }) => title === about).map(({ body }) => body)
    const keep = 'If that was not you, open this and keep the present one'
    const withLink = `${keep}, or use the link that was sent there.`
    assert.deepEqual(bodies.sort(), [...Array(3).fill(withLink), `${keep}.`])
  })
}
